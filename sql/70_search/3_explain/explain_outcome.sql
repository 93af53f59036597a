create or replace function braid_store.explain_outcome(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  query_embedding @vector@.vector,
  filters jsonb,
  options jsonb,
  min_score float8,
  candidate_count int,
  chunk_id bigint,
  full_text_score float8,
  semantic_score float8,
  fused braid_store.fused_candidate[],
  fused_place int,
  ranked braid_store.fused_candidate[],
  ranked_place int,
  results braid.search_result[],
  result_place int
)
returns jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  v_failed jsonb := braid_store.failed_conditions(tenant_id, collection.id, filters, chunk_id);
  v_meets_demands boolean := braid_store.matching_chunks(tenant_id, collection, array[chunk_id], query) <> '{}';
  v_is_prefiltered boolean := coalesce((options ->> 'prefilter')::boolean, false) and query_embedding is not null
                              and query.lexemes <> '{}';
  v_least_text float8 := greatest((options ->> 'full_text_min_score')::float8,
                                  case when query_embedding is null then min_score end);
  v_least_near float8 := greatest((options ->> 'semantic_min_score')::float8,
                                  case when query.lexemes = '{}' or v_is_prefiltered then min_score end);
  v_has_text boolean := v_meets_demands and full_text_score > 0;
  v_ranks record;
  v_other record;
  v_outcome record;
  v_chunk_index int;
begin
  if v_failed = '[]' and (v_meets_demands or query.conditions = '{}') then
    v_ranks := braid_store.leg_ranks(tenant_id, collection, query, query_embedding, filters, chunk_id,
                                     case when v_has_text then full_text_score end, semantic_score);
  else
    select null::int as full_text_rank, null::int as semantic_rank into v_ranks;
  end if;
  v_other := braid_store.shown_instead(tenant_id, collection, options, chunk_id, results);

  select o.outcome, o.reason into v_outcome
  from (values
    (1, result_place is not null, 'returned', format('It is number %s of the results.', result_place)),
    (2, v_failed <> '[]', 'filtered', format('It does not meet the filter: %s.', left(v_failed::text, 1000))),
    (3, query.conditions <> '{}' and not v_meets_demands, 'demands_not_met',
     'It lacks what the query demands, or has what it excludes.'),
    (4, ranked_place is not null and v_other.outcome is not null, v_other.outcome, v_other.reason),
    (5, ranked_place is not null, 'not_shown',
     format('It is number %s of %s candidates; %s.', ranked_place, cardinality(ranked),
            case when options ->> 'cursor' <> '' then 'this page shows others' else 'what is shown are the best' end)),
    (6, fused_place is not null, 'below_min_score', format('Its fused score is below min_score %s.', min_score)),
    (7, not v_has_text and semantic_score is null, 'no_match',
     concat_ws(' ', 'It has none of the query''s words, or fewer than match asks for.',
               case when query_embedding is not null then 'It has no embedding yet.' end)),
    (8, (not v_has_text or full_text_score < v_least_text) and (semantic_score is null or semantic_score < v_least_near)
        or v_is_prefiltered and v_has_text and semantic_score < v_least_near,
     'below_leg_min_score',
     concat_ws(' ',
               case when not v_has_text then 'It has none of the query''s words.'
                    when full_text_score < v_least_text
                      then format('Its BM25 score %s is below full_text_min_score %s.', full_text_score, v_least_text) end,
               case when semantic_score < v_least_near
                    then format('Its similarity %s is below semantic_min_score %s.', semantic_score, v_least_near) end)),
    (9, v_is_prefiltered and not v_has_text, 'not_a_candidate',
     'It has none of the query''s words, and the option prefilter looks at no others.'),
    (10, v_is_prefiltered and semantic_score is null, 'not_a_candidate',
     'It has no embedding yet, and the option prefilter orders by similarity.'),
    (11, true, 'not_a_candidate',
     format('It is not among the first %s of %s: it is %s.', candidate_count,
            case when v_is_prefiltered then 'full text, which are all that the option prefilter looks at' else 'a leg' end,
            concat_ws(' and ',
                      case when v_has_text
                           then coalesce('#' || v_ranks.full_text_rank, 'beyond #10000') || ' in full text' end,
                      case when semantic_score is not null
                           then coalesce('#' || v_ranks.semantic_rank, 'beyond #10000') || ' in semantic' end)))
  ) o (place, applies, outcome, reason)
  where o.applies
  order by o.place
  limit 1;
  select c.chunk_index into v_chunk_index
  from braid_store.chunks c
  where c.tenant_id = explain_outcome.tenant_id and c.id = explain_outcome.chunk_id;
  return jsonb_build_object(
    'chunk_id', chunk_id, 'chunk_index', v_chunk_index, 'outcome', v_outcome.outcome, 'reason', v_outcome.reason,
    'failed_conditions', v_failed,
    'full_text_score', case when v_has_text then full_text_score end, 'full_text_rank', v_ranks.full_text_rank,
    'semantic_score', semantic_score, 'semantic_rank', v_ranks.semantic_rank,
    'fused_score', fused[fused_place].fused_score, 'score', ranked[ranked_place].score, 'place', ranked_place,
    'shown_instead', v_other.shown_id);
end
$$;

comment on function braid_store.explain_outcome(int, braid_store.collections, braid_store.text_query, @vector@.vector, jsonb,
                                                jsonb, float8, int, bigint, float8, float8,
                                                braid_store.fused_candidate[], int,
                                                braid_store.fused_candidate[], int, braid.search_result[], int) is
  'What became of a chunk in a search, and why.';
