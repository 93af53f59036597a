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
  -- Bounds the work of a query that is a book: 64 terms are kept in the end.
  v_max_words constant int := 16384;
  -- As in parse_query.
  v_spaces constant text := E'\t\n\u000b\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008'
    '\u2009\u200a\u2028\u2029\u202f\u205f\u3000';
  v_words text[] := string_to_array(translate(query_text, E'\n\r\t', '   '), ' ');
begin
  is_cut := coalesce(cardinality(v_words) > v_max_words, false);
  searched := case when is_cut then array_to_string(v_words[:v_max_words], ' ') else query_text end;
  if not has_operators then
    searched := translate(searched, v_spaces || '"“”„', repeat(' ', length(v_spaces) + 4)) collate "C";
    -- Signs before a word, asterisks behind it, and OR.
    searched := regexp_replace(searched, '(^| )[+-]+', E'\\1', 'g');
    searched := regexp_replace(searched, E'\\*+(?= |$)', '', 'g');
    searched := regexp_replace(searched, '(^| )OR(?= |$)', E'\\1or', 'g');
  end if;
end
$$;

comment on function braid_store.searched_text(text, boolean) is
  'What of a query text is searched: its first 16384 words, and, without operators, all of them as plain words.';
