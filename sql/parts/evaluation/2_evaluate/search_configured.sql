create or replace function braid_store.search_configured(
  configuration jsonb,
  query_text text,
  query_embedding @vector@.vector,
  query_filters jsonb
)
returns braid_store.search_result[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_mode text := configuration ->> 'mode';
  v_filters jsonb := nullif(configuration -> 'filters', 'null');
begin
  return (braid_calls.run_search(
    may_be_sparse => v_mode = 'hybrid',
    query_text => case when v_mode <> 'semantic' then search_configured.query_text end,
    query_embedding => case when v_mode <> 'full_text' then search_configured.query_embedding end,
    match_count => (configuration ->> 'match_count')::numeric::int,
    full_text_weight => (configuration ->> 'full_text_weight')::float8,
    semantic_weight => (configuration ->> 'semantic_weight')::float8,
    filters => case when query_filters is null then v_filters when v_filters is null then query_filters
                    else jsonb_build_object('$and', jsonb_build_array(v_filters, query_filters)) end,
    collection => configuration ->> 'collection', fusion => configuration ->> 'fusion',
    rrf_k => (configuration ->> 'rrf_k')::float8,
    candidate_count => (configuration ->> 'candidate_count')::numeric::int,
    min_score => (configuration ->> 'min_score')::float8,
    match => coalesce(configuration ->> 'match', 'any'), options => configuration -> 'options')).results;
end
$$;

comment on function braid_store.search_configured(jsonb, text, @vector@.vector, jsonb) is
  'Run the search for one query of a query set by a complete configuration (see complete_configuration). '
  'query_filters: the query''s filters, in addition to the configuration''s.';
