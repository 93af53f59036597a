create or replace function braid_store.serve_shard(shard braid_store.vector_shards)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Maintenance of another session may retire it, with its collection or its space.
  perform
  from braid_store.vector_shards s
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id and s.state = 'indexing'
  for update;
  if not found then
    return;
  end if;
  update braid_store.vector_shards s
  set state = 'retired', retired_by = pg_current_xact_id()
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.state = 'serving';
  update braid_store.vector_shards s
  set state = 'serving', served_at = clock_timestamp()
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id;
end
$$;

comment on function braid_store.serve_shard(braid_store.vector_shards) is
  'Makes a shard the one that is read, in place of the one before, unless it was retired meanwhile. Readers with an older '
  'snapshot go on with the one before.';
