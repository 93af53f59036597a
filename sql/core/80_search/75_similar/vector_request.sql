create or replace function braid_store.vector_request(
  tenant_id int,
  collection braid_store.collections,
  options braid_store.search_options,
  min_score float8,
  filters jsonb,
  condition text
)
returns braid_store.search_request
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_request braid_store.search_request;
begin
  v_request.tenant_id := tenant_id;
  v_request.collection := collection;
  -- The score of these searches is the similarity alone, so neighbours add nothing.
  v_request.collection.neighbour_weight := 0;
  v_request.collection.document_weight := 0;
  v_request.legs := 'semantic';
  v_request.options := options;
  v_request.min_score := min_score;
  v_request.filters := filters;
  v_request.filter := braid_store.narrow_filter(braid_store.compile_filter(filters, tenant_id, collection.id),
    condition);
  return v_request;
end
$$;

comment on function braid_store.vector_request(int, braid_store.collections, braid_store.search_options, float8, jsonb,
                                               text) is
  'Make the request of a search by a stored vector. condition is an SQL condition on chunks with the alias c, which '
  'they must meet besides the filters.';
