-- role: reader
-- example: braid.similar_chunks(chunk_id => (select chunk_id from braid.full_text_search('discount', 1, collection =>
--   'small')))
-- page: guide/more-like-this.md
create or replace function braid.similar_chunks(
  chunk_id bigint,
  match_count int default 10,
  filters jsonb default null,
  min_score float8 default null,
  options jsonb default null
)
returns setof braid_store.search_result
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.find_similar_chunks(similar_chunks.chunk_id, similar_chunks.match_count,
    similar_chunks.filters,
                                                similar_chunks.min_score, similar_chunks.options);
$$;

comment on function braid.similar_chunks(bigint, int, jsonb, float8, jsonb) is
  E'Find the chunks of the same collection whose vectors are nearest to the vector of a given chunk.\n'
  'It is semantic_search with the stored vector of the given chunk, so nothing is embedded. score is the similarity. '
  'chunk_id: the given chunk, which is left out of the rows. filters: conditions that the chunks found must meet. '
  'options: the options of semantic_search about vectors, groups, passages and snippets are allowed; there are no '
  'pages. Raise 22023 if the chunk has no embedding yet.';
