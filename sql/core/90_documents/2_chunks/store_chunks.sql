create or replace function braid_store.store_chunks(
  tenant_id int,
  collection braid_store.collections,
  inputs braid_store.document_input[],
  changes braid_store.document_change[],
  embeddings @vector@.vector[],
  previous braid_store.previous_chunk[]
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
  -- Read the version before writing the rows: they may then cover newer attributes, but never miss one of this version.
  v_version int := braid_store.attribute_version(store_chunks.collection.id);
  v_chunk_ids bigint[];
  v_embeddings text[];
  v_embedded_ids bigint[];
  v_names text[];
  v_vectors @vector@.vector[];
  v_sparse_ids bigint[];
  v_sparse jsonb[];
  v_termless_ids bigint[];
  v_previous_ids bigint[];
begin
  with new_chunks as materialized (
    select ch.document_id, dc.*
    from braid_store.document_chunks(store_chunks.collection,
           case when cardinality(store_chunks.changes) = cardinality(store_chunks.inputs) then store_chunks.inputs
                else array(
                  select i
                  from unnest(store_chunks.inputs) i
                  where i.ordinality in (select ch.ordinality from unnest(store_chunks.changes) ch)) end) dc
    join unnest(store_chunks.changes) ch on ch.ordinality = dc.ordinality
  ), stored as (
    insert into braid_store.chunks (tenant_id, collection_id, document_id, chunk_index, content, token_count, speaker,
                                    category, importance, occurred_at, language, metadata, attribute_version)
    select store_chunks.tenant_id, store_chunks.collection.id, n.document_id, n.chunk_index, n.content, n.token_count,
           n.speaker, n.category, n.importance, n.occurred_at, n.language, n.metadata, v_version
    from new_chunks n
    order by n.ordinality, n.chunk_index
    returning id, document_id, chunk_index
  )
  select array_agg(s.id order by s.id),
         array_agg(s.id order by s.id) filter (where n.embedding is not null),
         array_agg(n.embedding order by s.id) filter (where n.embedding is not null),
         array_agg(n.embedding_name order by s.id) filter (where n.embedding is not null),
         array_agg(s.id order by s.id) filter (where n.sparse <> '{}'),
         array_agg(n.sparse order by s.id) filter (where n.sparse <> '{}'),
         array_agg(s.id) filter (where n.sparse is null)
  into v_chunk_ids, v_embedded_ids, v_embeddings, v_names, v_sparse_ids, v_sparse, v_termless_ids
  from stored s
  join new_chunks n on n.document_id = s.document_id and n.chunk_index = s.chunk_index;

  perform braid_store.index_chunks(store_chunks.tenant_id, store_chunks.collection, v_chunk_ids);

  if v_sparse_ids is not null then
    perform braid_store.write_sparse_rows(store_chunks.tenant_id, store_chunks.collection.id, v_sparse_ids, v_sparse);
  end if;

  if v_version > 0 then
    perform braid_store.write_attributes(store_chunks.tenant_id, store_chunks.collection.id, v_chunk_ids,
      are_new => true);
  end if;

  if store_chunks.embeddings is null then
    v_vectors := braid_store.parse_embeddings(v_embeddings, v_names);
  else
    v_vectors := array(
      select store_chunks.embeddings[u.place::numeric::int]
      from unnest(v_embeddings) with ordinality u (place, number)
      order by u.number);
  end if;
  if store_chunks.previous is not null then
    v_previous_ids := braid_store.unchanged_chunks(tenant_id, collection, v_chunk_ids, previous);
    perform braid_store.keep_sparse_rows(tenant_id, collection.id, array_agg(u.chunk_id), array_agg(u.previous_id))
    from unnest(v_chunk_ids, v_previous_ids) u (chunk_id, previous_id)
    where u.previous_id is not null and u.chunk_id in (select unnest(v_termless_ids))
    having count(*) > 0;
  end if;
  perform braid_store.place_embeddings(
    tenant_id, collection, v_chunk_ids, v_embedded_ids, v_vectors, v_names, v_previous_ids);
  perform braid_store.extend_written_chunks(tenant_id, collection, inputs, changes, v_chunk_ids, v_previous_ids);
end
$$;

comment on function braid_store.store_chunks(int, braid_store.collections, braid_store.document_input[],
                                             braid_store.document_change[], @vector@.vector[],
                                             braid_store.previous_chunk[]) is
  'Store and index the chunks of new and replaced documents. A chunk without an embedding gets the vector of a '
  'previous chunk with the same text, or goes to the outbox if there is none. A chunk without sparse terms gets the '
  'previous chunk''s terms. embeddings: the vectors that inputs name by their place; null if inputs hold their '
  'vectors. previous: the chunks of replaced documents, deleted already except for their vectors and sparse terms; '
  'null if there are none.';
