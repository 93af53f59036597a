-- role: reader
-- example: braid.semantic_search(query_embedding => '[1,0,0]', collection => 'small')
-- page: guide/search.md
create or replace function braid.semantic_search(
  query_embedding @vector@.vector,
  match_count int default 10,
  filters jsonb default null,
  collection text default 'default',
  min_score float8 default null,
  options jsonb default null
)
returns setof braid_store.search_result
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
begin
  return query select r.* from unnest((braid_calls.run_search(
    may_be_sparse => false, query_embedding => query_embedding, match_count => match_count, filters => filters,
      collection => collection,
    min_score => min_score, options => options)).results) r;
end
$$;

comment on function braid.semantic_search(@vector@.vector, int, jsonb, text, float8, jsonb) is
  E'Find the chunks whose vectors are nearest to a query vector.\n'
  'score is the similarity: for cosine 1 - distance, for inner_product the product, for l2 1 / (1 + distance). '
  'query_embedding: the vector of the query, made by the collection''s model. min_score: leaves out rows with a lower '
  'similarity; null leaves out none. The other arguments are as in hybrid_search. Chunks that are not embedded yet '
  'are not found. Use it where words do not matter, only meaning.';
