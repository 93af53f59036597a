create or replace function braid_store.find_query_embedding(
  tenant_id int,
  collection braid_store.collections,
  embedded_text text
)
returns @vector@.vector
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  -- Requests without a user must not learn what a tenant's users searched for.
  if find_query_embedding.collection.parts ->> 'query_embedding_count' is null
    or find_query_embedding.embedded_text = ''
     or braid_store.session_is_anonymous() then
    return null;
  end if;
  return (
    select q.embedding
    from braid_store.query_embeddings q
    where q.tenant_id = find_query_embedding.tenant_id and q.collection_id = find_query_embedding.collection.id
      and q.vector_space_id = find_query_embedding.collection.vector_space_id
      and q.text_hash = braid_store.query_text_hash(find_query_embedding.embedded_text));
end
$$;

comment on function braid_store.find_query_embedding(int, braid_store.collections, text) is
  'Return the tenant''s stored vector of a text, made by the model that the collection''s searches use; null if '
  'there is none.';
