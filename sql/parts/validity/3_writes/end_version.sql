create or replace function braid_store.end_version(
  tenant_id int,
  collection braid_store.collections,
  external_id text,
  valid_until text
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform braid_calls.change_metadata(d.external_id, jsonb_build_object('valid_until', end_version.valid_until), false,
                                      (end_version.collection).name)
  from braid_store.documents d
  where d.tenant_id = end_version.tenant_id and d.collection_id = (end_version.collection).id
    and d.external_id = end_version.external_id
    -- A version that has ended before keeps its end.
    and ((d.metadata ->> 'valid_until') collate "C" <= end_version.valid_until) is not true;
end
$$;

comment on function braid_store.end_version(int, braid_store.collections, text, text) is
  'End the validity of a document, unless it ends before.';
