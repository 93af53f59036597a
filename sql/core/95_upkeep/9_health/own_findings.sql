-- role: writer
create or replace function braid_calls.own_findings(older_than interval)
returns table (severity text, code text, subject text, finding text, reason text, command text)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select f.*
  from braid_store.tenant_findings(braid_store.tenant_id_of_user(), braid_calls.session_tenant_key(),
                                   own_findings.older_than, clock_timestamp() + interval '2 seconds') f
  union all
  select f.* from braid_store.shard_findings(braid_store.tenant_id_of_user(), braid_calls.session_tenant_key()) f;
end
$$;

comment on function braid_calls.own_findings(interval) is
  'Do the work of braid.health for callers who are neither administrators nor monitors.';
