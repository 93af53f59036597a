-- role: reader
-- example: braid.full_text_search(query_text => 'discount', collection => 'small')
-- page: guide/search.md
create or replace function braid.full_text_search(
  query_text text,
  match_count int default 10,
  filters jsonb default null,
  collection text default 'default',
  match text default 'any',
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
    may_be_sparse => false, query_text => query_text, match_count => match_count, filters => filters,
      collection => collection,
    min_score => min_score, match => match, options => options)).results) r;
end
$$;

comment on function braid.full_text_search(text, int, jsonb, text, text, float8, jsonb) is
  E'Find chunks by the words of a query, ranked by exact BM25.\n'
  'score is the BM25 score. query_text: the words to rank by; +word and "a phrase" must be there, -word must not; '
  'data* is a prefix, a OR b gives alternatives. match: any (the default), all, or the least share of the words that '
  'a chunk must have, such as 75%. min_score: leaves out rows with a lower score; null leaves out none. The other '
  'arguments are as in hybrid_search. Use it where there are no embeddings, or for names and codes.';
