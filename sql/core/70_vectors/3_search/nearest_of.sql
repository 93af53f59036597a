create or replace function braid_store.nearest_of(
  tenant_id int,
  collection braid_store.collections,
  query_embedding @vector@.vector,
  among braid_store.candidate[],
  min_score float8
)
returns braid_store.candidate[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_distance text;
  v_measured braid_store.measured_chunks;
begin
  select s.distance into strict v_distance
  from braid_store.vector_spaces s
  where s.id = nearest_of.collection.vector_space_id;
  v_measured := braid_store.nearest_among(
    tenant_id, collection, v_distance, null, query_embedding, array(select a.chunk_id from unnest(among) a));
  return (braid_store.rank_nearest(tenant_id, v_distance, v_measured.chunk_ids, v_measured.distances,
                                   min_score, cardinality(among), 0, false)).candidates;
end
$$;

comment on function braid_store.nearest_of(int, braid_store.collections, @vector@.vector, braid_store.candidate[],
                                           float8) is
  'Order given candidates by their similarity to a vector, highest first. Candidates without a vector, or with a '
  'similarity below min_score, are left out.';
