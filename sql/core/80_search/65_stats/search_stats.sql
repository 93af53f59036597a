create or replace function braid_store.search_stats(
  request braid_store.search_request,
  found_candidates braid_store.found_candidates,
  candidates braid_store.ranked_candidates,
  arrangement braid_store.arrangement,
  results braid_store.search_result[]
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
  -- A filter that takes longer than this should have an index.
  c_long_ms constant float8 := 50;
  -- The maximum number of chunks to read in search of metadata keys that no chunk has; 1000 chunks take 1 ms.
  c_most_read constant int := 50000;
  c_few_read constant int := 10000;
  v_collection braid_store.collections := request.collection;
  v_options braid_store.search_options := request.options;
  v_query braid_store.text_query := request.query;
  v_next_cursor text := results[cardinality(results)].cursor;
  v_is_paged boolean := v_options.cursor is not null;
  v_undeclared jsonb;
  v_keys text[];
  v_plain_signs text[];
  v_negation text;
  v_others text[];
  v_warnings jsonb;
  v_stats jsonb;
begin
  v_stats := jsonb_build_object(
    'mode', case request.legs when 'prefilter' then 'hybrid' else request.legs end,
    'semantic_mode', found_candidates.semantic_mode,
    'full_text_candidates', cardinality(found_candidates.full_text),
    'semantic_candidates', cardinality(found_candidates.semantic),
    'total_candidates', cardinality(candidates.fused),
    'filtered_results', cardinality(candidates.ranked),
    'returned_results', cardinality(results),
    'fusion_method', case when request.legs = 'hybrid' then v_collection.fusion end,
    'candidate_count', request.candidate_count,
    'underfilled', arrangement.missing_count > 0 and candidates.has_more and not v_is_paged,
    'next_cursor', v_next_cursor,
    'listing_cut', v_is_paged and v_next_cursor is null and candidates.has_more,
    'terms', v_query.terms,
    'dropped_terms', v_query.dropped_terms,
    -- The near words are guesses. They are shown as the texts write them.
    'corrections', (
      select coalesce(jsonb_agg(case c.value ->> 'edits' when '0' then c.value
               else c.value || jsonb_strip_nulls(jsonb_build_object('correction', braid_store.written_word(
               request, c.value ->> 'lexeme', c.value ->> 'word'))) end order by c.ordinality), '[]')
      from jsonb_array_elements(request.corrections) with ordinality c),
    'query_cut', request.is_cut,
    'demands_cut', cardinality(v_query.conditions) >= 128,
    'optional_phrases', exists (select from unnest(request.tokens) t where t.kind = 'phrase'
      and t.occurrence = 'should'),
    'plain_signs', false,
    'scoring_cut', coalesce(found_candidates.is_cut, false) or exists (
      select
      from unnest(v_query.terms) t
      where t like '%*' and braid_store.has_more_expansions(request.tenant_id, v_collection.id, rtrim(t, '*'))));
  if request.query_text ~ E'(^|[^0-9A-Za-z])[+-][^ +-]' then
    v_plain_signs := array(
      select p.plain_sign from braid_store.parse_query(request.query_text, v_collection.text_config) p
      where p.plain_sign is not null order by p.clause_number limit 5);
    if v_plain_signs <> '{}' then
      v_stats := v_stats || jsonb_build_object('plain_signs', true, 'signs_read_as_text', v_plain_signs);
    end if;
  end if;
  v_negation := braid_store.negation_in_words(request.query_text, v_collection.text_config);
  if v_negation is not null then
    v_stats := v_stats || jsonb_build_object('negation_in_words', v_negation);
  end if;
  if results = '{}' then
    v_others := braid_store.other_collections(request.tenant_id, v_collection.id);
    if v_others <> '{}' then
      v_stats := v_stats || jsonb_build_object('other_collections', v_others);
    end if;
  end if;
  if v_options.min_relevance is not null then
    v_stats := v_stats || jsonb_build_object('relevance', (
      select coalesce(jsonb_agg(u.relevance order by r.ordinality), '[]')
      from unnest(results) with ordinality r
      left join (
        select (unnest(candidates.ranked)).chunk_id,
          unnest(braid_store.relevance(request, candidates.ranked)) as relevance
      ) u on u.chunk_id = r.chunk_id),
      'best_relevance', (
        select max(r)
        from unnest(braid_store.relevance(request, array(
               select f from unnest(candidates.fused) f
               where request.legs <> 'hybrid' or request.min_score is null or f.score >= request.min_score))) r));
  end if;
  if v_options.strategy_reason is not null then
    v_stats := v_stats || jsonb_build_object('strategy_reason', v_options.strategy_reason);
  end if;
  if request.embedding_source is not null then
    v_stats := v_stats || jsonb_build_object('query_embedding', request.embedding_source);
  end if;
  if (request.sparse).terms is not null then
    v_stats := v_stats || jsonb_build_object('sparse_candidates', cardinality(found_candidates.sparse),
                                             'sparse_terms', cardinality((request.sparse).terms));
  end if;
  if request.legs = 'hybrid' and v_collection.fusion <> 'rrf' then
    v_stats := v_stats || jsonb_build_object(
      'candidates_without_embedding', candidates.report #> '{semantic,without_embedding}');
  end if;
  if (request.collection).statistics_scope = 'filter' and request.query_text <> '' and not (request.filter).is_empty
     or request.scope_chunks is not null then
    v_stats := v_stats || jsonb_build_object(
      'statistics_scope', case when request.scope_chunks is null then 'collection' else 'filter' end,
      'scope_chunks', request.scope_chunks);
  end if;
  if request.parts is not null or v_options.parts is not null then
    v_stats := v_stats || braid_store.extend_stats(request, candidates.ranked);
    v_warnings := (select jsonb_agg(to_jsonb(w)) from braid_store.extend_warnings(v_stats) w);
    if v_warnings is not null then
      v_stats := v_stats || jsonb_build_object('warnings', v_warnings);
    end if;
  end if;
  if not (request.filter).is_empty then
    if found_candidates.filter_ms > c_long_ms then
      v_undeclared := braid_store.undeclared_attributes(request.filters, v_collection.id);
      v_stats := v_stats || jsonb_build_object('undeclared_filter', nullif(v_undeclared, '{}'));
    end if;
    if results = '{}' and request.filters @? '$.**.occurred_at' and not exists (
         select from braid_store.chunks c
         where c.tenant_id = request.tenant_id and c.collection_id = v_collection.id and c.occurred_at is not null) then
      v_stats := v_stats || '{"no_dates": true}';
    end if;
    -- Most filters only ask for keys that the rows have.
    v_keys := array(
      select k from unnest(braid_store.asked_keys(request.filters, v_collection.id)) k
      where not exists (select from unnest(results) r where r.metadata ? k));
    if v_keys <> '{}' then
      v_stats := v_stats || jsonb_build_object(
        'unknown_filter_keys', braid_store.absent_keys(
          v_keys, request.tenant_id, v_collection.id, case when results = '{}' then c_most_read else c_few_read end));
    end if;
  end if;
  if v_options.explain then
    if request.legs in ('hybrid', 'prefilter') then
      v_stats := v_stats || jsonb_build_object('fusion', candidates.report);
    end if;
    if candidates.spread is not null then
      v_stats := v_stats || jsonb_build_object('spread', candidates.spread - 'chunks');
    end if;
    if (request.sparse).terms is not null then
      v_stats := v_stats || jsonb_build_object('sparse_term_weights', (
        select coalesce(jsonb_object_agg(q.term, q.weight), '{}')
        from unnest((request.sparse).terms, (request.sparse).weights) q (term, weight)));
    end if;
    v_stats := v_stats || braid_store.explain_terms(request.tenant_id, v_collection, v_query)
               || jsonb_build_object('postings_read', coalesce(found_candidates.postings_read, 0),
                                     'chunks_scored', coalesce(found_candidates.chunks_scored, 0));
  end if;
  return case when v_collection.parts is null then v_stats
              else braid_store.extend_reported_terms(v_stats, request) end;
end
$$;

comment on function braid_store.search_stats(braid_store.search_request, braid_store.found_candidates,
                                             braid_store.ranked_candidates, braid_store.arrangement,
                                             braid_store.search_result[]) is
  'Return the stats of a search as search_json returns them, without the timings, and with the warnings of parts.';
