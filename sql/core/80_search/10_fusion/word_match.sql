create or replace function braid_store.word_match(
  request braid_store.search_request,
  candidates braid_store.fused_candidate[]
)
returns float8[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_collection braid_store.collections := request.collection;
  v_all float8 := nullif(braid_store.query_weight(request), 0);
begin
  -- With k1 = 0 a word adds its idf, regardless of its frequency and of the chunk's length.
  v_collection.k1 := 0;
  return array(
    select u.matched / v_all
    from unnest(braid_store.exact_scores(request.tenant_id, v_collection,
                                         array(select c.chunk_id from unnest(candidates) c), request.query))
           with ordinality u (matched, place)
    order by u.place);
end
$$;

comment on function braid_store.word_match(braid_store.search_request, braid_store.fused_candidate[]) is
  'Return the share of the query''s words that each candidate has, weighted by idf. The share is null if the '
  'query''s words weigh nothing.';
