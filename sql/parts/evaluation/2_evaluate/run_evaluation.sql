-- role: writer, definer
create or replace function braid_calls.run_evaluation(
  query_set text,
  configuration jsonb,
  metrics text[],
  judge text,
  details boolean
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
#variable_conflict use_column
declare
  c_max_queries constant int := 20000;
  c_max_detailed_rows constant int := 200000;
  -- An array of jsonb holds at most 256 MB.
  c_max_bytes constant bigint := 200000000;
  c_all_rows constant int := 100;
  v_tenant_id int := braid_store.tenant_id_of_user();
  v_query_set braid_store.query_sets := braid_store.find_query_set(v_tenant_id, run_evaluation.query_set);
  v_depth int;
  v_configuration jsonb;
  v_collection braid_store.collections;
  v_match_count int;
  v_counts record;
  v_query record;
  v_query_id text;
  v_started timestamptz;
  v_time float8;
  v_results braid_store.search_result[];
  v_ranking record;
  v_values float8[];
  v_sums float8[];
  v_times float8[] := '{}';
  v_queries jsonb[] := '{}';
  v_result_count bigint := 0;
  v_unjudged_count bigint := 0;
  v_empty_count int := 0;
  v_irrelevant_count int := 0;
  v_disputed_count bigint := 0;
  v_missing_count bigint;
  v_bytes bigint := 0;
  v_hint text;
begin
  perform braid_store.check_configuration(run_evaluation.configuration);
  if run_evaluation.details is null then
    raise exception 'details is null' using errcode = '22023', hint = 'Give true or false.';
  end if;
  v_depth := braid_store.check_metrics(run_evaluation.metrics);
  v_configuration := braid_store.complete_configuration(
    run_evaluation.configuration, v_query_set.level,
    greatest(v_depth, case when exists (select from unnest(run_evaluation.metrics) m where m !~ '@')
      then c_all_rows end));
  v_collection := braid_store.find_collection(v_configuration ->> 'collection');
  v_match_count := (v_configuration ->> 'match_count')::int;
  if v_depth > v_match_count then
    raise exception 'a metric looks at % rows, and match_count is %', v_depth, v_match_count
      using errcode = '22023', hint = 'Raise match_count, leave it out, or name metrics with a smaller k.';
  end if;

  select count(*) as all_count, count(*) filter (where j.is_judged) as judged_count,
         count(*) filter (where j.is_judged and e.is_embedded is null) as unembedded_count
  into v_counts
  from braid_store.queries q
  left join lateral (
    select true as is_judged from braid_store.judgments j
    where j.tenant_id = v_tenant_id and j.query_set = v_query_set.name and j.query_id = q.query_id
      and (run_evaluation.judge is null or j.judge = run_evaluation.judge)
    limit 1
  ) j on true
  left join lateral (
    select true as is_embedded from braid_store.query_set_embeddings e
    where e.tenant_id = v_tenant_id and e.query_set = v_query_set.name and e.query_id = q.query_id
      and e.vector_space_id = v_collection.vector_space_id
    offset 0
  ) e on true
  where q.tenant_id = v_tenant_id and q.query_set = v_query_set.name;
  if v_counts.judged_count = 0 then
    raise exception 'query set "%" has % queries, and no judgments%', v_query_set.name, v_counts.all_count,
                    coalesce(' of judge "' || left(run_evaluation.judge, 255) || '"', '')
      using errcode = '22023', hint = 'Store judgments with braid.store_judgments; braid.list_query_sets lists the '
                                      'judges.';
  elsif v_counts.judged_count > c_max_queries then
    raise exception 'query set "%" has % judged queries, more than %', v_query_set.name, v_counts.judged_count,
      c_max_queries
      using errcode = '54000', hint = 'Divide the queries among several query sets.';
  elsif run_evaluation.details and v_counts.judged_count * v_match_count > c_max_detailed_rows then
    raise exception 'details of % judged queries with % rows each are more than % rows', v_counts.judged_count,
      v_match_count,
                    c_max_detailed_rows
      using errcode = '54000',
        hint = 'Evaluate without details, with a smaller match_count, or divide the queries among several query '
               'sets.';
  elsif v_configuration ->> 'mode' <> 'full_text' and v_counts.unembedded_count > 0 then
    raise exception '% of % judged queries have no embedding of the model of collection "%"', v_counts.unembedded_count,
                    v_counts.judged_count, v_collection.name
      using errcode = '22023',
            hint = 'Store their embeddings with braid.store_queries, as pgbraid judgments load and sample do, or set '
              '"mode": "full_text".';
  end if;

  v_sums := array_fill(0::float8, array[cardinality(run_evaluation.metrics)]);
  for v_query in
    select q.query_id, q.query_text, q.filters, e.embedding
    from braid_store.queries q
    left join lateral (
      select e.embedding from braid_store.query_set_embeddings e
      where e.tenant_id = v_tenant_id and e.query_set = v_query_set.name and e.query_id = q.query_id
        and e.vector_space_id = v_collection.vector_space_id
      offset 0
    ) e on true
    where q.tenant_id = v_tenant_id and q.query_set = v_query_set.name
      and exists (
        select from braid_store.judgments j
        where j.tenant_id = v_tenant_id and j.query_set = v_query_set.name and j.query_id = q.query_id
          and (run_evaluation.judge is null or j.judge = run_evaluation.judge))
    order by q.query_id
  loop
    v_query_id := v_query.query_id;
    v_started := clock_timestamp();
    v_results := braid_store.search_configured(v_configuration, v_query.query_text, v_query.embedding, v_query.filters);
    v_time := braid_store.milliseconds(clock_timestamp() - v_started);

    with judged as materialized (
      -- A grade below 0 means not judged, and does not vote.
      select j.external_id, j.chunk_index,
             coalesce(percentile_disc(0.5) within group (order by j.grade) filter (where j.grade >= 0),
               max(j.grade))::int as grade,
             min(j.grade) filter (where j.grade >= 0) <> max(j.grade) as is_disputed
      from braid_store.judgments j
      where j.tenant_id = v_tenant_id and j.query_set = v_query_set.name and j.query_id = v_query.query_id
        and (run_evaluation.judge is null or j.judge = run_evaluation.judge)
      group by j.external_id, j.chunk_index
    ), ranked as materialized (
      -- A document is ranked by its first chunk.
      select n.*, row_number() over (order by n.place) as rank, j.grade
      from (
        select r.*, row_number() over (
                 partition by r.external_id, case v_query_set.level when 'chunk' then r.chunk_index end
                   order by r.ordinality
               ) as nth, r.ordinality as place
        from unnest(v_results) with ordinality r
      ) n
      left join judged j on j.external_id = n.external_id
                            and j.chunk_index = case v_query_set.level when 'chunk' then n.chunk_index else -1 end
      where n.nth = 1
    )
    select coalesce((select array_agg(r.grade order by r.rank) from ranked r), '{}') as grades,
           (select array_agg(j.grade) from judged j) as judged,
           (select count(*) from judged j where j.grade > 0) as relevant_count,
           (select count(*) from judged j where j.is_disputed) as disputed_count,
           (select count(*) from ranked r where (r.grade >= 0) is not true) as unjudged_count,
           case when run_evaluation.details then coalesce(
             (select jsonb_agg(jsonb_build_object(
                       'rank', r.rank, 'external_id', r.external_id, 'chunk_index', r.chunk_index, 'chunk_id',
                         r.chunk_id,
                       'grade', r.grade, 'title', left(r.title, 300), 'content', left(r.content, 300), 'score', r.score,
                       'full_text_score', r.full_text_score, 'full_text_rank', r.full_text_rank,
                       'semantic_score', r.semantic_score, 'semantic_rank', r.semantic_rank) order by r.rank)
              from ranked r), '[]') end as rows,
           case when run_evaluation.details then coalesce(
             (select jsonb_agg(jsonb_build_object(
                       'external_id', j.external_id, 'chunk_index', nullif(j.chunk_index, -1), 'grade', j.grade)
                       order by j.grade desc, j.external_id, j.chunk_index)
              from judged j
              left join ranked r on r.external_id = j.external_id
                                    and (v_query_set.level = 'document' or r.chunk_index = j.chunk_index)
              where j.grade > 0 and r.rank is null), '[]') end as missed
    into v_ranking;

    v_values := braid_store.ranking_metrics(v_ranking.grades, v_ranking.judged, run_evaluation.metrics);
    v_sums := array(select u.total + u.value from unnest(v_sums, v_values) with ordinality u (total, value, place)
                    order by u.place);
    v_bytes := v_bytes + octet_length(v_query.query_text)
               + coalesce(pg_column_size(v_ranking.rows) + pg_column_size(v_ranking.missed), 0);
    if v_bytes > c_max_bytes then
      raise exception 'the answer has more than % bytes', c_max_bytes
        using errcode = '54000',
          hint = 'Evaluate without details, with a smaller match_count, or divide the queries among several query '
                 'sets.';
    end if;
    v_times := array_append(v_times, v_time);
    v_result_count := v_result_count + cardinality(v_ranking.grades);
    v_unjudged_count := v_unjudged_count + v_ranking.unjudged_count;
    v_empty_count := v_empty_count + (v_ranking.grades = '{}')::int;
    v_irrelevant_count := v_irrelevant_count + (v_ranking.relevant_count = 0)::int;
    v_disputed_count := v_disputed_count + v_ranking.disputed_count;
    v_queries := array_append(v_queries,
      jsonb_build_object(
        'query_id', v_query.query_id, 'query_text', v_query.query_text,
        'metrics', (select jsonb_object_agg(u.metric, u.value) from unnest(run_evaluation.metrics, v_values) u (metric,
          value)),
        'relevant', v_ranking.relevant_count, 'results', cardinality(v_ranking.grades), 'unjudged',
          v_ranking.unjudged_count,
        'query_time_ms', v_time)
      || case when run_evaluation.details
              then jsonb_build_object('rows', v_ranking.rows, 'missed', v_ranking.missed) else '{}' end);
  end loop;
  v_query_id := null;
  if v_irrelevant_count = v_counts.judged_count then
    raise exception 'no judgment of query set "%" is above 0', v_query_set.name
      using errcode = '22023',
        hint = 'Judge at least one result as relevant, with a grade of 1 or more: otherwise all rankings measure '
               'the same.';
  end if;

  select count(*) into v_missing_count
  from (
    -- Relevance follows the grade computed above.
    select distinct g.external_id
    from (
      select j.external_id
      from braid_store.judgments j
      where j.tenant_id = v_tenant_id and j.query_set = v_query_set.name
        and (run_evaluation.judge is null or j.judge = run_evaluation.judge)
      group by j.query_id, j.external_id, j.chunk_index
      having coalesce(percentile_disc(0.5) within group (order by j.grade) filter (where j.grade >= 0),
        max(j.grade)) > 0
    ) g
    offset 0
  ) j
  left join lateral (
    select true as is_there from braid_store.documents d
    where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id and d.external_id = j.external_id
    offset 0
  ) d on true
  where d.is_there is null;

  return jsonb_build_object(
    'query_set', v_query_set.name, 'level', v_query_set.level, 'judge', run_evaluation.judge,
    'configuration', v_configuration, 'ranking', braid_store.ranking_to_deploy(v_collection, v_configuration),
    'metrics', (select jsonb_object_agg(u.metric, u.total / v_counts.judged_count)
                from unnest(run_evaluation.metrics, v_sums) u (metric, total)),
    'counts', jsonb_build_object(
      'queries', v_counts.judged_count, 'unjudged_queries', v_counts.all_count - v_counts.judged_count,
      'queries_without_relevant', v_irrelevant_count, 'queries_without_results', v_empty_count,
      'results', v_result_count, 'unjudged_results', v_unjudged_count,
      'disputed_judgments', v_disputed_count, 'missing_documents', v_missing_count),
    'warnings', (
      select coalesce(jsonb_agg(jsonb_build_object('code', w.code, 'message', w.message) order by w.place), '[]')
      from (values
        (1, 'unjudged_results', v_unjudged_count,
         format('%s of %s results are not judged, and count as not relevant.', v_unjudged_count, v_result_count)),
        (2, 'unjudged_queries', v_counts.all_count - v_counts.judged_count,
         format('%s queries have no judgment, and are left out.', v_counts.all_count - v_counts.judged_count)),
        (3, 'queries_without_relevant', v_irrelevant_count,
         format('%s queries have nothing relevant, and count as 0.', v_irrelevant_count)),
        (4, 'queries_without_results', v_empty_count,
         format('%s queries find nothing, and count as 0.', v_empty_count)),
        (5, 'disputed_judgments', v_disputed_count,
         format('Judges disagree on %s results: the median grade counts, the lower of two.', v_disputed_count)),
        (6, 'missing_documents', v_missing_count,
         format('%s relevant documents are not in the collection, and cannot be found.', v_missing_count))
      ) w (place, code, count, message)
      where w.count > 0),
    'latency', (
      select jsonb_build_object(
               'mean_ms', round(avg(t)::numeric, 3), 'p50_ms',
                 round(percentile_cont(0.5) within group (order by t)::numeric, 3),
               'p95_ms', round(percentile_cont(0.95) within group (order by t)::numeric, 3), 'max_ms',
                 round(max(t)::numeric, 3))
      from unnest(v_times) t),
    'queries', to_jsonb(v_queries));
exception when invalid_parameter_value or undefined_object or program_limit_exceeded or insufficient_privilege then
  -- Raise the error again here, so that psql does not show inner functions in the error's CONTEXT.
  get stacked diagnostics v_hint = pg_exception_hint;
  if v_hint = '' then
    raise;
  end if;
  raise exception '%', concat('query "' || left(v_query_id, 100) || '": ', sqlerrm)
    using errcode = sqlstate, hint = v_hint;
end
$$;

comment on function braid_calls.run_evaluation(text, jsonb, text[], text, boolean) is 'Do the work of braid.evaluate.';
