create or replace function braid_store.lock_search_log()
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  lock table braid_store.search_log_days in exclusive mode nowait;
  return true;
exception when lock_not_available then
  return false;
end
$$;

comment on function braid_store.lock_search_log() is
  'Take the lock that lets one transaction at a time do the upkeep of the search log. Return false if another '
  'transaction has it. Searches do not need this lock.';
