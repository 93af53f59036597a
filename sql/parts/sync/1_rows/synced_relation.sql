-- role: service
-- tenants: all
create or replace function braid_store.synced_relation(synced_table_id int)
returns regclass
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- The trigger identifies the table: it follows renames, dumps and restores.
  return (
    select t.tgrelid::regclass
    from pg_trigger t
    where t.tgfoid = to_regprocedure(format('braid_store.note_rows_%s()', synced_relation.synced_table_id))
      -- Skip the copies of the trigger that PostgreSQL makes on partitions.
      and t.tgparentid = 0
    -- The owner could call the function from triggers of other tables; the recorded table comes first.
    order by t.tgrelid = (select s.relation_id from braid_store.synced_tables s
                          where s.id = synced_relation.synced_table_id) desc, t.tgrelid
    limit 1);
end
$$;

comment on function braid_store.synced_relation(int) is
  'Return the table that a row of synced_tables is about; null if it was dropped.';
