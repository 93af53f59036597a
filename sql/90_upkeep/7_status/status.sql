create or replace function braid.status(collection text default null)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'version', braid.version(),
    'tenant', s.tenant,
    'warnings', braid_store.server_warnings(),
    'bytes', braid_store.stored_bytes(),
    'collections', coalesce(
      (select jsonb_agg(jsonb_build_object('name', c.name, 'embedding_model', v.embedding_model, 'dimensions', v.dimensions,
                                           'distance', v.distance, 'text_config', c.text_config)
                        || braid_store.collection_counts(c.id) order by c.name)
       from braid_store.collections c
       join braid_store.vector_spaces v on v.id = c.vector_space_id
       where status.collection is null or c.id = (braid_store.find_collection(status.collection)).id), '[]'))
  from (select braid_store.require_tenant_key() as tenant offset 0) s;
$$;

comment on function braid.status(text) is
  E'Returns as JSON the installed version, the tenant that the session acts for, and what this tenant has in each '
  'collection, or only in the one named (null, as by default: all).\n'
  'For each: documents, chunks, pending_embeddings (chunks that wait for an embedding), failed_embeddings, segments '
  'and tombstones of the text index, chunks_with_sparse_terms, logged_searches, vectors (how many are scanned, and the vector shards with their measured recall), '
  'and model_migration: its progress, or null. The counts are exact, so on large collections it takes a while.\n'
  'warnings, for administrators: what of the server''s settings makes searches, writes or maintenance slower, each with a '
  'code and a message that says by how much. bytes, for them, too: the size of all tables and indexes, of all tenants; '
  'vector shards have their own.';
