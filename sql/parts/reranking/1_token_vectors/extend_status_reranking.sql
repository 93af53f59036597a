create or replace function braid_store.extend_status_reranking(tenant_id int, collection_id int)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return jsonb_build_object('token_vectors', (
    select count(*) from braid_store.token_vectors t
    where t.tenant_id = extend_status_reranking.tenant_id and t.collection_id = extend_status_reranking.collection_id));
end
$$;

comment on function braid_store.extend_status_reranking(int, int) is
  'Count the chunks of a tenant in a collection that have token vectors.';
