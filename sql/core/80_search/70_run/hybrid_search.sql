-- role: reader
-- example: braid.hybrid_search(query_text => 'discount', collection => 'small')
-- page: guide/search.md
create or replace function braid.hybrid_search(
  query_text text default null,
  query_embedding @vector@.vector default null,
  match_count int default 10,
  full_text_weight float8 default null,
  semantic_weight float8 default null,
  filters jsonb default null,
  collection text default 'default',
  fusion text default null,
  rrf_k float8 default null,
  candidate_count int default null,
  min_score float8 default null,
  match text default 'any',
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
    may_be_sparse => true, query_text => query_text, query_embedding => query_embedding, match_count => match_count,
    full_text_weight => full_text_weight, semantic_weight => semantic_weight, filters => filters,
      collection => collection,
    fusion => fusion, rrf_k => rrf_k, candidate_count => candidate_count, min_score => min_score, match => match,
    options => options)).results) r;
end
$$;

comment on function braid.hybrid_search(text, @vector@.vector, int, float8, float8, jsonb, text, text, float8, int,
                                        float8, text, jsonb) is
  E'Find chunks by the words and by the meaning of a query: BM25 and vector search, fused into one ranking.\n'
  'Rows with the highest score come first. query_text: the words, as in full_text_search; without it, this is '
  'semantic search. It is one text: an array of texts is refused with 22023, and multi_search takes several. '
  'query_embedding: the vector of the query, made by the collection''s model; without it, this is full-text search. '
  'match_count: how many rows are returned, 1 to 10000. filters: a JSON object of conditions on columns and '
  'metadata, such as {"speaker": "Ann"}; null sets none. fusion (rrf, convex, dbsf or max), rrf_k, full_text_weight, '
  'semantic_weight: null takes the collection''s settings. Weights that are meant for another kind of fusion are '
  'replaced by defaults: convex and dbsf divide weights by their sum, rrf and max do not. The defaults are 1 and 1 '
  'for rrf and max, 0.6 and 0.4 for convex and dbsf. A leg that has weight 0 in the collection stays out. rrf_k 60 '
  'is Cormack''s formula with ranks from 1; 59 is the same with ranks from 0; 0 gives weight / rank. '
  'candidate_count: how many chunks each leg proposes; a number, 1 to 100000, is kept; null takes max(100, 4 × '
  'match_count), and more if too few rows are left. min_score: leaves out rows with a lower fused score; null leaves '
  'out none. match: how many words of the query a chunk must have for full text: any, all or a share such as 75%. '
  'options: a JSON object; see docs/reference/options.md.';
