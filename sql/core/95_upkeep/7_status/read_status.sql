-- role: reader
create or replace function braid_calls.read_status(collection text)
returns jsonb
language sql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'version', (select i.version from braid_store.installation i),
    'parts', array(select p.name from braid_store.parts p where p.name <> 'core' order by p.place),
    'tenant', s.tenant,
    'warnings', braid_store.server_warnings(),
    'bytes', braid_store.stored_bytes(),
    'collections', coalesce(
      (select jsonb_agg(jsonb_build_object('name', c.name, 'embedding_model', v.embedding_model, 'dimensions',
        v.dimensions,
                                           'distance', v.distance, 'text_config', c.text_config)
                        || braid_store.collection_counts(c.id) order by c.name)
       from braid_store.collections c
       join braid_store.vector_spaces v on v.id = c.vector_space_id
       where read_status.collection is null or c.id = (braid_store.find_collection(read_status.collection)).id), '[]'))
  from (select braid_store.require_tenant_key() as tenant offset 0) s;
$$;

comment on function braid_calls.read_status(text) is
  'Do the work of braid.status.';
