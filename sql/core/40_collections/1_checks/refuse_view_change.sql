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
  'Refuse a change of a view with 0A000. The trigger''s argument names the functions to call instead.';
