-- role: writer, definer
create or replace function braid_calls.write_documents(
  documents jsonb,
  collection text,
  embeddings @vector@.vector[] default null
)
returns setof braid_store.write_result
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- These settings also hold in the functions called from here. Planning for one document would cost more than storing
-- it.
set plan_cache_mode = force_generic_plan
-- Rows of documents are wide, and sorts and hashes of a batch would spill to files.
set work_mem = '64MB'
set jit = off
as $$
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(write_documents.collection);
  v_inputs braid_store.document_input[] := braid_store.parse_documents(write_documents.documents, v_collection,
                                                                       write_documents.embeddings);
  v_changes braid_store.document_change[];
  v_rewritten braid_store.document_change[];
  v_updated_ids bigint[];
  v_updated_chunk_ids bigint[];
  v_is_replaced boolean; -- True if any document was replaced.
  v_previous braid_store.previous_chunk[];
  v_previous_ids bigint[];
begin
  v_collection := braid_store.lock_for_writing(v_collection.id, v_tenant_id);
  if v_collection.default_occurred_at = 'now' then
    v_inputs := braid_store.date_documents(v_tenant_id, v_collection.id, v_inputs);
  end if;
  if v_collection.parts is not null then
    v_inputs := braid_store.extend_document_inputs(v_inputs, v_collection, v_tenant_id);
  end if;
  select array_agg(c), array_agg(c) filter (where c.status in ('inserted', 'replaced')),
         array_agg(c.document_id) filter (where c.status = 'updated'), bool_or(c.status = 'replaced')
  into v_changes, v_rewritten, v_updated_ids, v_is_replaced
  from braid_store.store_documents(v_tenant_id, v_collection.id, v_inputs) c;

  if exists (select from unnest(v_inputs) i where i.parts is not null) then
    perform braid_store.extend_stored_documents(v_tenant_id, v_collection, v_inputs, v_changes);
  end if;
  if v_updated_ids is not null then
    v_updated_chunk_ids := array(
      select k.id
      from unnest(v_updated_ids) u (document_id),
           lateral (
             select k.id from braid_store.chunks k
             where k.tenant_id = v_tenant_id and k.document_id between u.document_id and u.document_id
             order by k.document_id
             offset 0
           ) k);
    perform braid_store.write_attributes(v_tenant_id, v_collection.id, v_updated_chunk_ids);
    perform braid_store.extend_changed_chunks(v_tenant_id, v_collection, v_updated_chunk_ids, 'metadata');
  end if;
  if v_rewritten is not null then
    if v_is_replaced then
      v_previous := braid_store.previous_chunks(v_tenant_id, v_collection, v_rewritten);
    end if;
    if v_previous is not null then
      v_previous_ids := array(select p.chunk_id from unnest(v_previous) p order by p.chunk_id);
      perform braid_store.remove_chunks(v_tenant_id, v_collection.id, v_previous_ids, keeps_vectors => true);
    end if;
    perform braid_store.store_chunks(
      v_tenant_id, v_collection, v_inputs, v_rewritten, write_documents.embeddings, v_previous);
    if v_previous is not null then
      perform braid_store.remove_vectors(v_tenant_id, v_collection.id, v_previous_ids);
      perform braid_store.remove_sparse_rows(v_tenant_id, v_collection.id, v_previous_ids);
    end if;
    perform braid_store.merge_inline(v_tenant_id, v_collection);
  end if;
  if v_rewritten is not null or v_updated_ids is not null then
    perform braid_store.note_due(v_tenant_id, v_collection.id);
  end if;
  if v_collection.parts is not null and v_changes is not null then
    perform braid_store.extend_written_documents(v_tenant_id, v_collection, array(
      select i.external_id
      from unnest(v_inputs) i
      join unnest(v_changes) c on c.ordinality = i.ordinality
      where c.status <> 'unchanged'));
  end if;

  return query
  select i.external_id, d.id,
         -- A later document of this batch with the same external_id supersedes this one.
         coalesce(c.status, 'superseded'),
         (select count(*)::int
          from (
            select from braid_store.chunks k
            where k.tenant_id = v_tenant_id and k.document_id between d.id and d.id
            order by k.document_id
            offset 0
          ) k)
  from unnest(v_inputs) i
  left join unnest(v_changes) c on c.ordinality = i.ordinality
  cross join lateral (
    select coalesce(c.document_id, (
             select d.id from braid_store.documents d
             where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id
               and d.external_id between i.external_id and i.external_id
             order by d.external_id
             limit 1
           )) as id
    offset 0
  ) d
  order by i.ordinality;
end
$$;

comment on function braid_calls.write_documents(jsonb, text, @vector@.vector[]) is
  'Do the work of braid.upsert_documents and braid.upsert_embedded_documents in one transaction: documents, chunks, '
  'postings, vectors and embedding jobs. embeddings: null if documents hold their embeddings themselves.';
