create or replace function braid_store.lock_part(collection_id int, tenant_id int)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- The timeout is short: writers who come after this call wait behind its lock on 'turn' until the attempt ends.
set lock_timeout = '200ms'
as $$
#variable_conflict use_column
declare
  v_slots int[] := case when lock_part.collection_id is null then '{0,1,2,3,4,5,6,7}'
                        else array[braid_store.lock_slot(lock_part.collection_id)] end;
  v_deadline timestamptz := clock_timestamp() + braid_store.lock_wait();
begin
  if lock_part.collection_id is not null then
    execute format('lock table %s in row share mode', braid_store.collection_lock(lock_part.collection_id));
  end if;
  loop
    begin
      perform
      from braid_locks.tenant_locks l
      where l.tenant_id = lock_part.tenant_id and l.slot = any (v_slots) and l.kind = 'turn'
      order by l.slot
      for update;
      perform
      from braid_locks.tenant_locks l
      where l.tenant_id = lock_part.tenant_id and l.slot = any (v_slots) and l.kind = 'writing'
      order by l.slot
      for update;
      return;
    exception when lock_not_available then
      if clock_timestamp() > v_deadline then
        perform braid_store.raise_locked(
          coalesce((select format('the tenant''s part of collection "%s"', c.name)
                    from braid_store.collections c where c.id = lock_part.collection_id), 'the tenant'),
          braid_store.row_lock_holders(array(
            select l.xmax
            from braid_locks.tenant_locks l
            where l.tenant_id = lock_part.tenant_id and l.slot = any (v_slots) and l.kind in ('turn', 'writing'))));
      end if;
    end;
    perform pg_sleep(0.1);
  end loop;
end
$$;

comment on function braid_store.lock_part(int, int) is
  'Take a tenant''s part of a collection for this session alone, until its transaction ends. collection_id null '
  'means the tenant''s parts of all collections. Try for 200 ms at a time, and let writers go on between the '
  'attempts. Raise 55P03 after lock_wait().';
