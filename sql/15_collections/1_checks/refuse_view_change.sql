create or replace function braid_store.refuse_view_change()
returns trigger
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'view %.% cannot be changed directly', tg_table_schema, tg_table_name
    using errcode = '0A000', hint = format('Call %s.', tg_argv[0]);
end
$$;

comment on function braid_store.refuse_view_change() is
  'Instead of changing a view: 0A000, with the functions that change what it shows, which are the trigger''s argument.';
