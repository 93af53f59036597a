-- role: reader
-- example: braid.highlight(chunk_id => (select chunk_id from braid.full_text_search('discount', 1, collection =>
--   'small')), query_text => 'discount')
-- page: guide/snippets.md
create or replace function braid.highlight(
  chunk_id bigint,
  query_text text,
  start_tag text default '<mark>',
  stop_tag text default '</mark>',
  fragment_count int default 2,
  fragment_words int default 30,
  fragment_separator text default ' … '
)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.highlight_chunk(highlight.chunk_id, highlight.query_text, highlight.start_tag, highlight.stop_tag,
                                     highlight.fragment_count, highlight.fragment_words, highlight.fragment_separator);
$$;

comment on function braid.highlight(bigint, text, text, text, int, int, text) is
  E'Return the passages of a chunk that match a query best, with the matched words between two tags.\n'
  'Use it to show why a chunk was found. chunk_id: the chunk_id of a row that a search returned. query_text: the '
  'query that was searched for. start_tag, stop_tag, fragment_separator: inserted as given; the text is escaped for '
  'HTML. fragment_count: how many passages are returned at most, 1 to 20, 2 by default; null returns the whole text. '
  'fragment_words: how long each passage is, 30 words by default; in scripts without spaces each character counts as '
  'a word.\n'
  'If nothing matches, the beginning of the text is returned. To get snippets with the rows of a search, use its '
  'option snippet.';
