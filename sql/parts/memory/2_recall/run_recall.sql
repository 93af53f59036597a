-- role: reader, definer
create or replace function braid_calls.run_recall(
  query_text text,
  query_embedding @vector@.vector,
  timeframe text,
  strategy text,
  match_count int,
  filters jsonb,
  collection text,
  time_zone text,
  reference_time timestamptz,
  full_text_weight float8 default null,
  semantic_weight float8 default null,
  fusion text default null,
  rrf_k float8 default null,
  candidate_count int default null,
  min_score float8 default null,
  match text default 'any',
  options jsonb default null,
  is_reported boolean default false,
  out results braid_store.search_result[],
  out stats jsonb
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_plan record;
  v_mark text;
  v_demanding text;
  v_set jsonb; -- the option that the strategy sets
  v_collection braid_store.collections;
begin
  -- Refuse the list even if only the vector is searched.
  if options -> 'operators' is distinct from 'false' then
    perform braid_store.refuse_list(query_text);
  end if;
  v_plan := braid_store.plan_recall(query_text, query_embedding is not null, timeframe, strategy, time_zone,
    reference_time);
  if query_embedding is null and strategy <> 'full_text' and octet_length(v_plan.searched) between 1 and 16384 then
    v_collection := braid_store.find_collection(collection);
    if v_collection.parts is not null or options ->> 'cursor' <> '' then
      select e.embedding, e.mark into query_embedding, v_mark
      from braid_store.extend_query_embedding(
             v_tenant_id, v_collection,
             braid_store.asked_text(v_plan.searched, options -> 'operators' is distinct from 'false',
                                    braid_store.language_config(options ->> 'language', v_collection.text_config)),
             case when jsonb_typeof(options -> 'cursor') = 'string' then options ->> 'cursor' end) e;
    end if;
    if v_mark is not null then
      v_plan := braid_store.plan_recall(query_text, true, timeframe, strategy, time_zone, reference_time);
    end if;
  end if;
  if v_plan.searched = '' and query_embedding is null and v_plan.phrases <> '{}' then
    raise exception 'query_text ''%'' has a timeframe, but no topic', left(query_text, 100)
      using errcode = '22023',
            hint = 'Add a topic to query_text, or call braid.conversation_timeline, which needs no topic.';
  end if;
  if strategy = 'full_text' and match = 'any' and options -> 'operators' is distinct from 'false' then
    v_demanding := braid_store.demand_identifiers(v_plan.searched);
    if v_demanding is not null then
      v_plan.searched := v_demanding;
      v_plan.reason := 'The call asked for this strategy. A short query demands its codes, so every row has them.';
    end if;
  end if;
  if v_plan.strategy = 'prefilter' or strategy = 'auto' and v_plan.strategy <> 'semantic' then
    v_set := case when strategy = 'auto' then '{"strategy": "auto"}' else '{"prefilter": true}' end;
    options := case when options is null or options = 'null' then v_set
                    when jsonb_typeof(options) = 'object' then options || v_set
                    else options end;
  end if;

  select s.results, s.stats into results, stats
  from braid_calls.run_search(
         may_be_sparse => true, query_text => case when v_plan.strategy <> 'semantic' then v_plan.searched end,
         query_embedding => case when v_plan.strategy <> 'full_text' then query_embedding end,
         match_count => match_count, full_text_weight => full_text_weight,
         -- A null weight would let the search take a part's vector.
         semantic_weight => case when strategy = 'full_text' then least(semantic_weight, 0) else semantic_weight end,
         filters => braid_store.time_filter(filters, v_plan.ranges), collection => collection, fusion => fusion,
         rrf_k => rrf_k, candidate_count => candidate_count, min_score => min_score, match => match,
         options => options,
         is_reported => is_reported,
         embedding_mark => case when v_plan.strategy <> 'full_text' then v_mark end) s;
  if is_reported then
    if v_mark is not null then
      stats := stats || jsonb_build_object('query_embedding', split_part(v_mark, ':', 1));
    end if;
    stats := stats - 'strategy_reason' || jsonb_build_object('recall', jsonb_build_object(
      'strategy', v_plan.strategy,
      'reason', concat_ws(' ', v_plan.reason, stats ->> 'strategy_reason'),
      'searched_text', v_plan.searched,
      'timeframe', (select jsonb_agg(jsonb_build_object('starts_at', lower(r), 'ends_at', upper(r))
        order by lower(r) nulls first)
                    from unnest(v_plan.ranges) r),
      'timeframe_phrases', v_plan.phrases,
      'time_zone', v_plan.zone,
      'reference_time', v_plan.reference_time,
      'warnings', v_plan.warnings));
  end if;
end
$$;

comment on function braid_calls.run_recall(text, @vector@.vector, text, text, int, jsonb, text, text, timestamptz,
                                           float8, float8, text, float8, int, float8, text, jsonb, boolean) is
  'Run one recall for the tenant of the session: a search filtered by the timeframe, with the legs that the strategy '
  'needs.';
