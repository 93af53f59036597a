-- role: service
-- example: braid.run_maintenance(time_budget => '1 second')
-- page: guide/maintain.md
create or replace procedure braid.run_maintenance(
  time_budget interval default null,
  inout result jsonb default null
)
language plpgsql
security invoker
as $$
-- PostgreSQL refuses COMMIT in a procedure with a SET clause. So the session's search_path is in force here, and every
-- name and operator has its schema.
declare
  c_waits constant pg_catalog.int4 := 10;
  v_deadline pg_catalog.timestamptz;
  v_seconds_to_wait pg_catalog.float8;
  v_waits pg_catalog.int4 := 0;
begin
  v_deadline := pg_catalog.clock_timestamp() operator(pg_catalog.+) time_budget;
  result := null;
  -- Within a transaction of the caller, this is an error before anything is done.
  commit;
  loop
    select s.result, s.seconds_to_wait into result, v_seconds_to_wait
    from braid_store.continue_maintenance(v_deadline, result) s;
    commit;
    v_waits := case when v_seconds_to_wait operator(pg_catalog.>) 0 then v_waits operator(pg_catalog.+) 1 else 0 end;
    exit when v_seconds_to_wait is null or v_waits operator(pg_catalog.>) c_waits;
    perform pg_catalog.pg_sleep(v_seconds_to_wait);
  end loop;
end
$$;

comment on procedure braid.run_maintenance(interval, jsonb) is
  E'Do all the upkeep that is due, for every tenant, and commit after each step.\n'
  'This procedure calls maintain() until nothing is left, or the time is over, or the rest waits for other sessions. '
  'maintain() itself is never complete after it has built a vector index, because what follows needs another '
  'transaction. Use it in psql or in a job of pg_cron, as the only statement: a transaction of yours would be '
  'refused.\n'
  'time_budget: how long it may take, as in maintain(). Null, the default, means without a limit.\n'
  'result: the result of all calls of maintain(), added up; complete and seconds_needed are of the last one. Leave it '
  'out.';
