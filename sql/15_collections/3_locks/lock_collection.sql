create or replace function braid_store.lock_collection(collection braid_store.collections, mode text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- Whoever comes later waits behind a request that waits.
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
  'Takes the lock of a collection in a mode that excludes writers, until the transaction ends. It asks for it in short tries: '
  'writers wait behind none of them for long. Raises 55P03 when lock_wait is over.';
