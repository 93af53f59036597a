create or replace function braid_store.searched_text(
  query_text text,
  has_operators boolean,
  out searched text,
  out is_cut boolean
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- This limits the work for a query as long as a book. Later, only 64 terms are kept.
  c_max_searched constant int := 16384;
  c_max_word constant int := 255;
  v_separators text;
  v_last_word int;
begin
  searched := query_text;
  is_cut := false;
  if octet_length(query_text) > c_max_searched then
    perform braid_store.check_query_text(query_text);
    is_cut := length(query_text) > c_max_searched;
  end if;
  if is_cut then
    -- One character more shows whether a word ends exactly at the limit. If the last c_max_word characters contain no
    -- space, the text has no words and is cut at the limit.
    searched := left(query_text, c_max_searched + 1);
    v_last_word := strpos(reverse(translate(searched, E'\n\r\t', '   ')), ' ');
    searched := left(searched, case when v_last_word between 1 and c_max_word then -v_last_word else -1 end);
  end if;
  if not has_operators then
    -- parse_query reads these characters as spaces or quotation marks.
    v_separators := braid_store.white_space() || braid_store.quotation_marks();
    searched := translate(searched, v_separators, repeat(' ', length(v_separators))) collate "C";
    -- Remove signs before a word and asterisks after it, and make OR a plain word.
    searched := regexp_replace(searched, '(^| )[+-]+', E'\\1', 'g');
    searched := regexp_replace(searched, E'\\*+(?= |$)', '', 'g');
    searched := regexp_replace(searched, '(^| )OR(?= |$)', E'\\1or', 'g');
  end if;
end
$$;

comment on function braid_store.searched_text(text, boolean) is
  'Cut a query text to the part that is searched: its first 16384 characters, back to the end of a word. Without '
  'operators, also make all signs of the query language plain text. is_cut: whether a part was cut off. Raise 54000 '
  'above 1000000 bytes.';
