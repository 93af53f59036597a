-- role: writer, administrator, monitor
-- standby: no
-- example: braid.health()
-- page: guide/doctor.md
create or replace function braid.health(older_than interval default '1 hour')
returns table (severity text, code text, subject text, finding text, reason text, command text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  -- Up to this number, tenants with the same finding have a row each.
  c_most_told constant int := 5;
  c_named constant int := 3;
begin
  if (health.older_than between interval '0' and interval '100 years') is not true then
    raise exception 'older_than is %', coalesce(health.older_than::text, 'null')
      using errcode = '22023', hint = 'Use a time from 0 to 100 years, for example ''1 hour''.';
  end if;
  if has_function_privilege('braid_calls.administrator_findings(interval)', 'execute') then
    return query
    with found as (
      select a.* from braid_calls.administrator_findings(health.older_than) a
      union
      -- This is called here and not in administrator_findings, because pg_stat_activity shows what the login may see.
      select b.* from braid_calls.vacuum_blockers(health.older_than) b
    ), counted as (
      select f.*, count(*) over w as count, row_number() over (w order by f.subject, f.finding) as place
      from found f
      window w as (partition by f.severity, f.code, f.subject ^@ 'tenant ')
    ), told as (
      select c.* from counted c where c.count <= c_most_told or c.subject !~ '^tenant '
      union all
      -- A finding that many tenants have in common is one row.
      select g.severity, g.code,
             format('%s tenants or their collections: %s, …', g.count,
                    string_agg(substr(g.subject, 8), '; ' order by g.place)),
             format('Of the first: %s', min(g.finding) filter (where g.place = 1)),
             min(g.reason) filter (where g.place = 1), min(g.command) filter (where g.place = 1), g.count, 1
      from counted g
      where g.count > c_most_told and g.subject ^@ 'tenant ' and g.place <= c_named
      group by g.severity, g.code, g.count
    )
    select t.severity, t.code, t.subject, t.finding, t.reason, t.command
    from told t
    order by t.severity desc, t.code, t.subject;
  else
    return query
    select f.*
    from braid_calls.own_findings(health.older_than) f
    order by f.severity desc, f.code, f.subject;
  end if;
end
$$;

comment on function braid.health(interval) is
  E'Look for what is wrong, or could be better: a row for each finding; no rows mean that nothing was found.\n'
  'older_than: how long something must wait or be open to count, such as a chunk without an embedding or a '
  'transaction. severity: problem if something is wrong, else advice. code: a word that names the kind of finding. '
  'subject: what the finding is about. finding: what was seen. reason: why it matters. command: what repairs it, a '
  'command to a line, in SQL unless it begins with pgbraid.\n'
  'Administrators and monitors see the server, roles and rights, and all tenants (the first 200 that have something '
  'waiting). A finding that more than five tenants share is one row. Other callers see their own tenant. The call '
  'changes nothing, and reads no large table whole.';
