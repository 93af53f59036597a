create or replace function braid_store.has_due_lists(tenant_id int, collection_id int)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- The chunks of smaller segments are tested one by one. A merge joins these.
  c_least_listed constant int := 1000;
begin
  return exists (
    select from braid_store.segments s
    where s.tenant_id = has_due_lists.tenant_id and s.collection_id = has_due_lists.collection_id
      and s.chunk_count >= c_least_listed and s.listed_count < s.chunk_count)
    or braid_store.has_many_changes(has_due_lists.tenant_id, has_due_lists.collection_id);
end
$$;

comment on function braid_store.has_due_lists(int, int) is
  'Tell whether chunks of a tenant''s part of a collection should be in lists of metadata values and are not, or '
  'many have been changed since.';
