-- role: writer
create or replace function braid_calls.extend_import_collection_sparse_encoders(collection text, definition jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if definition ->> 'sparse_encoder' is not null then
    perform braid.set_ranking(extend_import_collection_sparse_encoders.collection,
                              jsonb_build_object('sparse_encoder', definition -> 'sparse_encoder'));
  end if;
end
$$;

comment on function braid_calls.extend_import_collection_sparse_encoders(text, jsonb) is
  'Set the sparse encoder of a new collection.';
