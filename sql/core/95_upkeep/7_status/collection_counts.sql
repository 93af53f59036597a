-- role: definer
create or replace function braid_store.collection_counts(collection_id int)
returns jsonb
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'documents', (select count(*) from braid_store.documents d
                  where d.tenant_id = t.tenant_id and d.collection_id = t.collection_id),
    'chunks', (select count(*) from braid_store.chunks c
               where c.tenant_id = t.tenant_id and c.collection_id = t.collection_id),
    'pending_embeddings', (select count(*) from braid_store.embedding_jobs j
                           where j.tenant_id = t.tenant_id and j.collection_id = t.collection_id
                             and j.vector_space_id = t.vector_space_id),
    'failed_embeddings', (select count(*) from braid_store.embedding_jobs j
                          where j.tenant_id = t.tenant_id and j.collection_id = t.collection_id
                            and j.vector_space_id = t.vector_space_id and j.last_error is not null),
    'segments', (select count(*) from braid_store.segments s
                 where s.tenant_id = t.tenant_id and s.collection_id = t.collection_id),
    'tombstones', (select count(*) from braid_store.tombstones b
                   where b.tenant_id = t.tenant_id and b.collection_id = t.collection_id),
    'chunks_with_sparse_terms', (select count(*) from braid_store.sparse_rows r
                                 where r.tenant_id = t.tenant_id and r.collection_id = t.collection_id),
    'vectors', braid_store.vector_status(t.tenant_id, t.collection_id, t.vector_space_id))
    || braid_store.extend_status(t.tenant_id, t.collection_id)
  from (select braid_store.require_tenant_id() as tenant_id, c.id as collection_id, c.vector_space_id
        from braid_store.collections c where c.id = collection_counts.collection_id offset 0) t;
$$;

comment on function braid_store.collection_counts(int) is
  'Return exact counts of what the session''s tenant has in a collection, including counts of parts.';
