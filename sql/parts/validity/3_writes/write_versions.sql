-- role: writer
create or replace function braid_calls.write_versions(documents jsonb, collection text)
returns setof braid_store.write_result
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_most_attempts constant int := 100;
  c_most_bytes constant int := 990; -- external_id may have 1024 bytes
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(write_versions.collection);
  v_inputs braid_store.document_input[];
  v_input braid_store.document_input;
  v_long text;
  v_results braid_store.write_result[];
begin
  perform braid_store.require_read_committed('supersede_documents');
  v_inputs := braid_store.parse_documents(write_versions.documents, v_collection);
  if cardinality(v_inputs) > 0 and (v_collection.parts -> 'validity')::boolean is not true then
    raise exception 'the documents of collection "%" have no validity', v_collection.name
      using errcode = '22023', hint = 'Have an administrator call braid.set_validity.';
  end if;
  -- Two sessions that renamed and locked the versions of one document would deadlock. This lock lets other writers go
  -- on, and comes after the lock of the collection, as in lock_for_writing.
  execute format('lock table %s in row exclusive mode', braid_store.collection_lock(v_collection.id));
  perform
  from braid_locks.tenant_locks l
  where l.tenant_id = v_tenant_id and l.slot = braid_store.lock_slot(v_collection.id) and l.kind = 'writing'
  for no key update;
  select i.external_id into v_long from unnest(v_inputs) i where octet_length(i.external_id) > c_most_bytes limit 1;
  if found then
    raise exception 'external_id "%..." has % bytes', left(v_long, 100), octet_length(v_long)
      using errcode = '22023', hint = 'Give documents that are superseded an id of at most 990 bytes.';
  end if;
  for v_input in
    select i.*
    from unnest(v_inputs) i,
         lateral (
           select braid_store.stored_validity(i.metadata, i.external_id) ->> 'valid_from' as valid_from offset 0
         ) t
    -- The order of external_id lets two batches with common documents wait for each other and never deadlock.
    order by i.external_id collate "C", t.valid_from collate "C", i.ordinality
  loop
    for v_attempt in 1..c_most_attempts loop
      begin
        v_results[v_input.ordinality] := braid_store.write_version(
          v_tenant_id, v_collection, write_versions.documents -> v_input.ordinality - 1, v_input);
        exit when v_results[v_input.ordinality].status is not null;
        raise exception 'a document was written meanwhile' using errcode = 'BR001', hint = 'Call again.';
      exception when sqlstate 'BR001' then
        if v_attempt = c_most_attempts then
          raise exception 'document "%" is written by other sessions all the time', left(v_input.external_id, 100)
            using errcode = '55P03', hint = 'Call again.';
        end if;
      end;
    end loop;
  end loop;
  return query select r.* from unnest(v_results) r;
end
$$;

comment on function braid_calls.write_versions(jsonb, text) is 'Do the work of braid.supersede_documents.';
