-- role: reader, definer
create or replace function braid_calls.run_search(
  may_be_sparse boolean,
  query_text text default null,
  query_embedding @vector@.vector default null,
  match_count int default 10,
  full_text_weight float8 default null,
  semantic_weight float8 default null,
  filters jsonb default null,
  collection text default 'default',
  fusion text default null,
  rrf_k float8 default null,
  candidate_count int default null,
  min_score float8 default null,
  match text default 'any',
  options jsonb default null,
  is_reported boolean default false,
  is_explained boolean default false,
  explained_id text default null,
  embedding_mark text default null,
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
  v_started timestamptz := clock_timestamp();
  v_compiled timestamptz;
  v_leg_started timestamptz;
  v_legs_time interval := '0';
  v_filter_ms float8 := 0;
  v_ranked timestamptz;
  v_ended timestamptz;
  v_request braid_store.search_request;
  v_found braid_store.found_candidates;
  v_candidates braid_store.ranked_candidates;
  v_arrangement braid_store.arrangement;
  v_can_grow boolean;
  v_is_plain boolean;
  v_plain record;
begin
  v_request := braid_store.compile_request(
    v_tenant_id, query_text, query_embedding, match_count, full_text_weight, semantic_weight, filters, collection,
      fusion,
    rrf_k, candidate_count, min_score, match, options, is_reported, may_be_sparse, embedding_mark);
  if is_explained then
    v_request.options.explain := true;
  end if;
  v_is_plain := braid_store.is_plain(v_request);
  v_leg_started := clock_timestamp();
  loop
    if v_is_plain then
      v_plain := braid_store.plain_candidates(v_request);
      v_found := v_plain.leg_candidates;
      v_candidates := v_plain.candidates;
      v_is_plain := v_plain.is_found is true;
      v_legs_time := v_legs_time + (clock_timestamp() - v_leg_started);
    end if;
    if not v_is_plain then
      v_found := braid_store.find_candidates(v_request);
      v_legs_time := v_legs_time + (clock_timestamp() - v_leg_started);
      v_filter_ms := v_filter_ms + v_found.filter_ms; -- null without a filter
      -- The filter's result is kept for the next round, if more candidates are needed.
      v_request.filter := v_found.filter;
      v_candidates := braid_store.rank_found(v_request, v_found, is_reported);
    end if;
    if (v_request.options).is_arranged then
      v_arrangement := braid_store.arrange_candidates(v_request, v_candidates.ranked);
    else
      v_arrangement := row(v_candidates.ranked[:v_request.match_count], null, -- sets arranged, passages, missing_count
                           greatest(v_request.match_count - cardinality(v_candidates.ranked), 0), null, null, null);
    end if;

    v_can_grow := v_candidates.has_more and v_request.may_grow
      and v_request.candidate_count < v_request.most_candidates;
    -- Stop when there are enough rows. If later pages may show chunks beyond the first candidates, also require that no
    -- chunk outside the candidates could belong on this page.
    exit when not v_can_grow or v_arrangement.missing_count <= 0
                                and (not v_request.has_deep_pages
                                     or coalesce(v_arrangement.last_score > v_candidates.unseen, true));
    v_compiled := coalesce(v_compiled, v_leg_started);
    v_leg_started := clock_timestamp();
    v_request.candidate_count := least(4 * v_request.candidate_count, v_request.most_candidates);
  end loop;
  v_ranked := clock_timestamp();
  v_arrangement.has_more := v_arrangement.has_more or v_request.has_deep_pages and v_can_grow;
  results := case
    when v_is_plain and cardinality(v_request.boosts) = 0
         and not ((v_request.options).snippet or (v_request.options).context or coalesce(v_arrangement.has_more, false))
    then braid_store.result_rows(v_tenant_id, v_arrangement.arranged)
    else braid_store.arranged_rows(v_request, v_arrangement, v_candidates.fused) end;
  if is_reported then
    v_compiled := coalesce(v_compiled, v_leg_started);
    v_found.filter_ms := v_filter_ms;
    v_ended := clock_timestamp();
    stats := braid_store.search_stats(v_request, v_found, v_candidates, v_arrangement, results);
    if candidate_count < match_count and v_request.candidate_count > candidate_count then
      stats := stats || jsonb_build_object('asked_candidate_count', candidate_count);
    end if;
    if is_explained then
      stats := stats || jsonb_build_object(
        'rows', braid_store.explain_rows(v_request, v_candidates.report, v_candidates.spread, results),
        'document', case when explained_id is not null
                         then braid_store.explain_document(v_request, v_candidates, results, explained_id) end);
    end if;
    stats := stats || jsonb_build_object(
      'timings', jsonb_build_object(
        'compile_ms', braid_store.milliseconds(v_compiled - v_started),
        'legs_ms', braid_store.milliseconds(v_legs_time),
        'ranking_ms', braid_store.milliseconds(v_ranked - v_compiled - v_legs_time),
        'rows_ms', braid_store.milliseconds(v_ended - v_ranked)),
      'query_time_ms', braid_store.milliseconds(v_ended - v_started));
  end if;
end
$$;

comment on function braid_calls.run_search(boolean, text, @vector@.vector, int, float8, float8, jsonb, text, text,
                                           float8, int, float8, text, jsonb, boolean, boolean, text, text) is
  'Run one search for the tenant of the session. All search functions of the API call it. If too few rows are left, '
  'it searches again with more candidates. is_reported: whether to return stats, with corrections of words that '
  'occur nowhere. is_explained: whether stats also tell where the scores of the rows come from and, if explained_id '
  'is not null, what became of that document. may_be_sparse: false for searches by full text or vectors alone. '
  'embedding_mark: not null if extend_query_embedding has given query_embedding.';
