-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.update_validity(collection text, has_validity boolean, retention interval)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections := braid_store.find_collection(update_validity.collection);
  v_wrong record;
begin
  if update_validity.has_validity is null then
    raise exception 'has_validity is null' using errcode = '22023', hint = 'Give true or false.';
  elsif not update_validity.retention between interval '1 day' and interval '100 years' then
    raise exception 'retention is %', update_validity.retention
      using errcode = '22023', hint = 'Use 1 day to 100 years, or null to keep everything.';
  end if;
  v_collection := braid_store.lock_definition(v_collection);
  if update_validity.has_validity and (v_collection.parts -> 'validity')::boolean is not true then
    perform braid_store.lock_collection(v_collection, 'exclusive');
    select d.external_id, k.key into v_wrong
    from braid_store.documents d, unnest('{valid_from,valid_until,expires_at}'::text[]) k (key)
    where d.collection_id = v_collection.id and d.metadata ? k.key
      and not braid_store.is_stored_instant(d.metadata -> k.key)
    limit 1;
    if found then
      raise exception 'document "%" of collection "%" has % in another form', left(v_wrong.external_id, 100),
                      v_collection.name, v_wrong.key
        using errcode = '22023',
              hint = 'Rename the key in such documents by braid.update_metadata, or write it as '
                     '2026-03-01T00:00:00.000000Z.';
    end if;
  end if;
  update braid_store.collections c
  set parts = braid_store.parts_with(
        c.parts, jsonb_build_object(
          'validity', case when update_validity.has_validity then true end,
          'retention_days', ceil(extract(epoch from update_validity.retention) / 86400)::int))
  where c.id = v_collection.id;
end
$$;

comment on function braid_store.update_validity(text, boolean, interval) is 'Do the work of braid.set_validity.';
