create or replace function braid_store.storage_has_changed(before jsonb, now jsonb)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- After a restore of the database, object numbers cannot be compared. A label added to an enum changes no row.
  select coalesce(before -> 'catalog' = now -> 'catalog'
                  and (before - 'types' <> now - 'types' or not before -> 'types' <@ (now -> 'types')), false);
$$;

comment on function braid_store.storage_has_changed(jsonb, jsonb) is
  'Tell whether rows of a synced table may have changed without a trigger call. before and now: results of '
  'synced_storage; before is null if there is none.';
