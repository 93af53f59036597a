-- role: administrator
create or replace function braid_store.end_rows_or_leave(synced braid_store.synced_tables, deadline timestamptz)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return (select e.document_count from braid_store.end_rows(synced, end_rows_or_leave.deadline) e);
exception when insufficient_privilege then
  return 0;
end
$$;

comment on function braid_store.end_rows_or_leave(braid_store.synced_tables, timestamptz) is
  'Delete documents as end_rows does. If the login may not act for one of their tenants, delete none; a service''s '
  'braid.apply_changes deletes them later.';
