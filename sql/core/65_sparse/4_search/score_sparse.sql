create or replace function braid_store.score_sparse(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  demands braid_store.text_query,
  filter braid_store.filter,
  candidate_count int,
  min_threshold float8,
  chunk_ids bigint[],
  scored braid_store.scored_chunks
)
returns braid_store.scored_chunks
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_scored braid_store.scored_chunks := score_sparse.scored;
  -- A chunk may have several places, but is scored once.
  v_chunk_ids bigint[] := array(
    select unnest(score_sparse.chunk_ids) except select unnest(score_sparse.scored.chunk_ids));
begin
  if not filter.is_empty then
    v_chunk_ids := braid_store.filtered_among(v_chunk_ids, tenant_id, filter);
  end if;
  if demands.conditions <> '{}' then
    v_chunk_ids := braid_store.demanded_chunks(tenant_id, collection, v_chunk_ids, demands);
  end if;
  if v_chunk_ids <> '{}' then
    v_scored.chunk_ids := v_scored.chunk_ids || v_chunk_ids;
    v_scored.scores := v_scored.scores
                       || braid_store.exact_sparse_scores(tenant_id, collection.id, v_chunk_ids, query);
    v_scored.threshold := greatest(min_threshold, (
      select s from unnest(v_scored.scores) s where s is not null
      order by s desc
      offset score_sparse.candidate_count - 1 limit 1));
  end if;
  return v_scored;
end
$$;

comment on function braid_store.score_sparse(int, braid_store.collections, braid_store.text_query,
                                             braid_store.text_query, braid_store.filter, int, float8, bigint[],
                                             braid_store.scored_chunks) is
  'Compute the exact sparse scores of chunks that pass the filter and meet demands, and add them to the earlier '
  'scores. In the result, threshold is the score at rank candidate_count, or min_threshold if that is higher.';
