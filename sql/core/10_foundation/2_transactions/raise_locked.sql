create or replace function braid_store.raise_locked(locked text, holders text)
returns void
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception '% is in use by %', raise_locked.locked, coalesce(raise_locked.holders, 'a transaction')
    using errcode = '55P03',
          detail = format('Gave up after %s seconds; nothing was changed.',
            extract(epoch from braid_store.lock_wait())::int),
          hint = 'Call again when that transaction has ended. End a forgotten transaction with '
                 'pg_terminate_backend(...), and a prepared transaction with rollback prepared or commit prepared.';
end
$$;

comment on function braid_store.raise_locked(text, text) is
  'Raise 55P03: the object named in locked is in use by holders, described by lock_holders or row_lock_holders. Null '
  'holders are unknown.';
