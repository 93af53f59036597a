create or replace function braid_store.extend_written_documents_validity(
  tenant_id int,
  collection braid_store.collections,
  external_ids text[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_overlapping text[];
begin
  if (collection.parts -> 'validity')::boolean is not true then
    return;
  end if;
  v_overlapping := braid_store.overlapping_versions(collection.id, external_ids);
  if v_overlapping = '{}' then
    return;
  end if;
  for v_place in 1..cardinality(v_overlapping) loop
    perform braid_store.separate_versions(tenant_id, collection, v_overlapping[v_place]);
  end loop;
  v_overlapping := braid_store.overlapping_versions(collection.id, v_overlapping);
  if v_overlapping <> '{}' then
    raise exception 'external_id "%" cannot be written by this session', left(v_overlapping[1], 100)
      using errcode = '42501',
            hint = 'Use another external_id, or ask for one of the principals that may read the document.';
  end if;
end
$$;

comment on function braid_store.extend_written_documents_validity(int, braid_store.collections, text[]) is
  'Let no two versions of a document be valid at one time. Raise 42501, as for a document that is hidden from the '
  'session, if a version that is hidden would have to change.';
