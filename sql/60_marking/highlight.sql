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
  select braid_store.highlight_chunk(highlight.chunk_id, highlight.query_text, highlight.start_tag, highlight.stop_tag,
                                     highlight.fragment_count, highlight.fragment_words, highlight.fragment_separator);
$$;

comment on function braid.highlight(bigint, text, text, text, int, int, text) is
  'The passages of a chunk that match a query best, escaped for HTML, with the matched words between start_tag and '
  'stop_tag, which are inserted as given. fragment_count is how many passages at most (null: the whole text), '
  'fragment_words how long they are; a character of a script without spaces counts as a word.';
