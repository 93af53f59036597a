create or replace function braid_store.retire_shards(tenant_id int, collection_id int, vector_space_id int default null)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  update braid_store.vector_shards s
  set state = 'retired', retired_by = pg_current_xact_id()
  where s.tenant_id = retire_shards.tenant_id and s.collection_id = retire_shards.collection_id and s.state <> 'retired'
    and s.vector_space_id = coalesce(retire_shards.vector_space_id, s.vector_space_id);
$$;

comment on function braid_store.retire_shards(int, int, int) is
  'Retire all vector shards of a tenant in a collection, or only the shards of one vector space; null, the default, '
  'means all. Maintenance drops them later.';
