-- role: writer
create or replace function braid_calls.extend_import_collection_validity(collection text, definition jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if definition ->> 'validity' = 'true' or definition ->> 'retention_days' is not null then
    perform braid.set_validity(extend_import_collection_validity.collection,
                               coalesce((definition ->> 'validity')::boolean, false),
                               make_interval(days => (definition ->> 'retention_days')::int));
  end if;
end
$$;

comment on function braid_calls.extend_import_collection_validity(text, jsonb) is
  'Set the validity and the retention of a new collection.';
