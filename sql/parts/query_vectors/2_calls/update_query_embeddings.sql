-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.update_query_embeddings(collection text, embedding_count int)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections := braid_store.find_collection(update_query_embeddings.collection);
begin
  if (update_query_embeddings.embedding_count between 0 and 10000) is not true then
    raise exception 'embedding_count is %', coalesce(update_query_embeddings.embedding_count::text, 'null')
      using errcode = '22023', hint = 'Use 0, for none, to 10000, usually 1000.';
  end if;
  v_collection := braid_store.lock_definition(v_collection);
  update braid_store.collections c
  set parts = braid_store.parts_with(
        c.parts, jsonb_build_object('query_embedding_count', nullif(update_query_embeddings.embedding_count, 0)))
  where c.id = v_collection.id;
  if update_query_embeddings.embedding_count < (v_collection.parts ->> 'query_embedding_count')::int then
    perform braid_store.note_collection(v_collection.id);
  end if;
end
$$;

comment on function braid_store.update_query_embeddings(text, int) is
  'Do the work of braid.set_query_embeddings. If the limit is lowered, maintain() deletes the excess vectors.';
