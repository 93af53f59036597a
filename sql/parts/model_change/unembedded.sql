create or replace function braid_store.unembedded(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[]
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_shard_id int := (braid_store.serving_shard(tenant_id, collection)).id;
  v_chunk_ids bigint[];
begin
  execute format($query$
    select coalesce(array_agg(u.chunk_id order by u.chunk_id), '{}')
    from unnest($2) u (chunk_id)
    where not exists (
      select from braid_store.chunk_vectors v
      where v.tenant_id = $1 and v.collection_id = $3 and v.vector_space_id = $4 and v.chunk_id = u.chunk_id
      offset 0)
    %s
    $query$,
    case when v_shard_id is not null then
      format('and not exists (select from braid_store.vectors_%s s '
             'where s.tenant_id = $1 and s.chunk_id = u.chunk_id offset 0)', v_shard_id)
    end)
  into v_chunk_ids
  using tenant_id, chunk_ids, collection.id, collection.vector_space_id;
  return v_chunk_ids;
end
$$;

comment on function braid_store.unembedded(int, braid_store.collections, bigint[]) is
  'Return the given chunks that have no vector in the collection''s vector space, in the order of their ids.';
