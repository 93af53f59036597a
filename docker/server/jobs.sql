-- Schedule pgbraid's jobs: docs/guide/pg-cron.md. Run again, it changes nothing.
create extension if not exists pg_cron;
select cron.schedule('pgbraid_changes', '10 seconds', 'select braid.apply_changes()') \g /dev/null
select cron.schedule('pgbraid_maintain', '* * * * *', $$call braid.run_maintenance('50 seconds')$$) \g /dev/null
-- pg_cron keeps a row of each run.
select cron.schedule('pgbraid_runs', '17 3 * * *',
  $$delete from cron.job_run_details where end_time < now() - '7 days'::interval$$) \g /dev/null
