create or replace function braid_store.read_search_options(options jsonb)
returns braid_store.search_options
language plpgsql
immutable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_given jsonb;
  v_arrangement jsonb;
  v_is_wrong boolean;
  v_wrong record;
  v_options braid_store.search_options := braid_store.default_options(null, true);
begin
  if options is null or options = '{}' then
    return v_options;
  elsif jsonb_typeof(options) <> 'object' then
    raise exception 'options is a JSON %', jsonb_typeof(options)
      using errcode = '22023', hint = 'Send a JSON object, not a string that holds JSON; GET makes a string of it: use POST.';
  elsif pg_column_size(options) > 1000000 then
    raise exception 'options has % bytes, more than %', pg_column_size(options), 1000000
      using errcode = '54000', hint = 'Options are short; what selects rows belongs into filters.';
  end if;

  -- An option that is null counts as not given.
  select coalesce(jsonb_object_agg(o.key, o.value) filter (where o.value <> 'null'), '{}'),
         coalesce(jsonb_object_agg(o.key, o.value) filter (where o.value <> 'null' and k.part = 'arrangement'), '{}'),
         coalesce(bool_or((k.part in ('boosts', 'arrangement') or k.name = 'prefilter')
                          and o.value not in ('[]', 'false', 'null')), false),
         bool_or(k.name is null
                 or o.value <> 'null' and (jsonb_typeof(o.value) <> all (k.types)
                                           or jsonb_typeof(o.value) = 'number'
                                              and not pg_input_is_valid(o.value::text, 'float8')))
  into v_given, v_arrangement, v_options.is_rearranged, v_is_wrong
  from jsonb_each(options) o
  left join braid_store.known_search_options() k on k.name = o.key;
  if v_is_wrong then
    select o.key, o.value, k.name, k.hint into v_wrong
    from jsonb_each(options) o
    left join braid_store.known_search_options() k on k.name = o.key
    where k.name is null
       or o.value <> 'null' and (jsonb_typeof(o.value) <> all (k.types)
                                 or jsonb_typeof(o.value) = 'number' and not pg_input_is_valid(o.value::text, 'float8'))
    limit 1;
    if v_wrong.name is null then
      raise exception 'options has an unknown key "%"', left(v_wrong.key, 100)
        using errcode = '22023',
              hint = 'The keys are: '
                     || (select string_agg(k.name, ', ' order by k.name) from braid_store.known_search_options() k) || '.';
    else
      raise exception 'option % is %', v_wrong.key, left(v_wrong.value::text, 100)
        using errcode = '22023', hint = v_wrong.hint;
    end if;
  end if;

  v_options.operators := coalesce((v_given ->> 'operators')::boolean, v_options.operators);
  v_options.embedding_model := v_given ->> 'embedding_model';
  v_options.explain := coalesce((v_given ->> 'explain')::boolean, v_options.explain);
  if v_given ? 'snippet' then
    v_options := braid_store.read_snippet_option(v_given -> 'snippet', v_options);
  end if;
  -- Most searches with options have no others.
  if v_given - '{operators,embedding_model,explain,snippet}'::text[] = '{}' then
    return v_options;
  end if;

  if v_arrangement <> '{}' then
    v_options := braid_store.read_arrangement_options(v_arrangement, v_options);
  end if;
  if v_given ? 'normalisation' then
    v_options := braid_store.read_normalisation_option(v_given -> 'normalisation', v_options);
  end if;
  -- Checked with the collection that it is for: try_ranking.
  v_options.ranking := v_given -> 'ranking';
  v_options.language := v_given ->> 'language';
  v_options.correct := coalesce((v_given ->> 'correct')::boolean, v_options.correct);
  v_options.statistics_scope := v_given ->> 'statistics_scope';
  v_options.prefilter := coalesce((v_given ->> 'prefilter')::boolean, v_options.prefilter);
  v_options.full_text_min_score := (v_given ->> 'full_text_min_score')::float8;
  v_options.semantic_min_score := (v_given ->> 'semantic_min_score')::float8;
  v_options.min_relevance := v_given ->> 'min_relevance';
  if v_options.min_relevance <> 'auto'
     and (jsonb_typeof(v_given -> 'min_relevance') <> 'number' or v_options.min_relevance::float8 not between 0 and 1) then
    raise exception 'option min_relevance is %', left(v_given ->> 'min_relevance', 100)
      using errcode = '22023', hint = 'Give a number from 0 to 1, or "auto".';
  end if;
  v_options.exact := coalesce((v_given ->> 'exact')::boolean, v_options.exact);
  if (v_given ->> 'ef_search')::float8 not between 1 and 1000 then
    raise exception 'option ef_search is %', v_given ->> 'ef_search'
      using errcode = '22023', hint = 'Use 1 to 1000, or leave it out: it is chosen for each search.';
  elsif v_options.statistics_scope not in ('collection', 'filter', 'auto') then
    raise exception 'option statistics_scope is ''%''', left(v_options.statistics_scope, 100)
      using errcode = '22023', hint = 'Use collection, filter or auto.';
  end if;
  v_options.neighbour_weight := (v_given ->> 'neighbour_weight')::float8;
  v_options.smoothing := (v_given ->> 'smoothing')::float8;
  if v_options.neighbour_weight not between 0 and 1 then
    raise exception 'option neighbour_weight is %', v_given ->> 'neighbour_weight'
      using errcode = '22023', hint = 'Use a number from 0, which is none, to 1, usually 0.3.';
  elsif v_options.smoothing not between 0 and 1 then
    raise exception 'option smoothing is %', v_given ->> 'smoothing'
      using errcode = '22023', hint = 'Use a number from 0, which is none, to 1, usually 0.5.';
  end if;
  v_options.ef_search := (v_given ->> 'ef_search')::float8::int;
  if v_given ? 'saturate_at' then
    v_options.saturate_at := (v_given ->> 'saturate_at')::float8;
    if v_options.saturate_at not between 1e-9 and 1e9 then
      raise exception 'option saturate_at is %', left(v_given ->> 'saturate_at', 100)
        using errcode = '22023', hint = 'Give the BM25 score that counts as 1, from 1e-9 to 1e9.';
    end if;
  end if;
  if v_given ?| '{sparse,sparse_weight,sparse_min_score}' then
    v_options.sparse := v_given -> 'sparse';
    v_options.sparse_weight := (v_given ->> 'sparse_weight')::float8;
    v_options.sparse_min_score := (v_given ->> 'sparse_min_score')::float8;
    if v_options.sparse = 'true' then
      raise exception 'option sparse is true'
        using errcode = '22023',
              hint = 'Give an object of terms and their weights, or leave it out: a collection with a sparse encoder makes them '
                     'of the query''s words.';
    elsif not braid_store.is_weight(v_options.sparse_weight) then
      raise exception 'option sparse_weight is %', left(v_given ->> 'sparse_weight', 100)
        using errcode = '22023', hint = 'Use 0, or a number from 1e-9 to 1e9.';
    end if;
  end if;
  if v_given ?| '{rank_by,rerank}' then
    v_options := braid_store.read_rank_by_option(v_given, v_options);
  end if;
  if v_given ? 'late_interaction' then
    v_options := braid_store.read_late_interaction_option(v_given -> 'late_interaction', v_options);
  end if;
  if v_given ? 'profile' then
    v_options.profile := braid_store.read_profile_option(v_given -> 'profile');
  end if;
  if v_given ? 'model' then
    v_options.model := braid_store.read_model_option(v_given -> 'model');
  end if;
  v_options.boosts := coalesce(v_given -> 'boosts', v_options.boosts);
  return v_options;
end
$$;

comment on function braid_store.read_search_options(jsonb) is
  'Reads the options of a search from JSON and fills in the defaults of those that are not given. Raises 22023 for an '
  'option that is unknown, of a wrong type or with a value that cannot be used, and 54000 above 1000000 bytes. Boosts '
  'are checked later, when they are compiled.';
