-- role: writer
create or replace function braid_calls.gather_ranking_features(
  query_set text,
  configuration jsonb,
  judge text,
  after text,
  query_count int
)
returns table (
  query_id text, place int, external_id text, chunk_index int, grade int, score float8, features jsonb
)
language plpgsql
stable
parallel unsafe
security definer
rows 10000
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set extra_float_digits = 1
as $$
#variable_conflict use_column
declare
  -- The limit counts candidates of all queries of a page.
  c_most_candidates constant int := 1000000;
  v_tenant_id int := braid_store.tenant_id_of_user();
  v_query_set braid_store.query_sets := braid_store.find_query_set(v_tenant_id, gather_ranking_features.query_set);
  -- The sum of this model is the score, so it keeps the order while it reports all features.
  v_model jsonb := jsonb_build_object(
    'version', 1, 'mode', 'hybrid', 'features', braid_store.known_ranking_features(),
    'weights', (select jsonb_agg((f = 'score')::int order by f.place)
                from unnest(braid_store.known_ranking_features()) with ordinality f (f, place)));
  v_mode text;
  v_collection braid_store.collections;
  v_filters jsonb;
  v_options jsonb;
  v_match_count int;
  v_other text;
  v_query record;
  v_query_id text;
  v_row_count bigint;
  v_all_rows bigint := 0;
  v_request braid_store.search_request;
  v_found braid_store.found_candidates;
  v_candidates braid_store.ranked_candidates;
  v_arrangement braid_store.arrangement;
  v_hint text;
