-- role: service
-- tenants: all
create or replace function braid_store.compare_documents(synced_table_id int, tenant text, documents jsonb)
returns table (external_id text, problem text)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_collection braid_store.collections;
  v_inputs braid_store.document_input[];
  v_document jsonb;
begin
  select c.* into v_collection
  from braid_store.synced_tables s
  join braid_store.collections c on c.id = s.collection_id
  where s.id = compare_documents.synced_table_id;
  begin
    v_inputs := braid_store.parse_documents(compare_documents.documents, v_collection);
  exception when data_exception or program_limit_exceeded or undefined_object then
    -- One of the documents is invalid, and the error does not say which.
    if jsonb_array_length(compare_documents.documents) > 1 then
      for v_document in select d.value from jsonb_array_elements(compare_documents.documents) d loop
        return query
        select * from braid_store.compare_documents(synced_table_id, tenant, jsonb_build_array(v_document));
      end loop;
      return;
    end if;
  end;
  return query
  select d.value ->> 'external_id', case when s.external_id is null then 'row without document'
    else 'document differs from row' end
  from jsonb_array_elements(compare_documents.documents) with ordinality d
  left join braid_store.stored_rows(
    compare_documents.synced_table_id, compare_documents.tenant,
    array(select d.value ->> 'external_id' from jsonb_array_elements(compare_documents.documents) d)) s
    on s.external_id = d.value ->> 'external_id'
  left join unnest(v_inputs) i on i.ordinality = d.ordinality
  where s.external_id is null or s.content_hash is distinct from i.content_hash
     or s.attribute_hash is distinct from i.attribute_hash
  order by d.ordinality;
end
$$;

comment on function braid_store.compare_documents(int, text, jsonb) is
  'Return the documents of a synced table''s rows that are not stored, or are stored differently.';
