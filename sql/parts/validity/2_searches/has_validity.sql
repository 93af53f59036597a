create or replace function braid_store.has_validity(collection_id int)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from braid_store.collections c
    where c.id = has_validity.collection_id and (c.parts -> 'validity')::boolean);
end
$$;

comment on function braid_store.has_validity(int) is
  'Tell whether the documents of a collection may have a validity (braid.set_validity).';
