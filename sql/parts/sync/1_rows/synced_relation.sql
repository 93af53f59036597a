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
  -- By its trigger, which follows the table when it is renamed, dumped and restored.
  return (
    select t.tgrelid::regclass
    from pg_trigger t
    where t.tgfoid = to_regprocedure(format('braid_store.note_rows_%s()', synced_relation.synced_table_id))
      -- Not that of a partition, which PostgreSQL has made of it.
      and t.tgparentid = 0
    -- Its owner could call the function from triggers of other tables.
    order by t.tgrelid = (select s.relation_id from braid_store.synced_tables s
                          where s.id = synced_relation.synced_table_id) desc, t.tgrelid
    limit 1);
end
$$;

comment on function braid_store.synced_relation(int) is
  'Return the table that a row of synced_tables is about; null if it was dropped.';
