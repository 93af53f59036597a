create or replace function braid_store.run_search(
  query_text text,
  query_embedding @vector@.vector,
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
  options jsonb,
  is_reported boolean,
  is_explained boolean default false,
  explained_id text default null,
  out results braid.search_result[],
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
  c_most_candidates constant int := 100000;
  -- As far as a search goes by itself: 2 speakers asked for 10 groups would have all ranked.
  c_most_deepened constant int := 10000;
  c_most_compared constant int := 2000;
  v_tenant_id int := braid_store.require_tenant_id();
  v_started timestamptz := clock_timestamp();
  v_collection braid_store.collections;
  v_filter braid_store.filter;
  -- Nothing but a leg's own order is asked for.
  v_is_plain boolean := not braid_store.is_rearranged(options);
  v_has_text boolean := coalesce(query_text, '') <> '';
  v_legs text;
  v_candidate_count int;
  v_most_deepened int;
  v_text record;
  v_compiled record;
  v_scoped record;
  v_boosts record;
  v_marked record;
  v_found record;
  v_combined record;
  v_ranked braid_store.fused_candidate[];
  v_asked record;
  -- Rows or groups, and candidates per leg, of the pages before.
  v_shown int;
  v_page_candidates int;
  v_fingerprint text;
  -- Pages go on beyond the candidates: no score depends on how many these are.
  v_is_listed boolean := false;
  v_next_cursor text;
  v_arrangement record;
  v_has_more boolean;
  v_compiled_at timestamptz;
  v_found_at timestamptz;
  v_ranked_at timestamptz;
  v_legs_time interval := '0';
  v_now timestamptz;
  v_hint text;
begin
  v_collection := braid_store.ranked_collection(
    query_text, query_embedding, match_count, full_text_weight, semantic_weight, collection, fusion, rrf_k,
    candidate_count, min_score, match, options);
  v_legs := case when not v_has_text then 'semantic' when query_embedding is null then 'full_text'
                 when (options ->> 'prefilter')::boolean then 'prefilter' else 'hybrid' end;
  v_candidate_count := case when v_legs = 'prefilter' then greatest(coalesce(candidate_count, 100), match_count)
                            when v_legs <> 'hybrid' and v_is_plain then match_count
                            else coalesce(candidate_count, greatest(100, 4 * match_count)) end;
  v_boosts := braid_store.compile_boosts(options, v_tenant_id, v_collection.id);
  v_asked := braid_store.arrangement_options(options);
  v_most_deepened := case when v_asked.diversify or v_asked.collapse_similarity is not null then c_most_compared
                          else c_most_deepened end;
  if v_asked.cursor is not null then
    v_fingerprint := braid_store.query_fingerprint(array[
      v_tenant_id::text, v_collection.id::text, query_text, query_embedding::text, full_text_weight::text,
      semantic_weight::text, filters::text, fusion, rrf_k::text, candidate_count::text, min_score::text, match,
      (options - 'cursor')::text]);
    select p.place, p.candidate_count into v_shown, v_page_candidates
    from braid_store.open_page(v_asked.cursor, v_fingerprint) p;
    v_is_listed := v_legs <> 'prefilter' and v_boosts.sources = '{}' and v_asked.group_score = 'max'
                   and (v_legs <> 'hybrid' or braid_store.is_absolute(
                          v_collection.fusion, braid_store.leg_normalisation(v_collection, options, 'full_text'),
                          braid_store.leg_normalisation(v_collection, options, 'semantic')));
    if v_is_listed then
      v_most_deepened := greatest(case when v_asked.collapse_similarity is null then c_most_candidates
                                       else c_most_compared end, v_candidate_count);
    end if;
    v_candidate_count := case when v_is_listed
                              then least(greatest(v_candidate_count + v_shown, v_page_candidates), v_most_deepened)
                              else coalesce(v_page_candidates, v_candidate_count) end;
  end if;
  v_filter := braid_store.compile_filter(filters, v_tenant_id, v_collection.id);
  v_text := braid_store.searched_text(coalesce(query_text, ''), coalesce((options ->> 'operators')::boolean, true));
  v_compiled := braid_store.compile_search(v_tenant_id, v_collection, v_text.searched, match, is_reported,
                                           coalesce((options ->> 'correct')::boolean, false));
  if options ->> 'statistics_scope' = 'filter' and not v_filter.is_empty and v_has_text then
    v_scoped := braid_store.scope_statistics(v_tenant_id, v_collection, v_compiled.query, v_compiled.frequencies, v_filter);
    v_compiled.query := coalesce(v_scoped.scoped, v_compiled.query);
    v_compiled.document_frequencies := coalesce(v_scoped.document_frequencies, v_compiled.document_frequencies);
  end if;
  v_ranked_at := clock_timestamp();
  v_compiled_at := v_ranked_at;
  loop
    v_found := braid_store.find_candidates(
      v_tenant_id, v_collection, v_compiled.query, query_embedding, v_legs, v_filter, min_score,
      v_candidate_count, options);
    v_found_at := clock_timestamp();
    v_legs_time := v_legs_time + (v_found_at - v_ranked_at);

    v_combined := braid_store.combine_legs(
      v_tenant_id, v_collection, v_compiled.query, query_embedding, v_legs, v_found.full_text, v_found.semantic,
      v_candidate_count, options);
    -- A leg alone is already above it.
    v_ranked := v_combined.fused;
    if v_legs = 'hybrid' and min_score is not null then
      v_ranked := array(select f from unnest(v_combined.fused) f where f.score >= min_score);
    end if;
    if v_boosts.sources <> '{}' then
      v_ranked := braid_store.boost_candidates(v_tenant_id, v_ranked, v_boosts.labels, v_boosts.sources,
                                               v_boosts.are_additive, v_boosts.weights);
    end if;
    v_arrangement := braid_store.arrange_candidates(v_tenant_id, v_collection, v_ranked, match_count, options);
    v_ranked_at := clock_timestamp();

    -- A leg was cut short, and what it left out may be above the threshold.
    v_has_more := v_candidate_count in (cardinality(v_found.full_text), cardinality(v_found.semantic))
                  and coalesce(v_combined.unseen >= min_score, true);
    exit when not v_has_more or v_legs = 'prefilter' or v_candidate_count >= v_most_deepened;
    if v_is_listed then
      -- Nothing that comes with more candidates may belong before the page's end.
      exit when v_arrangement.missing_count = 0 and coalesce(v_arrangement.last_score > v_combined.unseen, true);
    else
      exit when v_arrangement.missing_count <= 0 or candidate_count is not null or v_page_candidates is not null;
    end if;
    v_candidate_count := least(4 * v_candidate_count, v_most_deepened);
  end loop;

  results := braid_store.result_rows(v_tenant_id, v_arrangement.arranged);
  if v_asked.context then
    results := braid_store.add_passages(v_tenant_id, results, v_arrangement.passages);
  end if;
  if coalesce(options ? 'snippet', false) and (braid_store.snippet_options(options)).is_asked then
    v_marked := braid_store.marked_lexemes(v_text.searched, v_collection, v_compiled.query, v_compiled.terms);
    results := braid_store.add_snippets(results, v_collection, options, v_marked.lexemes, v_marked.prefixes);
  end if;
  if v_arrangement.last_unit is not null
     and (v_arrangement.has_more or v_is_listed and v_has_more and v_candidate_count < v_most_deepened) then
    v_next_cursor := braid_store.write_cursor(v_fingerprint, v_shown + match_count - v_arrangement.missing_count,
                                              v_candidate_count, results[v_arrangement.last_unit]);
    results[cardinality(results)].cursor := v_next_cursor;
  end if;

  if not is_reported then
    return;
  end if;
  v_now := clock_timestamp();
  stats := jsonb_build_object(
    'mode', case v_legs when 'prefilter' then 'hybrid' else v_legs end,
    'semantic_mode', v_found.semantic_mode,
    'full_text_candidates', cardinality(v_found.full_text),
    'semantic_candidates', cardinality(v_found.semantic),
    'total_candidates', cardinality(v_combined.fused),
    'filtered_results', cardinality(v_ranked),
    'returned', cardinality(results),
    'candidate_count', v_candidate_count,
    'underfilled', v_arrangement.missing_count > 0 and v_has_more and v_asked.cursor is null,
    'next_cursor', v_next_cursor,
    'listing_cut', v_asked.cursor is not null and v_next_cursor is null and v_has_more,
    'terms', v_compiled.terms,
    'dropped_terms', v_compiled.dropped_terms,
    'corrections', v_compiled.corrections,
    'query_cut', v_text.is_cut,
    'demands_cut', cardinality((v_compiled.query).conditions) >= 128,
    'scoring_cut', coalesce(v_found.is_cut, false) or exists (
      select
      from unnest(v_compiled.terms) t
      where t like '%*' and braid_store.has_more_expansions(v_tenant_id, v_collection.id, rtrim(t, '*'))));
  if v_legs = 'hybrid' and v_collection.fusion <> 'rrf' then
    stats := stats || jsonb_build_object(
      'candidates_without_embedding', v_combined.report #> '{semantic,without_embedding}');
  end if;
  if not v_filter.is_empty and options ->> 'statistics_scope' = 'filter' and v_has_text then
    stats := stats || jsonb_build_object(
      'statistics_scope', case when v_scoped.scoped is null then 'collection' else 'filter' end,
      'scope_chunks', v_scoped.chunk_count);
  end if;
  if is_explained or (options ->> 'explain')::boolean then
    if v_legs in ('hybrid', 'prefilter') then
      stats := stats || jsonb_build_object('fusion', v_combined.report);
    end if;
    stats := stats || braid_store.explain_terms(v_tenant_id, v_collection, v_compiled.query, v_compiled.terms,
                                                 v_compiled.document_frequencies, v_compiled.frequencies)
             || jsonb_build_object('postings_read', coalesce(v_found.postings_read, 0),
                                   'chunks_scored', coalesce(v_found.chunks_scored, 0));
  end if;
  if is_explained then
    stats := stats || jsonb_build_object(
      'rows', braid_store.explain_rows(v_tenant_id, v_collection, v_compiled.query, v_compiled.terms,
                                       v_compiled.document_frequencies, v_compiled.frequencies, v_combined.report, results),
      'document', case when explained_id is not null then braid_store.explain_document(
        v_tenant_id, v_collection, explained_id, v_compiled.query, query_embedding, filters, options, min_score,
        v_candidate_count, v_combined.fused, v_ranked, results) end);
  end if;
  stats := stats || jsonb_build_object(
    'timings', jsonb_build_object(
      'compile_ms', braid_store.milliseconds(v_compiled_at - v_started),
      'legs_ms', braid_store.milliseconds(v_legs_time),
      'ranking_ms', braid_store.milliseconds(v_ranked_at - v_compiled_at - v_legs_time),
      'rows_ms', braid_store.milliseconds(v_now - v_ranked_at)),
    'query_time_ms', braid_store.milliseconds(v_now - v_started));
exception when invalid_parameter_value or undefined_object or program_limit_exceeded or insufficient_privilege then
  -- Raised again from here: behind the hint, psql would show all the functions that it came through.
  get stacked diagnostics v_hint = pg_exception_hint;
  if v_hint = '' then
    raise;
  end if;
  raise exception '%', sqlerrm using errcode = sqlstate, hint = v_hint;
end
$$;

comment on function braid_store.run_search(text, @vector@.vector, int, float8, float8, jsonb, text, text, float8, int,
                                           float8, text, jsonb, boolean, boolean, text) is
  'One search, for the tenant of the session: checks, legs, fusion, threshold, boosts, arrangement, rows; with more '
  'candidates where too few rows are left. Every search function of the API is this. Corrections are '
  'looked for if stats are reported.';
