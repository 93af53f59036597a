create or replace function braid_store.keep_vectors(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  previous_ids bigint[]
)
returns bigint[]
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- Both joined lists may be long. The planner does not know that, and could choose a nested loop.
set enable_nestloop = off
as $$
#variable_conflict use_column
declare
  v_is_half boolean := keep_vectors.collection.vector_storage = 'halfvec';
  v_kept_ids bigint[];
begin
  with kept as (
    insert into braid_store.chunk_vectors (tenant_id, collection_id, vector_space_id, chunk_id, embedding)
    select keep_vectors.tenant_id, keep_vectors.collection.id, keep_vectors.collection.vector_space_id, u.chunk_id,
           -- Round as write_vectors does, because the vector may be older than the collection's vector_storage halfvec.
           case when v_is_half then e.embedding::@vector@.halfvec::@vector@.vector else e.embedding end
    from braid_store.stored_embeddings(keep_vectors.tenant_id, keep_vectors.collection,
                                       array(select distinct unnest(keep_vectors.previous_ids))) e
    join unnest(keep_vectors.chunk_ids, keep_vectors.previous_ids) u (chunk_id, previous_id)
      on u.previous_id = e.chunk_id
    returning chunk_id
  )
  select array_agg(k.chunk_id order by k.chunk_id) into v_kept_ids from kept k;
  return coalesce(v_kept_ids, '{}');
end
$$;

comment on function braid_store.keep_vectors(int, braid_store.collections, bigint[], bigint[]) is
  'Give each new chunk the vector of its counterpart in previous_ids, in the collection''s vector space, and return '
  'the chunks that got one. The caller has locked the previous chunks, and removes their vectors afterwards.';
