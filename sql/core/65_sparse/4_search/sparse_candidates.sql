create or replace function braid_store.sparse_candidates(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  demands braid_store.text_query,
  filter braid_store.filter,
  min_score float8,
  candidate_count int
)
returns braid_store.candidate[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_query braid_store.text_query := sparse_candidates.query;
  v_index braid_store.collections := sparse_candidates.collection;
  v_waiting_ids bigint[];
begin
  -- match counts words of full text only; the other demands of the text apply to this leg, too.
  v_query.conditions := demands.conditions;
  v_index.id := -collection.id;
  v_waiting_ids := array(
    select distinct n.chunk_id from braid_store.unindexed_sparse_rows n
    where n.tenant_id = sparse_candidates.tenant_id and n.collection_id = sparse_candidates.collection.id);
  if filter.among is not null and v_waiting_ids <> '{}' then
    v_waiting_ids := array(select unnest(v_waiting_ids) intersect select unnest(filter.among));
  end if;
  return (braid_store.full_text_candidates(tenant_id, v_index, v_query, filter, min_score, candidate_count,
                                           v_waiting_ids)).candidates;
end
$$;

comment on function braid_store.sparse_candidates(int, braid_store.collections, braid_store.text_query,
                                                  braid_store.text_query, braid_store.filter, float8, int) is
  'Find the candidate_count best chunks by the weighted terms that they share with a query, among the chunks that '
  'pass a filter and meet demands. Ranks begin at 1; equal scores are ordered by external_id and chunk_index. query: '
  'the result of compile_sparse_query. full_text_candidates does the work.';
