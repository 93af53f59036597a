-- role: writer
create or replace function braid_calls.import_documents(records jsonb)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_part record;
  v_collection braid_store.collections;
  v_count bigint := 0;
begin
  perform braid_store.check_records(import_documents.records);
  for v_part in
    select r.value #>> '{document,collection}' as name,
           -- If documents share an external_id, store the last one.
           jsonb_object_agg(coalesce(r.value #>> '{document,external_id}', ''), r.value -> 'document'
             order by r.ordinality)
             as documents
    from jsonb_array_elements(import_documents.records) with ordinality r
    where r.value ? 'document'
    group by 1
    order by 1
  loop
    v_collection := braid_store.find_collection(v_part.name);
    -- The lock keeps out other writers: restore_documents inserts without looking for rows that they may insert.
    perform braid_store.lock_part(v_collection.id, v_tenant_id);
    v_collection := braid_store.lock_for_writing(v_collection.id, v_tenant_id);
    perform braid_store.delete_listed(v_tenant_id, v_collection.id,
                                      array(select jsonb_object_keys(v_part.documents)));
    begin
      perform braid_store.restore_documents(v_tenant_id, v_collection, array(
        select d.value from jsonb_each(v_part.documents) d order by d.key collate "C"));
    exception
      when invalid_parameter_value or invalid_text_representation then
        raise;
      when data_exception or integrity_constraint_violation or program_limit_exceeded then
        raise exception 'records cannot be stored: %', sqlerrm
          using errcode = '22023', hint = 'Send the records unchanged, as braid.export_tenant returned them.';
    end;
    v_count := v_count + (select count(*) from jsonb_object_keys(v_part.documents));
    perform braid_store.merge_inline(v_tenant_id, v_collection);
    perform braid_store.note_due(v_tenant_id, v_collection.id);
    if v_collection.parts is not null then
      perform braid_store.extend_written_documents(v_tenant_id, v_collection,
                                                   array(select jsonb_object_keys(v_part.documents)));
    end if;
  end loop;
  perform braid_store.extend_import(v_tenant_id, import_documents.records);
  return v_count;
end
$$;

comment on function braid_calls.import_documents(jsonb) is
  'Do the work of braid.import_tenant for documents. The tenant''s other writers to these collections wait until the '
  'transaction ends. Return the number of documents.';
