create or replace function braid_store.log_search(
  tenant_id int,
  collection braid_store.collections,
  query_text text,
  filters jsonb,
  match_count int,
  configuration jsonb,
  is_first_page boolean,
  result_count int,
  external_ids text[],
  chunk_indexes int[],
  stats jsonb,
  warnings jsonb
)
returns uuid
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_characters constant int := 1000;
  c_most_bytes constant int := 2000;
  v_searched_at timestamptz := clock_timestamp();
  v_search_id uuid := braid_store.search_id_at(v_searched_at);
  v_query text := left(log_search.query_text, c_most_characters);
  v_keeps_text boolean := collection.search_log_query = 'text';
begin
  -- A search must not wait for whoever keeps the table locked. Only: the tables of days inherit from this one, and somebody may
  -- be dropping one of them.
  lock table only braid_store.search_log in row exclusive mode nowait;
  insert into braid_store.search_log (
    tenant_id, search_id, collection_id, searched_at, login, mode, semantic_mode, query_text, query_hash, filters, match_count,
    result_count, is_first_page, external_ids, chunk_indexes, is_underfilled, warnings, ranking, configuration, sample_share,
    query_time_ms, compile_ms, legs_ms, ranking_ms, rows_ms)
  values (
    log_search.tenant_id, v_search_id, collection.id, v_searched_at, session_user,
    stats ->> 'mode', stats ->> 'semantic_mode',
    case when v_keeps_text then v_query end,
    case when collection.search_log_query = 'hash' then sha256(convert_to(lower(btrim(v_query)), 'UTF8')) end,
    case when v_keeps_text and octet_length(log_search.filters::text) <= c_most_bytes then log_search.filters end,
    log_search.match_count, log_search.result_count, log_search.is_first_page, log_search.external_ids, log_search.chunk_indexes,
    coalesce((stats ->> 'underfilled')::boolean, false),
    array(select w.value ->> 'code' from jsonb_array_elements(log_search.warnings) w where w.value ->> 'code' <> 'underfilled'),
    braid_store.ranking_in_short(collection), log_search.configuration,
    case collection.search_log when 'all' then 1 else collection.search_log_share end,
    (stats ->> 'query_time_ms')::float4, (stats #>> '{timings,compile_ms}')::float4,
    (stats #>> '{timings,legs_ms}')::float4, (stats #>> '{timings,ranking_ms}')::float4,
    (stats #>> '{timings,rows_ms}')::float4);
  return v_search_id;
exception when others then
  -- The search has its answer, whatever becomes of the log.
  raise log 'a search was not logged: %', sqlerrm;
  return null;
end
$$;

comment on function braid_store.log_search(int, braid_store.collections, text, jsonb, int, jsonb, boolean, int, text[], int[], jsonb,
                                           jsonb) is
  'Adds a search to the log and returns its id; null if that was not possible, which is no error. external_ids, chunk_indexes: of '
  'the first 100 results.';
