create or replace function braid_store.extend_document_inputs_validity(
  inout inputs braid_store.document_input[],
  collection braid_store.collections,
  tenant_id int
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  c_keys constant text[] := '{valid_from,valid_until,expires_at}';
  v_place int;
  v_wrong record;
  v_metadata jsonb;
begin
  if (collection.parts -> 'validity')::boolean is not true then
    return;
  end if;
  select i.external_id, k.key into v_wrong
  from unnest(inputs) i, jsonb_array_elements(i.chunks) c, unnest(c_keys) k (key)
  where jsonb_typeof(i.chunks) = 'array' and c.value -> 'metadata' ? k.key
  limit 1;
  if found then
    raise exception 'a chunk of document "%" has % in its metadata', left(v_wrong.external_id, 100), v_wrong.key
      using errcode = '22023', hint = 'Give it in the metadata of the document: all its chunks are valid at one time.';
  end if;
  -- A former version keeps its beginning, which is in its external_id.
  select i.external_id, d.key into v_wrong
  from unnest(inputs) i,
       lateral (
         select braid_store.version_key(d.external_id, d.metadata) as key from braid_store.documents d
         where d.tenant_id = extend_document_inputs_validity.tenant_id
           and d.collection_id = extend_document_inputs_validity.collection.id and d.external_id = i.external_id
         offset 0
       ) d
  where i.external_id like '%@%' and d.key <> i.external_id
    and d.key <> braid_store.version_key(i.external_id, braid_store.stored_validity(i.metadata, i.external_id))
  limit 1;
  if found then
    raise exception 'document "%" is the version of document "%" that begins then, and valid_from says otherwise',
                    left(v_wrong.external_id, 255), left(v_wrong.key, 100)
      using errcode = '22023',
            hint = 'Keep its valid_from, or delete it and give the other valid_from to braid.supersede_documents.';
  end if;
  for v_place in 1..cardinality(inputs) loop
    v_metadata := braid_store.begun_metadata(
      tenant_id, collection.id, inputs[v_place].external_id,
      braid_store.stored_validity(inputs[v_place].metadata, inputs[v_place].external_id));
    continue when not (v_metadata ?| c_keys or inputs[v_place].metadata ?| c_keys);
    inputs[v_place].metadata := v_metadata;
    -- The same text may mean another time in a session of another time zone.
    inputs[v_place].attribute_hash := substr(sha256(inputs[v_place].attribute_hash || convert_to(
      jsonb_build_array(v_metadata -> 'valid_from', v_metadata -> 'valid_until', v_metadata -> 'expires_at')::text,
      'UTF8')), 1, 16);
  end loop;
end
$$;

comment on function braid_store.extend_document_inputs_validity(braid_store.document_input[],
                                                                braid_store.collections, int) is
  'Give the times of validity in the metadata of documents one form, and a document with former versions a beginning. '
  'Raise 22023 for wrong ones.';
