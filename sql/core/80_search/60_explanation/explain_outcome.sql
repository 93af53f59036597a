create or replace function braid_store.explain_outcome(
  request braid_store.search_request,
  candidates braid_store.ranked_candidates,
  results braid_store.search_result[],
  chunk braid_store.examined_chunk
)
returns jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_query braid_store.text_query := request.query;
  v_options braid_store.search_options := request.options;
  v_failed jsonb := braid_store.failed_conditions(request.tenant_id, (request.collection).id, request.filters,
    chunk.chunk_id);
  v_meets_demands boolean := braid_store.demanded_chunks(request.tenant_id, request.collection, array[chunk.chunk_id],
                                                         v_query) <> '{}';
  v_has_text boolean := coalesce(v_meets_demands and chunk.full_text_score > 0, false);
  v_has_vector boolean := chunk.semantic_score is not null;
  v_has_terms boolean := coalesce(chunk.sparse_score > 0, false);
  v_is_prefiltered boolean := v_options.prefilter and request.query_embedding is not null and v_query.lexemes <> '{}';
  -- If only one leg is searched, min_score applies to that leg.
  v_least_text float8 := greatest(v_options.full_text_min_score,
                                  case when request.legs = 'full_text' then request.min_score end);
  v_least_similarity float8 := greatest(v_options.semantic_min_score,
                                        case when request.legs = 'semantic' or v_is_prefiltered
                                          then request.min_score end);
  v_least_sparse float8 := greatest(v_options.sparse_min_score, case when request.legs = 'sparse'
    then request.min_score end);
  v_is_low_in_text boolean := v_has_text and chunk.full_text_score < v_least_text;
  v_is_low_in_similarity boolean := v_has_vector and chunk.semantic_score < v_least_similarity;
  v_is_low_in_sparse boolean := v_has_terms and chunk.sparse_score < v_least_sparse;
  v_ranks record;
  v_other record;
  v_limits record;
  v_outcome text;
  v_reason text;
