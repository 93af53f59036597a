create or replace function braid_store.separate_versions(
  tenant_id int,
  collection braid_store.collections,
  external_id text
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  c_first constant text := '0001-01-01T00:00:00.000000Z';
  v_key text;
  v_metadata jsonb;
  v_from text;
  v_until text;
  v_other record;
begin
  select braid_store.version_key(d.external_id, d.metadata), d.metadata into v_key, v_metadata
  from braid_store.documents d
  where d.tenant_id = separate_versions.tenant_id and d.collection_id = (separate_versions.collection).id
    and d.external_id = separate_versions.external_id;
  if v_key = external_id then
    v_metadata := braid_store.begun_metadata(tenant_id, (collection).id, external_id, v_metadata);
    perform braid_calls.change_metadata(external_id, jsonb_build_object('valid_from', v_metadata -> 'valid_from'),
                                        false, (collection).name)
    from braid_store.documents d
    where d.tenant_id = separate_versions.tenant_id and d.collection_id = (separate_versions.collection).id
      and d.external_id = separate_versions.external_id and d.metadata is distinct from v_metadata;
  end if;
  v_from := coalesce(v_metadata ->> 'valid_from', '');
  v_until := coalesce(v_metadata ->> 'valid_until', '~');
  for v_other in
    select o.* from braid_store.stored_versions(tenant_id, (collection).id, v_key) o
    where o.external_id <> separate_versions.external_id
    order by o.valid_from collate "C"
  loop
    if v_key = external_id and v_other.external_id = braid_store.version_id(v_key, nullif(v_from, '')) then
      -- A version with the valid_from of a stored one replaces it.
      perform braid_store.delete_listed(tenant_id, (collection).id, array[v_other.external_id]);
    elsif v_other.valid_from collate "C" < v_other.valid_until and v_from collate "C" < v_until
          and v_other.valid_from collate "C" < v_until and v_from collate "C" < v_other.valid_until then
      if v_other.valid_from < v_from collate "C" then
        perform braid_store.end_version(tenant_id, collection, v_other.external_id, v_from);
      elsif v_key = external_id then
        -- The document was written after all of its former versions. One that begins later was never valid.
        perform braid_store.end_version(tenant_id, collection, v_other.external_id,
                                        greatest(v_other.valid_from, c_first collate "C"));
      else
        v_until := greatest(v_other.valid_from, c_first collate "C");
        perform braid_store.end_version(tenant_id, collection, external_id, v_until);
      end if;
    end if;
  end loop;
end
$$;

comment on function braid_store.separate_versions(int, braid_store.collections, text) is
  'End other versions of a document that was written where it begins, or a former version where the next one begins. '
  'Versions that the session may not read stay as they are.';
