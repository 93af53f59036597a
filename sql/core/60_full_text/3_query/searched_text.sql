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
  -- Bounds the work of a query as long as a book. In the end 64 terms are kept.
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
    -- One character more shows whether a word ends exactly at the limit. If there is no space for more than c_max_word
    -- characters, the text is not in words and is cut in the middle.
    searched := left(query_text, c_max_searched + 1);
    v_last_word := strpos(reverse(translate(searched, E'\n\r\t', '   ')), ' ');
    searched := left(searched, case when v_last_word between 1 and c_max_word then -v_last_word else -1 end);
  end if;
  if not has_operators then
    -- What parse_query reads as spaces or as quotation marks.
    v_separators := braid_store.white_space() || braid_store.quotation_marks();
    searched := translate(searched, v_separators, repeat(' ', length(v_separators))) collate "C";
    -- Removes signs before a word and asterisks behind it, and makes OR a plain word.
    searched := regexp_replace(searched, '(^| )[+-]+', E'\\1', 'g');
    searched := regexp_replace(searched, E'\\*+(?= |$)', '', 'g');
    searched := regexp_replace(searched, '(^| )OR(?= |$)', E'\\1or', 'g');
  end if;
end
$$;

comment on function braid_store.searched_text(text, boolean) is
  'Cut a query text to what is searched: its first 16384 characters, back to the end of a word. Without operators, '
  'it also makes all signs of the query language plain text. is_cut: whether something was cut off. Raise 54000 '
  'above 1000000 bytes.';
