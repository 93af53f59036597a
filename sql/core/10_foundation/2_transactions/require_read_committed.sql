create or replace function braid_store.require_read_committed(function_name text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception '% needs the isolation level read committed, but the transaction has %',
                    require_read_committed.function_name, current_setting('transaction_isolation')
      using errcode = '0A000', hint = 'Make the call in a transaction with the isolation level read committed.';
  end if;
end
$$;

comment on function braid_store.require_read_committed(text) is
  'Raise 0A000 unless the transaction runs at READ COMMITTED. At a higher level, the function would not see rows '
  'committed while it waited for a lock.';
