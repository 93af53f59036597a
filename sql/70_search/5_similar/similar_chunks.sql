create or replace function braid.similar_chunks(
  chunk_id bigint,
  match_count int default 10,
  filters jsonb default null,
  min_score float8 default null,
  options jsonb default null
)
returns setof braid.search_result
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_store.find_similar_chunks(similar_chunks.chunk_id, similar_chunks.match_count, similar_chunks.filters,
                                                similar_chunks.min_score, similar_chunks.options);
$$;

comment on function braid.similar_chunks(bigint, int, jsonb, float8, jsonb) is
  'The chunks of the same collection whose vectors are nearest to that of a chunk, which is not among them: '
  'semantic_search with the chunk''s stored vector. The score is the similarity. Nothing is embedded.';
