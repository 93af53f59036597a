create or replace function braid_store.extend_written_chunks_static_embeddings(
  tenant_id int,
  collection braid_store.collections,
  inputs braid_store.document_input[],
  changes braid_store.document_change[],
  chunk_ids bigint[],
  previous_ids bigint[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_waiting_ids bigint[];
begin
  select array_agg(j.chunk_id) into v_waiting_ids
  from braid_store.vector_spaces s
  join braid_store.static_embedders e on e.name = s.embedding_model and e.dimensions = s.dimensions,
       unnest(extend_written_chunks_static_embeddings.chunk_ids) u (id),
       lateral (
         select j.chunk_id from braid_store.embedding_jobs j
         where j.tenant_id = extend_written_chunks_static_embeddings.tenant_id
           and j.collection_id = (extend_written_chunks_static_embeddings.collection).id
           and j.vector_space_id = s.id and j.chunk_id = u.id
         offset 0
       ) j
  where s.id = (extend_written_chunks_static_embeddings.collection).vector_space_id;
  perform braid_store.embed_chunks(
    extend_written_chunks_static_embeddings.tenant_id, w, e, extend_written_chunks_static_embeddings.chunk_ids)
  from braid_store.written_spaces(extend_written_chunks_static_embeddings.collection) w
  join braid_store.vector_spaces s on s.id = w.vector_space_id
  join braid_store.static_embedders e on e.name = s.embedding_model and e.dimensions = s.dimensions;
  if v_waiting_ids is not null then
    perform braid_store.extend_changed_chunks(
      extend_written_chunks_static_embeddings.tenant_id, extend_written_chunks_static_embeddings.collection,
      v_waiting_ids, 'vectors');
  end if;
end
$$;

comment on function braid_store.extend_written_chunks_static_embeddings(int, braid_store.collections,
                                                                        braid_store.document_input[],
                                                                        braid_store.document_change[], bigint[],
                                                                        bigint[]) is
  'Embed new chunks that came without a vector, in each vector space whose model is a static embedder.';
