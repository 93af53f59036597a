create or replace function braid_store.embed_chunks(
  tenant_id int,
  collection braid_store.collections,
  embedder braid_store.static_embedders,
  chunk_ids bigint[]
)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_ids bigint[];
  v_embeddings @vector@.vector[];
begin
  select array_agg(c.id order by c.id),
         array_agg(
           -- A text without a known word is equally near to all others; a zero vector has no direction.
           coalesce(braid_store.static_embedding(
                      embed_chunks.embedder,
                      braid_store.embedding_input(embed_chunks.collection, d.title, c.speaker, c.content)),
                    array_fill((embed_chunks.embedder.dimensions ^ -0.5)::real,
                               array[embed_chunks.embedder.dimensions])::@vector@.vector)
           order by c.id)
  into v_ids, v_embeddings
  from (
    select j.chunk_id
    from unnest(embed_chunks.chunk_ids) u (id),
         lateral (
           select j.chunk_id from braid_store.embedding_jobs j
           where j.tenant_id = embed_chunks.tenant_id and j.collection_id = embed_chunks.collection.id
             and j.vector_space_id = embed_chunks.collection.vector_space_id and j.chunk_id = u.id
           offset 0
         ) j
  ) j,
       lateral (
         select c.id, c.document_id, c.speaker, c.content from braid_store.chunks c
         where c.tenant_id = embed_chunks.tenant_id and c.id between j.chunk_id and j.chunk_id
         order by c.id
         offset 0
       ) c,
       lateral (
         select d.title from braid_store.documents d
         where d.tenant_id = embed_chunks.tenant_id and d.id between c.document_id and c.document_id
         order by d.id
         offset 0
       ) d;
  return case when v_ids is null then 0
              else braid_store.write_vectors(tenant_id, collection, v_ids, v_embeddings) end;
end
$$;

comment on function braid_store.embed_chunks(int, braid_store.collections, braid_store.static_embedders, bigint[]) is
  'Embed the chunks among chunk_ids that wait for a vector of the collection''s space. Return the number of vectors '
  'stored.';
