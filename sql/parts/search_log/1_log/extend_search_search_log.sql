create or replace function braid_store.extend_search_search_log(
  tenant_id int,
  collection braid_store.collections,
  asked jsonb,
  kind jsonb,
  results jsonb,
  stats jsonb,
  warnings jsonb
)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_characters constant int := 1000;
  c_most_bytes constant int := 2000;
  c_most_results constant int := 100;
  v_searched_at timestamptz := clock_timestamp();
  v_search_id uuid;
  v_query text;
  v_keeps_text boolean;
  v_filters jsonb;
  v_timings jsonb;
begin
  if not braid_store.may_log(collection) then
    return '{}';
  end if;
  v_search_id := braid_store.search_id_at(v_searched_at);
  v_query := left(asked ->> 'query_text', c_most_characters);
  v_keeps_text := collection.parts ->> 'search_log_query' = 'text';
  v_filters := nullif(asked -> 'filters', 'null');
  v_timings := coalesce(stats -> 'timings', braid_store.added_timings(stats));
  begin
    if jsonb_typeof(asked #> '{options,ranking}') = 'object' then
      collection := braid_store.rank_as(collection, asked #> '{options,ranking}');
    end if;
    -- A search must not wait for a session that keeps the table locked. ONLY leaves out the tables of days, which
    -- inherit from this one and may be being dropped.
    lock table only braid_store.search_log in row exclusive mode nowait;
    insert into braid_store.search_log (
      tenant_id, search_id, collection_id, searched_at, login, mode, semantic_mode, query_text, query_hash, filters,
        match_count,
      result_count, is_first_page, external_ids, chunk_indexes, is_underfilled, warnings, ranking, configuration,
        sample_share,
      query_time_ms, compile_ms, legs_ms, ranking_ms, rows_ms)
    select
      extend_search_search_log.tenant_id, v_search_id, collection.id, v_searched_at, session_user,
      stats ->> 'mode', stats ->> 'semantic_mode',
      case when v_keeps_text then v_query end,
      case when collection.parts ->> 'search_log_query' = 'hash'
        then sha256(convert_to(braid_store.token_lower(btrim(v_query)), 'UTF8')) end,
      case when v_keeps_text and octet_length(v_filters::text) <= c_most_bytes then v_filters end,
      (asked ->> 'match_count')::int, jsonb_array_length(results), coalesce(asked #>> '{options,cursor}', '') = '',
      coalesce(r.external_ids, '{}'), coalesce(r.chunk_indexes, '{}'),
      coalesce((stats ->> 'underfilled')::boolean, false),
      array(select w.value ->> 'code' from jsonb_array_elements(extend_search_search_log.warnings) w
            where w.value ->> 'code' <> 'underfilled'),
      braid_store.ranking_in_short(collection),
      braid_store.asked_configuration(asked, v_keeps_text) || kind,
      case collection.parts ->> 'search_log' when 'all' then 1
        else (collection.parts ->> 'search_log_share')::float8 end,
      (stats ->> 'query_time_ms')::float4, (v_timings ->> 'compile_ms')::float4, (v_timings ->> 'legs_ms')::float4,
      (v_timings ->> 'ranking_ms')::float4, (v_timings ->> 'rows_ms')::float4
    from (
      select array_agg(e.value ->> 'external_id' order by e.ordinality) as external_ids,
             array_agg((e.value ->> 'chunk_index')::int order by e.ordinality) as chunk_indexes
      from jsonb_array_elements(results) with ordinality e
      where e.ordinality <= c_most_results
    ) r;
  exception when others then
    -- A failure of the log must not cost the search its answer.
    raise log 'a search was not logged: %', sqlerrm;
    return '{}';
  end;
  return jsonb_build_object('search_id', v_search_id);
end
$$;

comment on function braid_store.extend_search_search_log(int, braid_store.collections, jsonb, jsonb, jsonb, jsonb,
                                                         jsonb) is
  'Add a search, its arguments and its answer to the log. Return its search_id, or an empty object if the collection '
  'does not log it or logging failed, which is no error. Keep the first 100 results.';
