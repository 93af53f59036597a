-- role: reader
create or replace function braid_calls.read_query_embedding(embedded_text text, collection text)
returns @vector@.vector
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return braid_store.find_query_embedding(
    braid_store.require_tenant_id(), braid_store.find_collection(read_query_embedding.collection),
    read_query_embedding.embedded_text);
end
$$;

comment on function braid_calls.read_query_embedding(text, text) is 'Do the work of braid.get_query_embedding.';
