create or replace function braid_store.extend_document_inputs_validity(
  inout inputs braid_store.document_input[],
  collection braid_store.collections
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
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
  for v_place in select i.ordinality from unnest(inputs) i where i.metadata ?| c_keys loop
    v_metadata := braid_store.stored_validity(inputs[v_place].metadata, inputs[v_place].external_id);
    inputs[v_place].metadata := v_metadata;
    -- The same text may mean another time in a session of another time zone.
    inputs[v_place].attribute_hash := substr(sha256(inputs[v_place].attribute_hash || convert_to(
      jsonb_build_array(v_metadata -> 'valid_from', v_metadata -> 'valid_until', v_metadata -> 'expires_at')::text,
      'UTF8')), 1, 16);
  end loop;
end
$$;

comment on function braid_store.extend_document_inputs_validity(braid_store.document_input[],
                                                                braid_store.collections) is
  'Give the times of validity in the metadata of documents one form. Raise 22023 for wrong ones.';
