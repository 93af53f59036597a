-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.replace_attributes(indexed_attributes jsonb, collection text)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_has_changed boolean;
  v_collection braid_store.collections := braid_store.find_collection(replace_attributes.collection);
begin
  perform braid_store.check_indexed_attributes(replace_attributes.indexed_attributes);
  -- Lock before taking an id, because ids must grow in the order of commits. The lock also waits for a drop of the
  -- collection.
  v_collection := braid_store.lock_definition(v_collection);

  update braid_store.indexed_attributes a
  set removed_at = clock_timestamp()
  where a.collection_id = v_collection.id and a.removed_at is null
    and not exists (select from braid_store.check_indexed_attributes(replace_attributes.indexed_attributes) d
                    where d.name = a.name and d.type = a.type);
  v_has_changed := found;
  insert into braid_store.indexed_attributes (collection_id, name, type)
  select v_collection.id, d.name, d.type
  from braid_store.check_indexed_attributes(replace_attributes.indexed_attributes) d
  where not exists (select from braid_store.indexed_attributes a
                    where a.collection_id = v_collection.id and a.removed_at is null and a.name = d.name);
  if v_has_changed or found then
    perform braid_store.note_collection(v_collection.id);
  end if;
end
$$;

comment on function braid_store.replace_attributes(jsonb, text) is
  'Do the work of braid.set_indexed_attributes.';
