create or replace function braid_store.report_failure(tenant_id int, collection_id int, sqlstate text, message text)
returns text
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_step text := 'a step';
  v_report text;
begin
  begin
    select format('tenant "%s" in collection "%s"', t.key, c.name) into v_step
    from braid_store.tenants t, braid_store.collections c
    where t.id = report_failure.tenant_id and c.id = report_failure.collection_id;
  exception when lock_not_available then
    null; -- an installation or upgrade holds the locks, and the step failed for the same reason
  end;
  v_report := format('%s failed: %s (%s)', coalesce(v_step, 'a step'), report_failure.message, report_failure.sqlstate);
  raise warning 'maintenance of %',
    v_report using hint = 'maintain() has continued with the other work, and retries this work at its next call.';
  return v_report;
end
$$;

comment on function braid_store.report_failure(int, int, text, text) is
  'Raise a warning that a step of maintenance failed, and return the text that maintain() reports for it.';
