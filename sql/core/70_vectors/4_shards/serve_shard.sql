create or replace function braid_store.serve_shard(shard braid_store.vector_shards)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Maintenance in another session may have retired the shard, together with its collection or vector space.
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
  set state = 'serving', served_at = clock_timestamp(), seconds_needed = null
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id;
end
$$;

comment on function braid_store.serve_shard(braid_store.vector_shards) is
  'Make searches read a shard, and retire the previous one. Do nothing if the shard was itself retired meanwhile. '
  'Transactions with an older snapshot continue to read the previous shard.';
