create or replace function braid_store.storage_has_changed(before jsonb, now jsonb)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- After a restore of the database all numbers are others. A label may be added to an enum.
  select coalesce(before -> 'catalog' = now -> 'catalog'
                  and (before - 'types' <> now - 'types' or not before -> 'types' <@ (now -> 'types')), false);
$$;

comment on function braid_store.storage_has_changed(jsonb, jsonb) is
  'Whether rows of a synced table may be others without a trigger having been called, by what synced_storage returned '
  'before (null: never) and now.';
