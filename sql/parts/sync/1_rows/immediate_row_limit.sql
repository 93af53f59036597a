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
  'How many old and new rows of a statement the trigger of a synced table brings over itself, in mode immediate.';