begin
  perform braid_store.check_configuration(gather_ranking_features.configuration);
  if (gather_ranking_features.query_count between 1 and 1000) is not true then
    raise exception 'query_count is %', coalesce(gather_ranking_features.query_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 1000, and give after to get the next page.';
  end if;
  v_mode := coalesce(configuration ->> 'mode', 'hybrid');
  v_collection := braid_store.find_collection(coalesce(configuration ->> 'collection', 'default'));
  v_match_count := coalesce((configuration ->> 'match_count')::numeric::int, 10);
  if gather_ranking_features.query_count
     * coalesce((configuration ->> 'candidate_count')::numeric::bigint,
       greatest(100, 4 * v_match_count)) > c_most_candidates then
    raise exception 'query_count times candidate_count is more than %', c_most_candidates
      using errcode = '54000',
            hint = 'Give a lower query_count, and after for the next page, or a lower candidate_count (4 times '
              'match_count without one).';
  end if;
  v_filters := nullif(configuration -> 'filters', 'null');
  v_options := coalesce(nullif(configuration -> 'options', 'null'), '{}');
  select o.key into v_other
  from jsonb_each(v_options) o
  join braid_store.known_search_options() k on k.name = o.key
  where o.value not in ('null', 'false', '[]')
    and (k.part in ('boosts', 'tokens', 'arrangement') and o.key not in ('group_by', 'context')
         or o.key in ('prefilter', 'min_relevance')
         or o.key = 'group_by'
            and (coalesce(o.value ->> 'key', o.value #>> '{}') not in ('document', 'external_id', 'document_id')
                 or o.value ->> 'score' <> 'max'))
  order by o.key
  limit 1;
  if found then
    raise exception 'option % has no meaning for ranking_features', v_other
      using errcode = '22023',
            hint = case v_other when 'late_interaction' then 'Leave out this option: its vectors belong to a single '
                                                             'query.'
                   else 'Leave out this option: a ranking model ranks the fused candidates before such options '
                        'apply.' end;
  end if;
  if v_query_set.level = 'document' and not v_options ? 'group_by' then
    v_options := v_options || '{"group_by": "document"}';
  end if;
  v_options := v_options || jsonb_build_object('ranking_model', v_model);

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
      and q.query_id > coalesce(gather_ranking_features.after, '')
      and exists (
        select from braid_store.judgments j
        where j.tenant_id = v_tenant_id and j.query_set = v_query_set.name and j.query_id = q.query_id
          and (gather_ranking_features.judge is null or j.judge = gather_ranking_features.judge))
    order by q.query_id
    limit gather_ranking_features.query_count
  loop
    v_query_id := v_query.query_id;
    if v_mode <> 'full_text' and v_query.embedding is null then
      raise exception 'no embedding of the model of collection "%"', v_collection.name
        using errcode = '22023',
              hint = 'Store embeddings with braid.store_queries, as pgbraid judgments load and sample do, or set '
                     '"mode": "full_text".';
    end if;
    v_request := braid_store.compile_request(
      v_tenant_id, case when v_mode <> 'semantic' then v_query.query_text end,
      case when v_mode <> 'full_text' then v_query.embedding end, v_match_count,
      (configuration ->> 'full_text_weight')::float8, (configuration ->> 'semantic_weight')::float8,
      case when v_query.filters is null then v_filters when v_filters is null then v_query.filters
           else jsonb_build_object('$and', jsonb_build_array(v_filters, v_query.filters)) end,
      v_collection.name, configuration ->> 'fusion', (configuration ->> 'rrf_k')::float8,
      (configuration ->> 'candidate_count')::numeric::int, (configuration ->> 'min_score')::float8,
      coalesce(configuration ->> 'match', 'any'), v_options, false, v_mode = 'hybrid', null);
    -- The loop is the same as in run_search.
    loop
      v_found := braid_store.find_candidates(v_request);
      v_request.filter := v_found.filter;
      v_candidates := braid_store.rank_found(v_request, v_found, false);
      v_arrangement := braid_store.arrange_candidates(v_request, v_candidates.ranked);
      exit when not v_candidates.has_more or not v_request.may_grow
                or v_request.candidate_count >= v_request.most_candidates or v_arrangement.missing_count <= 0;
      v_request.candidate_count := least(4 * v_request.candidate_count, v_request.most_candidates);
    end loop;

    return query
    with judged as (
      select * from braid_store.judged_grades(v_tenant_id, v_query_set.name, v_query.query_id,
        gather_ranking_features.judge)
    ), candidates as materialized (
      select (1 / (b.features ->> 'reciprocal_rank')::float8)::int as place, d.external_id, c.chunk_index,
             (b.features ->> 'score')::float8 as score, b.features
      from unnest(v_candidates.ranked) r,
           lateral (select r.boosts #> '{0,features}' as features offset 0) b,
           lateral (
             select c.document_id, c.chunk_index from braid_store.chunks c
             where c.tenant_id = v_tenant_id and c.id between r.chunk_id and r.chunk_id
             order by c.id
             offset 0
           ) c,
           lateral (
             select d.external_id from braid_store.documents d
             where d.tenant_id = v_tenant_id and d.id between c.document_id and c.document_id
             order by d.id
             offset 0
           ) d
    )
    select v_query.query_id, n.place, n.external_id, n.chunk_index, n.grade, n.score, n.features
    from (
      select c.place, c.external_id, c.chunk_index, j.grade, c.score, c.features
      from candidates c
      left join judged j on j.external_id = c.external_id
                            and j.chunk_index = case v_query_set.level when 'chunk' then c.chunk_index else -1 end
      union all
      select null, j.external_id, nullif(j.chunk_index, -1), j.grade, null, null
      from judged j
      where j.grade > 0
        and not exists (
          select from candidates c
          where c.external_id = j.external_id and (v_query_set.level = 'document' or c.chunk_index = j.chunk_index))
    ) n
    order by n.place nulls last, n.external_id, n.chunk_index;
    get diagnostics v_row_count = row_count;
    v_all_rows := v_all_rows + v_row_count;
    -- Each leg has its candidates, and if documents have many chunks, more are searched for than candidate_count.
    if v_all_rows > c_most_candidates then
      raise exception 'the queries up to here have more than % candidates', c_most_candidates
        using errcode = '54000',
          hint = 'Give a lower query_count, and after for the next page, or a lower candidate_count.';
    end if;
  end loop;
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

comment on function braid_calls.gather_ranking_features(text, jsonb, text, text, int) is
  'Do the work of braid.ranking_features.';
