-- role: writer
create or replace function braid_calls.extend_import_collection_decompounding(collection text, definition jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if definition ->> 'decompounding' is not null then
    perform braid.set_ranking(extend_import_collection_decompounding.collection,
                              jsonb_build_object('decompounding', definition -> 'decompounding'));
  end if;
end
$$;

comment on function braid_calls.extend_import_collection_decompounding(text, jsonb) is
  'Set the decompounding of a new collection.';
