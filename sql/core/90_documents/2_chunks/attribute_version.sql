create or replace function braid_store.attribute_version(collection_id int)
returns int
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return (
    select coalesce(max(a.id), 0)
    from braid_store.indexed_attributes a
    where a.collection_id = attribute_version.collection_id and a.removed_at is null);
end
$$;

comment on function braid_store.attribute_version(int) is
  'Return the id of the newest indexed attribute of a collection; 0 if it has none.';
