-- This function works across tenants.
create or replace function braid_store.truncate_vectors(deleted_before bigint)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- Searches queue behind a session that waits for this lock.
set lock_timeout = '50ms'
-- The index remembers dead rows, which a scan of the table would read in each call.
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  -- A smaller table is left to vacuum.
  c_least_bytes constant bigint := 4000000;
  v_is_read boolean;
begin
  if pg_relation_size('braid_store.chunk_vectors') < c_least_bytes or truncate_vectors.deleted_before is null
     or exists (select from braid_store.chunk_vectors) then
    return true;
  elsif pg_stat_get_xact_tuples_deleted('braid_store.chunk_vectors'::regclass) > truncate_vectors.deleted_before then
    return false; -- Other sessions do not see yet that this transaction has deleted the rows.
  end if;
  -- A TRUNCATE ignores snapshots. All rows were deleted before the lock, so a snapshot taken from then on shows none.
  -- The first round spares searches the lock while others have snapshots.
  for v_round in 1..2 loop
    perform pg_stat_clear_snapshot();
    select exists (
             select from pg_stat_activity a
             where a.pid <> pg_backend_pid() and a.datname = current_database() and a.usesysid is not null
               and a.backend_xmin is not null)
           or exists (select from braid_store.chunk_vectors)
    into v_is_read;
    if v_is_read then
      return false;
    elsif v_round = 1 then
      lock table braid_store.chunk_vectors in access exclusive mode;
    end if;
  end loop;
  truncate braid_store.chunk_vectors;
  return true;
exception when lock_not_available then
  return false; -- The next call tries again, or a vacuum does it.
end
$$;

comment on function braid_store.truncate_vectors(bigint) is
  'Give back the space of chunk_vectors if all its rows have moved to shards and no session may still read them. '
  'Return false if this is left to a later call. deleted_before: what pg_stat_get_xact_tuples_deleted gave when this '
  'transaction had written nothing yet; null if that is unknown.';
