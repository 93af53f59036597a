create or replace function braid_store.count_modification(synced_table_id int, change int)
returns int
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_setting text := format('braid.modifications_%s', count_modification.synced_table_id);
  v_before text := current_setting(v_setting, true);
  v_count int;
begin
  -- Any role can set this setting, but can harm only documents of rows that its own statement changes.
  v_count := case when v_before ~ '^[0-9]{1,6}$' then v_before::int else 0 end + change;
  perform set_config(v_setting, greatest(v_count, 0)::text, true);
  if change > 0 and v_count = 1 then
    perform set_config(format('braid.brought_%s', count_modification.synced_table_id), '', true);
  end if;
  return v_count;
end
$$;

comment on function braid_store.count_modification(int, int) is
  'Count the modifications of a synced table that have begun and whose triggers are still to come; return the number '
  'including this change. MERGE, INSERT ... ON CONFLICT DO UPDATE and WITH can give a statement several '
  'modifications.';
