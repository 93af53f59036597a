create or replace function braid_store.compile_request(
  tenant_id int,
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
  may_be_sparse boolean,
  embedding_mark text
)
returns braid_store.search_request
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  -- A session's first search plans each expression that it meets, including the expressions of declarations. So
  -- expressions that few searches need stand behind an if, and numbers stand where they are used.
  v_has_text boolean := coalesce(query_text, '') <> '';
  v_collection braid_store.collections;
  v_options braid_store.search_options;
  v_has_options boolean; -- options beyond the few that many searches have
  v_legs text;
  v_asks_sparse boolean;
  v_sparse jsonb; -- terms that the search gives or a part makes
  v_filter braid_store.filter := braid_store.no_filter();
  v_searched text;
  v_is_cut boolean;
  v_tokens braid_store.query_token[];
  v_query braid_store.text_query;
  v_corrections jsonb;
  v_indexed_ids bigint[];
  v_is_scoped boolean;
  v_scope_chunks int;
  v_part record;
  v_request braid_store.search_request;
begin
  if (v_has_text or query_embedding is not null) is not true or (match_count between 1 and 10000) is not true
     or num_nonnulls(full_text_weight, semantic_weight, rrf_k, candidate_count, min_score) > 0
     or match is distinct from 'any' then
    if not v_has_text and query_embedding is null
       and jsonb_typeof(options -> 'sparse') is distinct from 'object' then
      raise exception 'query_text and query_embedding are both empty'
        using errcode = '22023', hint = 'Give a text, an embedding, or both.';
    end if;
    perform braid_store.check_search_arguments(match_count, full_text_weight, semantic_weight, rrf_k, candidate_count,
                                               min_score);
    if match is distinct from 'any' then
      perform braid_store.required_words(match, 1);
    end if;
  end if;
  if options is null then
    v_options := braid_store.default_options(null, true);
  elsif jsonb_typeof(options) = 'object' and pg_column_size(options) < 1000
     and options - '{embedding_model,operators}'::text[] = '{}'
     and coalesce(jsonb_typeof(options -> 'embedding_model'), 'string') = 'string'
     and coalesce(jsonb_typeof(options -> 'operators'), 'boolean') = 'boolean' then
    v_options := braid_store.default_options(options ->> 'embedding_model', coalesce((options -> 'operators')::boolean,
      true));
  else
    v_options := braid_store.read_search_options(options);
    v_has_options := options - '{operators,embedding_model,explain,snippet}'::text[] <> '{}';
  end if;

  v_collection := braid_store.find_collection(collection);
  if v_has_options or num_nonnulls(full_text_weight, semantic_weight, fusion, rrf_k) > 0 then
    if v_has_options then
      if v_options.ranking is not null then
        v_collection := braid_store.try_ranking(v_collection, v_options.ranking);
      end if;
      v_collection.typos := coalesce(v_options.typos, v_collection.typos);
      if v_options.language is not null then
        v_collection.text_config := braid_store.language_config(v_options.language, v_collection.text_config);
      end if;
    end if;
    if num_nonnulls(full_text_weight, semantic_weight, fusion, rrf_k) > 0 then
      if fusion <> v_collection.fusion then
        v_collection := braid_store.choose_fusion(v_collection, fusion);
      end if;
      v_collection.full_text_weight := coalesce(full_text_weight, v_collection.full_text_weight);
      v_collection.semantic_weight := coalesce(semantic_weight, v_collection.semantic_weight);
      v_collection.rrf_k := coalesce(rrf_k, v_collection.rrf_k);
    end if;
  end if;
  if query_embedding is null then
    -- Parts store no vectors for texts of more than 16384 bytes.
    if may_be_sparse and v_has_text
       and octet_length(query_text) <= 16384 and (v_collection.parts is not null or v_options.cursor <> '')
       and v_collection.semantic_weight > 0 then
      select e.embedding, e.mark into query_embedding, embedding_mark
      from braid_store.extend_query_embedding(
             tenant_id, v_collection, braid_store.asked_text(query_text, v_options.operators, v_collection.text_config),
             v_options.cursor) e;
    end if;
  end if;
  if v_options.sparse is not null or v_collection.parts is not null then
    v_asks_sparse := may_be_sparse and v_collection.sparse_weight > 0 and not v_options.prefilter;
    if jsonb_typeof(v_options.sparse) = 'object' then
      v_sparse := v_options.sparse;
      if not v_asks_sparse then
        perform braid_store.refuse_sparse(v_options, v_collection.sparse_weight, may_be_sparse,
                                          v_has_text or query_embedding is not null);
      end if;
    elsif v_asks_sparse and v_options.sparse is null and v_has_text then
      v_sparse := braid_store.extend_sparse_query(null, v_collection, query_text);
    end if;
    v_asks_sparse := v_asks_sparse and v_sparse is not null;
  end if;
  if fusion is not null or v_has_options and options -> 'ranking' ?| '{normalisation,saturate_at}'
     or query_embedding is not null and not exists (
       -- Most vectors can be compared; only the others need further checks.
       select from braid_store.vector_spaces s
       where s.id = v_collection.vector_space_id and s.dimensions = @vector@.vector_dims(query_embedding)
         and s.embedding_model = coalesce(v_options.embedding_model, s.embedding_model)
         and @vector@.vector_norm(query_embedding) between 1e-3 and 65504
         and v_collection.full_text_weight + v_collection.semantic_weight > 0) then
    perform braid_store.check_ranking(v_collection, v_options, v_has_text, query_embedding,
                                      coalesce(v_asks_sparse, false));
  end if;
  v_legs := case when v_asks_sparse then case when v_has_text or query_embedding is not null then 'hybrid'
    else 'sparse' end
                 when not v_has_text then 'semantic' when query_embedding is null then 'full_text'
                 when v_options.prefilter then 'prefilter' else 'hybrid' end;
  if v_asks_sparse then
    if not v_has_text then
      v_collection.full_text_weight := 0;
    end if;
    if query_embedding is null then
      v_collection.semantic_weight := 0;
    end if;
  end if;
  -- These settings come from the collection if the options do not give them. A single statement is planned faster.
  select n.full_text, n.semantic, n.sparse, v_options.is_rearranged
           or v_collection.neighbour_weight + v_collection.document_weight + v_collection.question_penalty
              + v_collection.speaker_weight > 0,
         -- Only the default fusion and normalisation are smoothed, so that scores of others stay as defined. Paged
         -- searches are not smoothed, because their scores must not depend on the number of candidates.
         case when v_legs = 'hybrid' and v_collection.fusion = 'convex' and n.full_text = 'centroid'
           and n.semantic = 'centroid'
                   and v_options.cursor is null and v_collection.full_text_weight > 0
                     and v_collection.semantic_weight > 0
              then v_collection.smoothing
              else 0 end
  into v_options.full_text_normalisation, v_options.semantic_normalisation, v_options.sparse_normalisation,
       v_options.is_rearranged, v_options.smoothing
  from (values (coalesce(v_options.full_text_normalisation, v_collection.normalisation),
                coalesce(v_options.semantic_normalisation, v_collection.normalisation),
                coalesce(v_options.sparse_normalisation, v_collection.normalisation)))
         n (full_text, semantic, sparse);
  if filters is not null or v_collection.parts is not null then
    if v_collection.parts is not null then
      filters := braid_store.extend_given_filters(filters, v_collection.id);
    end if;
    if filters is not null then
      v_filter := braid_store.compile_filter(filters, tenant_id, v_collection.id, v_collection.parts is not null);
    else
      v_filter := braid_store.extend_filter(v_filter, tenant_id, v_collection.id);
    end if;
  end if;

  if v_has_text then
    if octet_length(query_text) > 1000 or not v_options.operators or strpos(query_text, '[') > 0 then
      if strpos(query_text, '[') > 0 and v_options.operators then
        perform braid_store.refuse_list(query_text);
      end if;
      -- Cut long texts, and remove operators if they are switched off. Few texts need this.
      if octet_length(query_text) > 1000
         or not v_options.operators and (query_text ~ '[^ 0-9A-Za-z.,;:!?]' or strpos(query_text, 'OR') > 0) then
        v_part := braid_store.searched_text(query_text, v_options.operators);
        v_searched := v_part.searched;
        v_is_cut := v_part.is_cut;
      end if;
    end if;
    v_tokens := braid_store.query_tokens(coalesce(v_searched, query_text), v_collection.text_config,
                                         v_collection.fold_diacritics);
    v_query := braid_store.compile_query(tenant_id, v_collection, v_tokens, match);
    -- In other searches, a word that the session may not learn of is like any word that finds nothing.
    if v_collection.parts is not null and not v_filter.is_empty
       and (is_reported or v_collection.typos = 'auto' or v_options.strategy = 'auto'
            -- Prefixes may have left words out: eleven of them share 128 words, for example.
            or cardinality(v_query.lexemes) >= 20) then
      v_query := braid_store.hide_lexemes(v_query, tenant_id, v_collection, v_tokens, match);
    end if;
    if filters is not null or v_collection.typos = 'auto' or cardinality(v_query.absent_terms) > 0
       or num_nonnulls(v_collection.parts, v_options.parts) > 0 then
      if num_nonnulls(v_collection.parts, v_options.parts) > 0 then
        v_part := braid_store.match_alternatives(tenant_id, v_collection, v_tokens, match, v_query, v_options.parts);
        v_query := v_part.matched;
        v_corrections := v_part.corrections;
      end if;
      -- Near words are looked up only if they are shown or used.
      if v_collection.typos = 'auto' or is_reported and cardinality(v_query.absent_terms) > 0 then
        v_part := braid_store.match_typos(tenant_id, v_collection, v_tokens, match, v_query);
        v_query := v_part.matched;
        v_corrections := coalesce(v_corrections, '[]') || v_part.corrections;
      end if;
      if filters is not null then
        if v_collection.statistics_scope = 'auto' and v_filter.source is not null then
          -- auto takes the statistics of 100 to 1000 chunks: fewer tell too little about the rarity of words, and more
          -- take too long.
          v_indexed_ids := braid_store.source_chunk_ids(v_filter, 1000);
          v_is_scoped := cardinality(v_indexed_ids) between 100 and 1000;
          -- The ids are passed on, so that later steps do not read the index again.
          if v_is_scoped then
            v_filter.among := braid_store.filtered_among(v_indexed_ids, tenant_id, v_filter);
            v_is_scoped := cardinality(v_filter.among) >= 100;
          elsif cardinality(v_indexed_ids) < 100 then
            v_filter.among := v_indexed_ids;
          end if;
        end if;
        if v_is_scoped or v_collection.statistics_scope = 'filter' and not v_filter.is_empty then
          v_part := braid_store.scope_statistics(tenant_id, v_collection, v_query, v_filter, 10000);
          v_query := coalesce(v_part.scoped, v_query);
          v_scope_chunks := v_part.chunk_count;
        end if;
      end if;
    end if;
  else
    v_query := braid_store.empty_query();
  end if;

  -- The values stand in the order of the type's attributes.
  v_request := row(
    tenant_id, v_collection, v_legs, coalesce(v_searched, query_text, ''), coalesce(v_is_cut, false),
      coalesce(v_tokens, '{}'),
    v_query, coalesce(v_corrections, '[]'), v_scope_chunks, query_embedding, filters, v_filter, match_count, min_score,
      v_options,
    case -- boosts
      -- The settings of turns are on the scale of the default fusion and normalisation.
      when v_collection.question_penalty + v_collection.speaker_weight > 0 and v_legs = 'hybrid'
           and v_collection.fusion = 'convex' and v_options.full_text_normalisation = 'centroid'
           and v_options.semantic_normalisation = 'centroid'
        then braid_store.turn_boosts(v_collection, v_tokens)
      else '{}' end,
    case -- candidate_count
      when v_legs = 'prefilter' then greatest(coalesce(candidate_count, 100), match_count)
      -- A single leg in its own order needs no more candidates than rows.
      when v_legs <> 'hybrid' and not v_options.is_rearranged then match_count
      else coalesce(candidate_count, greatest(100, 4 * match_count)) end,
    -- most_candidates limits how far the number of candidates grows. Without a limit, a search for 10 groups among two
    -- speakers would rank all chunks.
    case when v_options.diversify or v_options.collapse_similarity is not null then 2000 else 10000 end,
    v_legs <> 'prefilter' and candidate_count is null, -- may_grow
    null, 0, false, -- sets fingerprint, rows_before, has_deep_pages
    null, split_part(embedding_mark, ':', 1), null, -- sets sparse, embedding_source, parts
    case -- named_ids
      when v_has_text and v_collection.name_weight > 0 and octet_length(query_text) <= 200
           and v_legs in ('hybrid', 'full_text')
           -- full_text_search has exact BM25 scores unless it asks for names.
           and (may_be_sparse or v_options.ranking ? 'name_weight')
        then braid_store.find_named(tenant_id, v_collection.id, query_text)
      end)::braid_store.search_request;
  if v_has_options is not true and v_collection.parts is null and v_asks_sparse is not true then
    return v_request;
  end if;
  if v_asks_sparse then
    v_request.sparse := braid_store.compile_sparse_query(v_sparse, v_options.sparse is not null);
  end if;
  if v_options.boosts <> '[]' then
    v_request.boosts := braid_store.compile_boosts(v_options.boosts, tenant_id, v_collection.id) || v_request.boosts;
  end if;
  if v_options.parts is not null or v_collection.parts is not null then
    v_request := braid_store.extend_request(v_request);
  end if;
  if v_options.strategy = 'auto' then
    v_request := braid_store.choose_strategy(v_request);
  end if;
  if v_legs not in ('hybrid', 'prefilter') and (v_request.options).is_rearranged then
    v_request.candidate_count := coalesce(candidate_count, greatest(100, 4 * match_count));
  end if;
  if v_options.cursor is not null then
    v_request := braid_store.plan_page(v_request, braid_store.query_fingerprint(array[
      tenant_id::text, v_collection.id::text, query_text, case when embedding_mark is null
        then query_embedding::text end,
      full_text_weight::text, semantic_weight::text, filters::text, fusion, rrf_k::text, candidate_count::text,
      min_score::text, match,
      (options - 'cursor')::text,
      -- The settings of the ranking, and the values by which parts rank, may change between two pages, and with them
      -- all scores.
      braid_store.ranking_of(v_collection)::text]
      || case when v_request.parts is not null then array[v_request.parts::text] end) || coalesce(':' || embedding_mark,
        ''));
  end if;
  return v_request;
end
$$;

comment on function braid_store.compile_request(int, text, @vector@.vector, int, float8, float8, jsonb, text, text,
                                                float8, int, float8, text, jsonb, boolean, boolean, text) is
  'Check the arguments of a search, and make the request that the steps of the search pass on. Raise an error for '
  'arguments that a search cannot use. is_reported: whether corrections of words that occur nowhere are shown to the '
  'caller. They are looked up if they are shown, or if the collection''s typos is auto. may_be_sparse: whether the '
  'search may have all legs. It then has a sparse leg if there are terms for it, and a semantic leg also if '
  'query_embedding is null but a part has a vector for the text. embedding_mark: not null if extend_query_embedding '
  'has given query_embedding.';
