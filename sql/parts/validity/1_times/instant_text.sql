create or replace function braid_store.instant_text(instant timestamptz)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
$$;

comment on function braid_store.instant_text(timestamptz) is
  'Return a time of the years 1 to 9999 in the form in which metadata stores it. Texts of this form are in the order '
  'of their times.';