begin
  if not v_has_text then
    chunk.full_text_score := null;
  end if;
  if v_failed = '[]' and (v_meets_demands or v_query.conditions = '{}') then
    v_ranks := braid_store.leg_ranks(request, chunk);
  else
    select null::int as full_text_rank, null::int as semantic_rank, null::int as sparse_rank into v_ranks;
  end if;
  v_other := braid_store.shown_instead(request, chunk.chunk_id, results);

  -- The conditions stand in the order in which a search leaves chunks out; the first one that holds gives the outcome.
  if chunk.result_place is not null then
    v_outcome := 'returned';
    v_reason := format('It is number %s of the results.', chunk.result_place);
  elsif v_failed <> '[]' then
    v_outcome := 'filtered';
    v_reason := format('It does not meet the filter: %s.', left(v_failed::text, 1000));
  elsif v_query.conditions <> '{}' and not v_meets_demands then
    v_outcome := 'demands_not_met';
    v_reason := 'It lacks what the query demands, or has what it excludes.';
  elsif chunk.ranked_place is not null and v_other.outcome is not null then
    v_outcome := v_other.outcome;
    v_reason := v_other.reason;
  elsif chunk.ranked_place is not null then
    v_outcome := 'not_shown';
    v_reason := format('It is number %s of %s candidates; %s.', chunk.ranked_place, cardinality(candidates.ranked),
                       case when v_options.cursor <> '' then 'this page shows other candidates'
                         else 'only the best candidates are shown' end);
  elsif chunk.fused_place is not null and v_options.min_relevance is not null
        and (request.min_score is null or candidates.fused[chunk.fused_place].score >= request.min_score) then
    v_outcome := 'below_min_relevance';
    v_limits := braid_store.relevance_limits(v_options.min_relevance);
    -- A best row above its limit is itself a candidate, so none is left only if the best row was below its limit.
    v_reason := case
      when v_options.min_relevance = 'auto' and candidates.ranked = '{}' then format(
        'No row is returned: even the best row''s relevance to the query is below %s, which min_relevance auto asks of '
        'it.', v_limits.best_row)
      when v_options.min_relevance = 'auto' then format(
        'Its relevance to the query is below %s, which min_relevance auto asks of each row.', v_limits.each_row)
      else format('Its relevance to the query is below min_relevance %s.', v_options.min_relevance) end;
  elsif chunk.fused_place is not null then
    v_outcome := 'below_min_score';
    v_reason := format('Its fused score is below min_score %s.', request.min_score);
  elsif not v_has_text and not v_has_vector and not v_has_terms then
    v_outcome := 'no_match';
    v_reason := concat_ws(' ',
                          case when request.query_text <> ''
                               then 'It has none of the query''s words, or fewer than match requires.' end,
                          case when request.query_embedding is not null then 'It has no embedding yet.' end,
                          case when (request.sparse).terms is not null then 'It has none of the sparse terms.' end);
  elsif (not v_has_text or v_is_low_in_text) and (not v_has_vector or v_is_low_in_similarity)
        and (not v_has_terms or v_is_low_in_sparse)
        or v_is_prefiltered and v_has_text and v_is_low_in_similarity then
    v_outcome := 'below_leg_min_score';
    v_reason := concat_ws(
      ' ',
      case when not v_has_text and request.query_text <> '' then 'It has none of the query''s words.'
           when v_is_low_in_text then format('Its BM25 score %s is below min_scores.full_text %s.',
             chunk.full_text_score,
                                             v_least_text) end,
      case when v_is_low_in_similarity then format('Its similarity %s is below min_scores.semantic %s.',
        chunk.semantic_score,
                                                   v_least_similarity) end,
      case when v_is_low_in_sparse then format('Its sparse score %s is below min_scores.sparse %s.', chunk.sparse_score,
                                               v_least_sparse) end);
  elsif v_is_prefiltered and not v_has_text then
    v_outcome := 'not_a_candidate';
    v_reason := 'It has none of the query''s words, and the option prefilter ranks only chunks with these words.';
  elsif v_is_prefiltered and not v_has_vector then
    v_outcome := 'not_a_candidate';
    v_reason := 'It has no embedding yet, and the option prefilter orders by similarity.';
  else
    v_outcome := 'not_a_candidate';
    v_reason := format(
      'It is not among the first %s of %s: it is %s.', request.candidate_count,
      case when v_is_prefiltered then 'full text, the only candidates of the option prefilter' else 'a leg' end,
      concat_ws(' and ',
                case when v_has_text then coalesce('#' || v_ranks.full_text_rank, 'beyond #10000')
                  || ' in full text' end,
                case when v_has_vector then coalesce('#' || v_ranks.semantic_rank, 'beyond #10000')
                  || ' in semantic' end,
                case when v_has_terms then coalesce('#' || v_ranks.sparse_rank, 'beyond #10000') || ' in sparse' end));
  end if;

  return jsonb_build_object(
    'chunk_id', chunk.chunk_id,
    'chunk_index', (select c.chunk_index from braid_store.chunks c
                    where c.tenant_id = request.tenant_id and c.id = chunk.chunk_id),
    'outcome', v_outcome, 'reason', v_reason, 'failed_conditions', v_failed,
    'full_text_score', chunk.full_text_score, 'full_text_rank', v_ranks.full_text_rank,
    'semantic_score', chunk.semantic_score, 'semantic_rank', v_ranks.semantic_rank,
    'fused_score', candidates.fused[chunk.fused_place].fused_score, 'score',
      candidates.ranked[chunk.ranked_place].score,
    'place', chunk.ranked_place, 'shown_instead', v_other.shown_id)
    || case when (request.sparse).terms is null then '{}'
            else jsonb_build_object('sparse_score', chunk.sparse_score, 'sparse_rank', v_ranks.sparse_rank) end;
end
$$;

comment on function braid_store.explain_outcome(braid_store.search_request, braid_store.ranked_candidates,
                                                braid_store.search_result[], braid_store.examined_chunk) is
  'Explain what became of a chunk in a search, as JSON: an outcome such as returned or filtered, the reason in a '
  'sentence, and the chunk''s scores and ranks.';
