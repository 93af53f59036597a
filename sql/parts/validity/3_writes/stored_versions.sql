create or replace function braid_store.stored_versions(
  tenant_id int,
  collection_id int,
  key text
)
returns table (external_id text, valid_from text, valid_until text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
begin
  return query
  select v.external_id, coalesce(v.metadata ->> 'valid_from', '') collate "C",
         coalesce(v.metadata ->> 'valid_until', '~') collate "C"
  from (values (key, key), (key || '@', key || '@'), (key || '@0', key || '@9~')) r (first, last),
       lateral (
         select d.external_id, d.metadata from braid_store.documents d
         where d.tenant_id = stored_versions.tenant_id and d.collection_id = stored_versions.collection_id
           and d.external_id between r.first and r.last
         order by d.external_id
         offset 0
       ) v
  where braid_store.version_key(v.external_id, v.metadata) = key or v.external_id = key;
end
$$;

comment on function braid_store.stored_versions(int, int, text) is
  'Return the versions of a document that the session may read. An empty text is the valid_from of a version without '
  'a beginning, ~ the valid_until of one without an end. Compare them as texts, with collate "C".';
