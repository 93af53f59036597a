-- role: service
-- tenants: all
create or replace function braid_store.fail_sync(synced_table_id int, error text)
returns text
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_synced braid_store.synced_tables;
begin
  update braid_store.synced_tables s
  set last_error = left(fail_sync.error, 1000),
      -- Phase lost stops the trigger: its changes could not be applied.
      phase = case when s.phase = 'end' or exists (select from braid_store.collections c where c.id = s.collection_id)
                        and (s.fixed_tenant_id is null
                             or exists (select from braid_store.tenants t where t.id = s.fixed_tenant_id))
                   then s.phase else 'lost' end
  where s.id = any (array(
    -- Another worker may be working on it by now.
    select o.id from braid_store.synced_tables o where o.id = fail_sync.synced_table_id for update skip locked))
  returning s.* into v_synced;
  if v_synced.phase = 'lost' and braid_store.synced_relation(v_synced.id) is not null then
    perform braid_store.write_note_function(v_synced, braid_store.synced_relation(v_synced.id));
  end if;
  return format('%s: %s', (select s.table_name from braid_store.synced_tables s where s.id = fail_sync.synced_table_id),
                left(fail_sync.error, 1000));
end
$$;

comment on function braid_store.fail_sync(int, text) is
  'Record why a synced table could not be applied, and return the reason as a warning. If its collection or tenant '
  'was dropped, its trigger does nothing from then on.';
