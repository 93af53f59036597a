create or replace function braid_store.extend_written_chunks_reranking(
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
  v_given record;
  v_chunk_id bigint;
  v_vectors @vector@.halfvec[];
begin
  if extend_written_chunks_reranking.previous_ids is not null then
    insert into braid_store.token_vectors (tenant_id, collection_id, chunk_id, embedding_model, dimensions, vectors)
    select extend_written_chunks_reranking.tenant_id, t.collection_id, u.chunk_id, t.embedding_model, t.dimensions,
      t.vectors
    from unnest(extend_written_chunks_reranking.chunk_ids, extend_written_chunks_reranking.previous_ids) u (chunk_id,
      previous_id),
         lateral (
           select t.* from braid_store.token_vectors t
           where t.tenant_id = extend_written_chunks_reranking.tenant_id
             and t.collection_id = extend_written_chunks_reranking.collection.id
             and t.chunk_id = u.previous_id
           offset 0
         ) t;
  end if;
  -- Few writes have token vectors, and a new session needs long to plan the statements below.
  if not exists (
    select from unnest(extend_written_chunks_reranking.inputs) i
    where i.parts ? 'token_vectors' or jsonb_path_exists(i.chunks, '$[*].token_vectors'))
  then
    return;
  end if;
  -- Store one chunk at a time: all together may be too large for an array.
  for v_given in
    select ch.document_id, g.chunk_index, g.token_vectors,
           format('token_vectors of document "%s"%s', left(i.external_id, 100),
                  case when i.chunks is not null then ' chunk ' || g.chunk_index + 1 end) as name
    from unnest(extend_written_chunks_reranking.inputs) i
    join unnest(extend_written_chunks_reranking.changes) ch on ch.ordinality = i.ordinality,
    lateral (
      select 0 as chunk_index, i.parts -> 'token_vectors' as token_vectors
      union all
      select c.ordinality::int - 1, c.value -> 'token_vectors' from jsonb_array_elements(i.chunks) with ordinality c
    ) g
    where jsonb_typeof(g.token_vectors) <> 'null'
  loop
    perform braid_store.check_token_model(collection, null, v_given.name);
    v_vectors := braid_store.parse_token_vectors(v_given.token_vectors, v_given.name);
    if cardinality(v_vectors) not between 1 and (collection.parts ->> 'token_vector_count')::int then
      raise exception '% has % elements', v_given.name, cardinality(v_vectors)
        using errcode = '22023',
              hint = format('Give each chunk 1 to %s token vectors, by pooling them. Or have an administrator raise '
                            'this limit with braid.set_token_vectors.',
                              (collection.parts ->> 'token_vector_count')::int);
    end if;
    perform braid_store.check_token_vectors(collection, v_vectors, v_given.name);
    select k.id into strict v_chunk_id
    from braid_store.chunks k
    where k.tenant_id = extend_written_chunks_reranking.tenant_id and k.document_id = v_given.document_id
      and k.chunk_index = v_given.chunk_index;
    perform braid_store.write_token_vectors(
      tenant_id, collection, array[v_chunk_id],
      array(select @vector@.l2_normalize(u.vector) from unnest(v_vectors) with ordinality u (vector, place)
        order by u.place),
      array[cardinality(v_vectors)]);
  end loop;
end
$$;

comment on function braid_store.extend_written_chunks_reranking(int, braid_store.collections,
                                                                braid_store.document_input[],
                                                                braid_store.document_change[], bigint[], bigint[]) is
  'Store the token vectors given with new and replaced documents or their chunks. A chunk without any takes over the '
  'token vectors of the previous chunk with the same text. Raise 22023 for vectors that the collection cannot store. '
  'previous_ids: for each of chunk_ids, the previous chunk, or null; null if there are none.';
