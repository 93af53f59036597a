create or replace function braid_store.query_weight(request braid_store.search_request)
returns float8
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_query braid_store.text_query := request.query;
  v_chunk_count bigint;
begin
  select s.chunk_count into v_chunk_count
  from braid_store.index_statistics(request.tenant_id, (request.collection).id) s;
  -- No chunk has the absent words. Each weighs as much as the rarest possible word.
  return coalesce((select sum(t.weight)
                   from (select max(q.weight) as weight from unnest(v_query.weights, v_query.term_numbers) q (weight,
                     term)
                         group by q.term) t), 0)
         + coalesce(cardinality(v_query.absent_terms), 0) * braid_store.bm25_factor(request.collection)
           * ln(1 + (v_chunk_count + 0.5::float8) / 0.5);
end
$$;

comment on function braid_store.query_weight(braid_store.search_request) is
  'Return the total weight of a query''s words, by their idf.';
