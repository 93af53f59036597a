-- role: reader
-- example: braid.current_principals()
-- page: guide/permissions.md
create or replace function braid.current_principals()
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return braid_calls.own_principals();
end
$$;

comment on function braid.current_principals() is
  E'Return the principals for which this session reads documents, with the groups that they are in.\n'
  'Null means that the session reads all documents of its tenant. An empty array means that it reads only documents '
  'without access.';
