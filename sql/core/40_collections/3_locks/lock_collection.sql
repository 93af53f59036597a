create or replace function braid_store.lock_collection(collection braid_store.collections, mode text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- The timeout is short because writers that come after this request wait behind it.
set lock_timeout = '200ms'
as $$
declare
  v_table text := braid_store.collection_lock(collection.id);
  v_deadline timestamptz := clock_timestamp() + braid_store.lock_wait();
begin
  loop
    begin
      execute format('lock table %s in %s mode', v_table, lock_collection.mode);
      return;
    exception when lock_not_available then
      if clock_timestamp() > v_deadline then
        perform braid_store.raise_locked(format('collection "%s"', collection.name), braid_store.lock_holders(
          array[v_table::regclass],
          case lock_collection.mode when 'exclusive' then '{RowShareLock}' else '{}' end::text[]
          || '{RowExclusiveLock,ShareRowExclusiveLock,ExclusiveLock}'::text[]));
      end if;
    end;
    perform pg_sleep(0.1);
  end loop;
end
$$;

comment on function braid_store.lock_collection(braid_store.collections, text) is
  'Lock a collection until the transaction ends, in a mode that keeps out writers (see collection_lock). Each '
  'attempt waits 200 ms at most, and writers go on between attempts. Raise 55P03 after lock_wait().';
