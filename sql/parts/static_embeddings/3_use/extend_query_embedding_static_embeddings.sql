create or replace function braid_store.extend_query_embedding_static_embeddings(
  tenant_id int,
  collection braid_store.collections,
  embedded_text text,
  cursor text
)
returns table (embedding @vector@.vector, mark text)
language plpgsql
stable
parallel unsafe
security invoker
rows 1
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_name text := extend_query_embedding_static_embeddings.collection.parts ->> 'static_embedder';
  v_embedder braid_store.static_embedders;
begin
  if v_name is null then
    return;
  end if;
  if extend_query_embedding_static_embeddings.cursor <> '' then
    -- Later pages search as the first page did.
    if split_part((braid_store.read_cursor(extend_query_embedding_static_embeddings.cursor)).fingerprint, ':', 2)
       <> 'static' then
      return;
    end if;
  end if;
  v_embedder := braid_store.fitting_embedder(
    v_name, extend_query_embedding_static_embeddings.collection.vector_space_id);
  if v_embedder.id is not null then
    embedding := braid_store.static_embedding(v_embedder, extend_query_embedding_static_embeddings.embedded_text);
    if embedding is not null then
      mark := 'static';
      return next;
    end if;
  end if;
end
$$;

comment on function braid_store.extend_query_embedding_static_embeddings(int, braid_store.collections, text, text) is
  'Return the vector that the collection''s static embedder makes of the text of a search.';
