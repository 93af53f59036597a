create or replace function braid_store.extend_visit_query_vectors(tenant_id int, collection braid_store.collections)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Without the setting, no vectors are stored.
  perform braid_store.drop_query_embeddings(tenant_id, collection.id,
                                             coalesce((collection.parts ->> 'query_embedding_count')::int, 0));
end
$$;

comment on function braid_store.extend_visit_query_vectors(int, braid_store.collections) is
  'Delete stored query vectors beyond the collection''s limit.';
