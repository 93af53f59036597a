create or replace function braid_store.restore_documents(
  tenant_id int,
  collection braid_store.collections,
  documents jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_version int := braid_store.attribute_version(restore_documents.collection.id);
  v_space braid_store.collections;
  v_document_ids bigint[];
  v_chunk_ids bigint[];
  v_given jsonb[];
  v_embedded_ids bigint[];
  v_embeddings text[];
begin
  -- Insert whole rows, so that no column can be forgotten. Ids are assigned anew, in the order of the rows.
  with stored as (
    insert into braid_store.documents overriding user value
    select (jsonb_populate_record(null::braid_store.documents, u.document || jsonb_build_object(
             'tenant_id', restore_documents.tenant_id, 'id', 0, 'collection_id', restore_documents.collection.id,
             'title_hash', hashtext(braid_store.name_key(u.document ->> 'title'))))).*
    from unnest(restore_documents.documents) with ordinality u (document, number)
    order by u.number
    returning id
  )
  select array_agg(s.id order by s.id) into v_document_ids from stored s;

  select array_agg(k.value order by u.number, k.ordinality) into v_given
  from unnest(v_document_ids, restore_documents.documents) with ordinality u (document_id, document, number),
       lateral (
         select jsonb_build_object('document_id', u.document_id) || k.value as value, k.ordinality
         from jsonb_array_elements(u.document -> 'chunks') with ordinality k
       ) k;
  with stored as (
    insert into braid_store.chunks overriding user value
    select (jsonb_populate_record(null::braid_store.chunks, u.chunk || jsonb_build_object(
             'tenant_id', restore_documents.tenant_id, 'id', 0, 'collection_id', restore_documents.collection.id,
             'attribute_version', v_version))).*
    from unnest(v_given) with ordinality u (chunk, number)
    order by u.number
    returning id
  )
  select array_agg(s.id order by s.id) into v_chunk_ids from stored s;
  perform braid_store.extend_import_documents(tenant_id, collection, v_document_ids, documents);
  if v_chunk_ids is null then
    return;
  end if;

  perform braid_store.index_chunks(restore_documents.tenant_id, restore_documents.collection, v_chunk_ids);
  perform braid_store.write_attributes(restore_documents.tenant_id, restore_documents.collection.id, v_chunk_ids,
    are_new => true);
  perform braid_store.write_sparse_rows(restore_documents.tenant_id, restore_documents.collection.id,
                                        array_agg(u.chunk_id order by u.chunk_id),
                                        array_agg(u.chunk -> 'sparse' order by u.chunk_id))
  from unnest(v_chunk_ids, v_given) u (chunk_id, chunk)
  where jsonb_typeof(u.chunk -> 'sparse') = 'object'
  having count(*) > 0;
  for v_space in select w.* from braid_store.written_spaces(restore_documents.collection) w loop
    select array_agg(u.chunk_id order by u.chunk_id), array_agg(e.embedding order by u.chunk_id)
    into v_embedded_ids, v_embeddings
    from braid_store.vector_spaces s,
         unnest(v_chunk_ids, v_given) u (chunk_id, chunk),
         lateral (select u.chunk -> 'embeddings' ->> s.embedding_model as embedding offset 0) e
    where s.id = v_space.vector_space_id and e.embedding is not null;
    if v_embedded_ids is not null then
      perform braid_store.check_embeddings(v_space, f.embeddings, 'embedding %s'),
              braid_store.write_vectors(restore_documents.tenant_id, v_space, v_embedded_ids, f.embeddings)
      from (select braid_store.parse_embeddings(v_embeddings) as embeddings offset 0) f;
    end if;
    insert into braid_store.embedding_jobs (tenant_id, collection_id, vector_space_id, chunk_id)
    select restore_documents.tenant_id, v_space.id, v_space.vector_space_id, u.chunk_id
    from unnest(v_chunk_ids) u (chunk_id)
    where u.chunk_id <> all (coalesce(v_embedded_ids, '{}'));
  end loop;
  perform braid_store.extend_import_chunks(tenant_id, collection, v_chunk_ids, v_given);
end
$$;

comment on function braid_store.restore_documents(int, braid_store.collections, jsonb[]) is
  'Store and index exported documents of a collection with their chunks as they are. None of the documents may '
  'exist. Chunks without an embedding go to the outbox.';
