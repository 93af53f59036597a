-- role: writer
create or replace function braid_calls.insert_standing_query(
  name text,
  query_text text,
  query_embedding @vector@.vector,
  filters jsonb,
  collection text,
  match text,
  semantic_min_score float8,
  options jsonb
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform braid_store.write_standing_query(
    braid_store.tenant_id_for_writing(), braid_store.find_collection(insert_standing_query.collection),
    insert_standing_query.name, insert_standing_query.query_text, insert_standing_query.query_embedding,
    insert_standing_query.filters, insert_standing_query.match, insert_standing_query.semantic_min_score,
    insert_standing_query.options, now());
end
$$;

comment on function braid_calls.insert_standing_query(text, text, @vector@.vector, jsonb, text, text, float8,
                                                      jsonb) is
  'Do the work of braid.create_standing_query.';
