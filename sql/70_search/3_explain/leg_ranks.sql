create or replace function braid_store.leg_ranks(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  query_embedding @vector@.vector,
  filters jsonb,
  chunk_id bigint,
  full_text_score float8,
  semantic_score float8,
  out full_text_rank int,
  out semantic_rank int
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_variable
declare
  c_max_rank constant int := 10000;
  v_filter braid_store.filter := braid_store.compile_filter(filters, tenant_id, collection.id);
begin
  if full_text_score > 0 then
    select c.rank into full_text_rank
    from braid_store.full_text_candidates(tenant_id, collection, query, v_filter, full_text_score, c_max_rank) t,
         unnest(t.candidates) c
    where c.chunk_id = leg_ranks.chunk_id;
  end if;
  if semantic_score is not null then
    if query.conditions <> '{}' then
      v_filter := braid_store.narrow_filter(v_filter, braid_store.demand_filter(tenant_id, query));
    end if;
    -- Not to the last bit: vectors are read in another order here.
    select c.rank into semantic_rank
    from braid_store.semantic_candidates(tenant_id, collection, query_embedding, v_filter,
                                         semantic_score - 1e-9, c_max_rank, true, null) n,
         unnest(n.candidates) c
    where c.chunk_id = leg_ranks.chunk_id;
  end if;
end
$$;

comment on function braid_store.leg_ranks(int, braid_store.collections, braid_store.text_query, @vector@.vector, jsonb,
                                          bigint, float8, float8) is
  'The rank that a chunk has in each leg, were there no limit of candidates; null beyond 10000.';
