-- role: reader, definer
create or replace function braid_calls.run_queries(
  queries jsonb,
  match_count int,
  full_text_weight float8,
  semantic_weight float8,
  filters jsonb,
  collection text,
  fusion text,
  rrf_k float8,
  candidate_count int,
  min_score float8,
  match text,
  options jsonb
)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  -- The fewest and the most rows to request from each query. Rows further down add little to the fused score.
  c_least_rows constant int := 50;
  c_most_rows constant int := 1000;
  -- Cormack, Clarke & Büttcher 2009 use this constant.
  c_k constant float8 := 60;
  v_started timestamptz := clock_timestamp();
  v_place int;
  v_name text;
  v_query record;
  v_shaping jsonb;
  v_found record;
  -- The number of rows to ask of each query, and whether any query may have more.
  v_row_count int := greatest(match_count, c_least_rows);
  v_has_more boolean;
  v_rows braid_store.search_result[];
  v_places int[];
  v_ranks int[];
  v_weights float8[];
  v_stats jsonb;
  v_warnings jsonb;
  -- The chunks found, best first, and in parallel their scores, the places of their best rows, and their ranks.
  v_chunk_ids bigint[];
  v_scores float8[];
  v_bests int[];
  v_query_ranks jsonb;
  v_results jsonb;
  v_hint text;
