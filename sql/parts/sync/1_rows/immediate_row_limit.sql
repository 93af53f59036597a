create or replace function braid_store.immediate_row_limit()
returns int
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select 400;
$$;

comment on function braid_store.immediate_row_limit() is
  'Return the largest number of old and new rows of a statement that a synced table''s trigger applies itself, in '
  'mode immediate.';
