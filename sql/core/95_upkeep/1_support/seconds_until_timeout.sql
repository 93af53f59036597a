create or replace function braid_store.seconds_until_timeout()
returns float8
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- transaction_timeout is of PostgreSQL 17 and later. 0 stands for no limit.
  select coalesce(min(extract(epoch from t.begun + t.timeout - clock_timestamp())), 'infinity')
  from (
    values (statement_timestamp(), current_setting('statement_timeout')::interval),
           (now(), current_setting('transaction_timeout', true)::interval)
  ) t (begun, timeout)
  where t.timeout > interval '0';
$$;

comment on function braid_store.seconds_until_timeout() is
  'Return the seconds until the server cancels this statement or transaction; infinity without a timeout.';
