-- role: service
create or replace function braid_store.synced_filter(fields jsonb)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- See synced_value: "is true" would call a cast of the column's type to boolean, and the cast could be any role's
  -- function.
  select case when synced_filter.fields ? 'filter'
              then format('format(''%%s'', t.%I) = ''t''', synced_filter.fields -> 'filter' ->> 0)
              else 'true' end;
$$;

comment on function braid_store.synced_filter(jsonb) is
  'Return SQL that tells whether a row t of a synced table is to be a document.';
