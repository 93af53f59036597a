-- role: writer, definer
create or replace function braid_calls.change_metadata(
  external_id text,
  metadata jsonb,
  replace boolean,
  collection text
)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  -- check_sizes applies the same limits, in bytes.
  c_max_metadata constant int := 1000000;
  c_max_copied_metadata constant bigint := 200000000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(change_metadata.collection);
  v_document braid_store.documents;
  v_input braid_store.document_input;
  v_metadata jsonb;
  v_size bigint;
  v_version int;
  v_chunk_ids bigint[];
begin
  if jsonb_typeof(change_metadata.metadata) is distinct from 'object' then
    raise exception 'metadata is %', coalesce('a JSON ' || jsonb_typeof(change_metadata.metadata), 'null')
      using errcode = '22023', hint = 'Send a JSON object, not a string that holds JSON.';
  elsif pg_column_size(change_metadata.metadata) > c_max_metadata then
    raise exception 'metadata has % bytes, more than %', pg_column_size(change_metadata.metadata), c_max_metadata
      using errcode = '54000', hint = 'Put long values into content, or store them elsewhere.';
  end if;

  v_collection := braid_store.lock_for_writing(v_collection.id, v_tenant_id);
  select d.* into v_document
  from braid_store.documents d
  where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id
    and d.external_id = change_metadata.external_id
  for update;
  if not found then
    return false;
  end if;

  v_metadata := case when change_metadata.replace then change_metadata.metadata
                     else v_document.metadata || change_metadata.metadata end;
  -- Null removes a key at the first level. Deeper down, null is a value.
  v_metadata := v_metadata - array(select e.key from jsonb_each(v_metadata) e where e.value = 'null'
                                                                               and change_metadata.metadata ? e.key);
  if v_collection.parts is not null then
    v_input.ordinality := 1;
    v_input.external_id := v_document.external_id;
    v_input.metadata := v_metadata;
    v_metadata := (braid_store.extend_document_inputs(array[v_input], v_collection, v_tenant_id))[1].metadata;
  end if;
  v_size := pg_column_size(v_metadata)::bigint * (
    select count(*) from braid_store.chunks c where c.tenant_id = v_tenant_id and c.document_id = v_document.id);
  if pg_column_size(v_metadata) > c_max_metadata or v_size > c_max_copied_metadata then
    raise exception 'metadata of document "%" would have % bytes, in its chunks %; at most % and % are allowed',
                    left(v_document.external_id, 100), pg_column_size(v_metadata), v_size, c_max_metadata,
                    c_max_copied_metadata
      using errcode = '54000', hint = 'Remove keys, put long values into content, or store them elsewhere.';
  end if;
  v_version := braid_store.attribute_version(v_collection.id);
  update braid_store.documents d
  set metadata = v_metadata, attribute_hash = null, updated_at = now()
  where d.tenant_id = v_tenant_id and d.id = v_document.id;
  update braid_store.chunks c
  set metadata = v_metadata || coalesce((
    select jsonb_object_agg(e.key, e.value)
    from jsonb_each(c.metadata) e
    where e.value is distinct from v_document.metadata -> e.key), '{}'),
      attribute_version = v_version
  where c.tenant_id = v_tenant_id and c.document_id = v_document.id;
  insert into braid_store.changed_metadata (tenant_id, collection_id, chunk_id)
  select v_tenant_id, v_collection.id, c.id
  from braid_store.chunks c
  where c.tenant_id = v_tenant_id and c.document_id = v_document.id;
  v_chunk_ids := array(
    select c.id from braid_store.chunks c where c.tenant_id = v_tenant_id and c.document_id = v_document.id);
  perform braid_store.write_attributes(v_tenant_id, v_collection.id, v_chunk_ids);
  perform braid_store.extend_changed_chunks(v_tenant_id, v_collection, v_chunk_ids, 'metadata');
  perform braid_store.note_due(v_tenant_id, v_collection.id);
  if v_collection.parts is not null then
    perform braid_store.extend_written_documents(v_tenant_id, v_collection, array[v_document.external_id]);
  end if;
  return true;
end
$$;

comment on function braid_calls.change_metadata(text, jsonb, boolean, text) is
  'Do the work of braid.update_metadata. A chunk keeps the keys whose values differ from its document''s, because it '
  'brought them itself.';
