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
  -- Searches test the chunks of smaller segments one by one, and a merge joins small segments.
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
  'Tell whether chunks are missing in the lists of metadata values of a tenant''s part of a collection, or whether '
  'many have changed since they were listed.';
