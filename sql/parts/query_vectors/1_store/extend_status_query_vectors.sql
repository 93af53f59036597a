create or replace function braid_store.extend_status_query_vectors(tenant_id int, collection_id int)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return jsonb_build_object('query_embeddings', (
    select count(*) from braid_store.query_embeddings t
    where t.tenant_id = extend_status_query_vectors.tenant_id
      and t.collection_id = extend_status_query_vectors.collection_id));
end
$$;

comment on function braid_store.extend_status_query_vectors(int, int) is
  'Count the stored query vectors of a tenant in a collection.';
