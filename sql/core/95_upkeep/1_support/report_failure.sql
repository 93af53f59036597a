create or replace function braid_store.report_failure(tenant_id int, collection_id int, sqlstate text, message text)
returns text
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_report text := format(
    '%s failed: %s (%s)',
    coalesce(
      (select format('tenant "%s" in collection "%s"', t.key, c.name)
       from braid_store.tenants t, braid_store.collections c
       where t.id = report_failure.tenant_id and c.id = report_failure.collection_id),
      'a step'),
    report_failure.message, report_failure.sqlstate);
begin
  raise warning 'maintenance of %', v_report using hint = 'maintain() has gone on with the others, and tries this one again.';
  return v_report;
end
$$;

comment on function braid_store.report_failure(int, int, text, text) is
  'Raises a warning that a step of maintenance failed, and returns the text that maintain() reports for it.';
