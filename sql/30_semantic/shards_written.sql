create or replace function braid_store.shards_written(tenant_id int, collection_id int)
returns table (shard_id int)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select p.shard_id
  from braid_store.vector_placement p
  where p.tenant_id = shards_written.tenant_id and p.collection_id = shards_written.collection_id
  union
  select p.write_shard_id
  from braid_store.vector_placement p
  where p.tenant_id = shards_written.tenant_id and p.collection_id = shards_written.collection_id
    and p.write_shard_id is not null;
$$;

comment on function braid_store.shards_written(int, int) is
  'The shards that receive a tenant''s vectors of a collection: the one that is read and, during a move, the next one.';