begin
  perform braid_store.require_tenant_id();
  if (match_count between 1 and c_most_rows) is not true then
    raise exception 'match_count is %', coalesce(match_count::text, 'null')
      using errcode = '22023', hint = format('Use 1 to %s.', c_most_rows);
  end if;
  perform braid_store.read_search_options(options),
          braid_store.refuse_other_options(
            'multi_search', options, '{query,vectors,sparse,boosts,tokens,arrangement}',
            'Mark the matches with braid.highlight, and give it the text of a query that found the row.');
  if options ->> 'cursor' is not null then
    raise exception 'option cursor has no meaning for multi_search'
      using errcode = '22023', hint = format('Ask for all rows at once: match_count may be up to %s.', c_most_rows);
  end if;
  if jsonb_typeof(queries) = 'array' and jsonb_array_length(queries) > 1 then
    v_name := (
      select min(o.key) from jsonb_each(options) o
      join braid_store.known_search_options() k on k.name = o.key and k.part in ('tokens', 'sparse')
      where jsonb_typeof(o.value) = 'object');
    if v_name is not null then
      raise exception 'option % is for one query, but queries has %', v_name, jsonb_array_length(queries)
        using errcode = '22023',
              hint = case v_name when 'sparse'
                then 'Leave out sparse: a collection with a sparse encoder derives terms from each query''s text.'
                                 else 'Leave this option out, or search for each query separately.' end;
    end if;
  end if;
  v_shaping := (
    select jsonb_object_agg(o.key, o.value)
    from jsonb_each(options) o
    join braid_store.known_search_options() k on k.name = o.key and k.part = 'arrangement'
    where o.value <> 'null');
  loop
    v_has_more := false;
    v_rows := '{}';
    v_places := '{}';
    v_ranks := '{}';
    v_weights := '{}';
    v_stats := '[]';
    v_warnings := '[]';
    for v_query in select q.* from braid_store.read_queries(queries) q order by q.place loop
      v_place := v_query.place;
      v_found := braid_calls.run_search(
        may_be_sparse => true, query_text => v_query.query_text, query_embedding => v_query.query_embedding,
        match_count => v_row_count, full_text_weight => full_text_weight,
        semantic_weight => semantic_weight, filters => filters, collection => collection, fusion => fusion,
          rrf_k => rrf_k,
        candidate_count => candidate_count, min_score => min_score, match => match,
        options => case when v_query.is_expansion then coalesce(options, '{}') || '{"operators": false}'
          else options end
                   - array(select jsonb_object_keys(v_shaping)), is_reported => true);
      v_has_more := v_has_more or cardinality(v_found.results) >= v_row_count;
      v_rows := v_rows || v_found.results;
      v_places := v_places || array_fill(v_place, array[cardinality(v_found.results)]);
      v_ranks := v_ranks || array(select generate_series(1, cardinality(v_found.results)));
      v_weights := v_weights || array_fill(v_query.weight, array[cardinality(v_found.results)]);
      v_stats := v_stats || jsonb_build_array(
        jsonb_build_object('text', v_query.query_text, 'weight', v_query.weight) || v_found.stats - 'warnings');
      v_warnings := v_warnings || (
        select coalesce(jsonb_agg(w.value || jsonb_build_object('query', v_place)), '[]')
        from jsonb_array_elements(braid_calls.search_warnings(collection, v_found.stats)) w);
    end loop;
    v_place := null;

    select coalesce(array_agg(f.chunk_id order by f.score desc, f.external_id, f.chunk_index), '{}'),
           coalesce(array_agg(f.score order by f.score desc, f.external_id, f.chunk_index), '{}'),
           coalesce(array_agg(f.best order by f.score desc, f.external_id, f.chunk_index), '{}'),
           coalesce(jsonb_agg(f.ranks order by f.score desc, f.external_id, f.chunk_index), '[]')
    into v_chunk_ids, v_scores, v_bests, v_query_ranks
    from (
      -- Sums run in the order of the queries, so that equal ranks give equal sums to the last bit.
      select r.chunk_id, sum(r.weight / (c_k + r.rank) order by r.query) as score,
             (array_agg(r.number order by r.weight / (c_k + r.rank) desc, r.query))[1] as best,
             jsonb_agg(jsonb_build_object('query', r.query, 'rank', r.rank, 'score', r.score)
               order by r.query) as ranks,
             min(r.external_id) as external_id, min(r.chunk_index) as chunk_index
      from (
        select r.ordinality as number, r.chunk_id, r.external_id collate "C" as external_id, r.chunk_index, r.score,
               v_places[r.ordinality] as query, v_ranks[r.ordinality] as rank, v_weights[r.ordinality] as weight
        from unnest(v_rows) with ordinality r
      ) r
      group by r.chunk_id
    ) f;
    if v_shaping is null then
      v_results := (
        select coalesce(jsonb_agg((to_jsonb(r) - 'ordinality')
                                  || jsonb_build_object('score', v_scores[b.place], 'query_ranks',
                                    v_query_ranks -> b.place::int - 1)
                                  order by b.place), '[]')
        from unnest(v_bests[:match_count]) with ordinality b (number, place)
        join unnest(v_rows) with ordinality r on r.ordinality = b.number);
    else
      v_results := (
        select coalesce(jsonb_agg(
                 (to_jsonb(r) - 'ordinality')
                 || jsonb_build_object('score', v_scores[b.place], 'query_ranks', v_query_ranks -> b.place - 1,
                                       'group_score', s.group_score, 'passage', s.passage, 'passage_start',
                                         s.passage_start,
                                       'passage_end', s.passage_end, 'cursor', s.cursor)
                 order by s.ordinality), '[]')
        from braid_calls.arrange_chunks(v_chunk_ids, v_scores, match_count, collection, v_shaping) with ordinality s
        cross join lateral (select array_position(v_chunk_ids, s.chunk_id) as place) b
        join unnest(v_rows) with ordinality r on r.ordinality = v_bests[b.place]);
    end if;

    -- Grouping or collapsing may leave too few of the rows found, so the next round asks for more.
    exit when not v_has_more or v_row_count >= c_most_rows
           or not (coalesce(v_shaping ? 'group_by', false) or coalesce(v_shaping -> 'collapse', 'false') <> 'false')
           or (select greatest(count(distinct r.value -> 'group_score'),
                               ceil(count(*) / coalesce((v_shaping #>> '{group_by,size}')::numeric, 1)))
               from jsonb_array_elements(v_results) r) >= match_count;
    v_row_count := least(4 * v_row_count, c_most_rows);
  end loop;
  return jsonb_build_object(
    'results', v_results,
    'stats', jsonb_build_object(
      'mode', 'multi', 'queries', v_stats, 'total_candidates', cardinality(v_chunk_ids),
      'returned_results', jsonb_array_length(v_results), 'next_cursor', null,
      'query_time_ms', braid_store.milliseconds(clock_timestamp() - v_started)),
    'warnings', (
      select coalesce(jsonb_agg(jsonb_build_object('code', w.code, 'message', w.message, 'queries', w.queries)
                                order by w.queries, w.code), '[]')
      from (
        select x.code, x.message, jsonb_agg(x.query order by x.query) as queries
        from jsonb_to_recordset(v_warnings) x (code text, message text, query int)
        group by x.code, x.message
      ) w));
exception when invalid_parameter_value or undefined_object or program_limit_exceeded or insufficient_privilege then
  -- Raising the error again here keeps inner functions out of the CONTEXT that psql shows.
  get stacked diagnostics v_hint = pg_exception_hint;
  if v_hint = '' then
    raise;
  end if;
  raise exception '%', coalesce('query ' || v_place || ': ', '') || sqlerrm using errcode = sqlstate, hint = v_hint;
end
$$;

comment on function braid_calls.run_queries(jsonb, int, float8, float8, jsonb, text, text, float8, int, float8, text,
                                            jsonb) is
  'Do the work of braid.multi_search, for the tenant of the session: a search for each query, and reciprocal rank '
  'fusion of their rows.';
