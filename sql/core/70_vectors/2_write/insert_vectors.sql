create or replace function braid_store.insert_vectors(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  embeddings @vector@.vector[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
begin
  -- Unlike in write_vectors, no lock is needed: no other session knows these chunks yet, and no job asks for them.
  insert into braid_store.chunk_vectors (tenant_id, collection_id, vector_space_id, chunk_id, embedding)
  select insert_vectors.tenant_id, insert_vectors.collection.id, insert_vectors.collection.vector_space_id, e.chunk_id,
         case when insert_vectors.collection.vector_storage = 'halfvec'
           then e.embedding::@vector@.halfvec::@vector@.vector
              else e.embedding end
  from unnest(insert_vectors.chunk_ids, insert_vectors.embeddings) e (chunk_id, embedding);
end
$$;

comment on function braid_store.insert_vectors(int, braid_store.collections, bigint[], @vector@.vector[]) is
  'Store embeddings of chunks that this transaction has stored, in the collection''s vector space.';
