-- role: definer
-- tenants: all
-- Policies hide the versions that it looks for.
create or replace function braid_store.overlapping_versions(collection_id int, external_ids text[])
returns text[]
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_tenant_id int := braid_calls.session_tenant_id();
begin
  return array(
    select w.external_id
    from unnest(overlapping_versions.external_ids) u (external_id),
         lateral (
           select d.external_id, braid_store.version_key(d.external_id, d.metadata) as key,
                  coalesce(d.metadata ->> 'valid_from', '') collate "C" as valid_from,
                  coalesce(d.metadata ->> 'valid_until', '~') collate "C" as valid_until
           from braid_store.documents d
           where d.tenant_id = v_tenant_id and d.collection_id = overlapping_versions.collection_id
             and d.external_id between u.external_id and u.external_id
           order by d.external_id
           offset 0
         ) w
    where exists (
      select from braid_store.stored_versions(v_tenant_id, overlapping_versions.collection_id, w.key) o
      where o.external_id <> w.external_id
        and (o.valid_from < w.valid_until and w.valid_from < o.valid_until
             and o.valid_from < o.valid_until collate "C" and w.valid_from < w.valid_until
             or w.key = w.external_id and o.external_id = braid_store.version_id(w.key, nullif(w.valid_from, ''))))
    order by w.external_id);
end
$$;

comment on function braid_store.overlapping_versions(int, text[]) is
  'Return which of the given documents of the session''s tenant are valid at the same time as another version, or are '
  'the latest version and begin like a former one. Versions that the session may not read count.';
