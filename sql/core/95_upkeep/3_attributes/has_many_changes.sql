create or replace function braid_store.has_many_changes(tenant_id int, collection_id int)
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
  c_many constant int := 1000;
begin
  return (
    select count(*) > least(c_many, (
             select coalesce(sum(s.chunk_count), 0) / 100 from braid_store.segments s
             where s.tenant_id = has_many_changes.tenant_id and s.collection_id = has_many_changes.collection_id))
    from (
      select from braid_store.changed_metadata g
      where g.tenant_id = has_many_changes.tenant_id and g.collection_id = has_many_changes.collection_id
      limit c_many + 1
    ) g);
end
$$;

comment on function braid_store.has_many_changes(int, int) is
  'Tell whether the metadata of more than 1 % of a part''s chunks, or of more than 1000, has changed since it was '
  'listed.';
