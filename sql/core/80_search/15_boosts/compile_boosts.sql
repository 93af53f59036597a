-- The option boosts of a search is a list of objects, each with one signal:
--
--   {"recency": {"half_life": "30 days", "function": "gaussian", "origin": "2026-05-01", "offset": "1 day"}}
--   {"importance": {"function": "log", "factor": 2, "missing": 0}}
--   {"attribute": "views", "function": "log", "factor": 2, "missing": 0}   a metadata key, or importance, token_count
--   {"filter": {"category": "faq"}, "factor": 1.5}
--
-- Each may also have "weight" (default 1) and "mode", multiplicative (default) or additive. A filter has the value
-- factor for the chunks that match. recency_value and number_value describe the values of the other signals. A chunk
-- without a value keeps its score.
--
--   score = max(fused_score, 0) × factor × … + addend + …, in the order of the boosts
--   factor = max(0, (1 - weight) + weight × value)
--   addend = weight × value
create or replace function braid_store.compile_boosts(
  boosts jsonb,
  tenant_id int,
  collection_id int
)
returns braid_store.boost[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_boosts constant int := 8;
  v_boost jsonb;
  v_place bigint;
  v_signals text[];
  v_given jsonb;
  v_mode text;
  v_compiled braid_store.boost;
  v_boosts braid_store.boost[] := '{}';
begin
  if jsonb_array_length(boosts) > c_most_boosts then
    raise exception 'option boosts has % boosts; the most allowed is %', jsonb_array_length(boosts), c_most_boosts
      using errcode = '22023', hint = 'Give fewer boosts: keep the most important ones.';
  end if;

  for v_boost, v_place in select b.value, b.place from jsonb_array_elements(boosts) with ordinality b (value,
    place) loop
    if jsonb_typeof(v_boost) <> 'object' then
      raise exception 'option boosts, number %, is %', v_place, left(v_boost::text, 100)
        using errcode = '22023', hint = 'Give an object, such as {"recency": {"half_life": "30 days"}}.';
    end if;
    v_signals := array(select k from jsonb_object_keys(v_boost) k
                       where k in ('recency', 'importance', 'attribute', 'filter') order by k);
    if cardinality(v_signals) <> 1 then
      raise exception 'option boosts, number %, has % signals: %', v_place, cardinality(v_signals),
        left(v_boost::text, 100)
        using errcode = '22023', hint = 'Give each boost one of recency, importance, attribute and filter.';
    end if;
    perform braid_store.boost_keys(
      v_place, v_boost,
      v_signals || case v_signals[1] when 'attribute' then '{function,factor,missing,mode,weight}'
                                     when 'filter' then '{factor,mode,weight}' else '{mode,weight}' end::text[]);
    v_given := v_boost -> v_signals[1];
    if jsonb_typeof(v_given) <> (case v_signals[1] when 'attribute' then 'string' else 'object' end) then
      perform braid_store.boost_error(
        v_place, v_signals[1], v_given,
        case v_signals[1] when 'attribute' then 'Give the name of a metadata key, of importance or of token_count.'
                          when 'filter' then 'Give a filter, such as {"category": "faq"}.'
                          when 'recency' then 'Give an object, such as {"half_life": "30 days"}.'
                          else 'Give an object, such as {} or {"function": "log"}.' end);
    end if;
    if v_signals[1] = 'attribute'
       and v_given #>> '{}' in ('', 'category', 'external_id', 'language', 'occurred_at', 'source_uri', 'speaker') then
      perform braid_store.boost_error(
        v_place, 'attribute', v_given,
        'Give the name of a metadata key, of importance or of token_count. Boost a date by recency, and a value by '
        'filter.');
    end if;
    v_mode := coalesce(nullif(v_boost -> 'mode', 'null') #>> '{}', 'multiplicative');
    if v_mode not in ('multiplicative', 'additive') then
      perform braid_store.boost_error(v_place, 'mode', v_boost -> 'mode', 'Use multiplicative or additive.');
    end if;

    case v_signals[1]
      when 'recency' then
        v_compiled.source := braid_store.recency_value(v_place, v_given);
      when 'importance' then
        perform braid_store.boost_keys(v_place, v_given, '{function,factor,missing}');
        v_compiled.source := braid_store.number_value(v_place, 'importance', v_given);
      when 'attribute' then
        v_compiled.source := braid_store.number_value(v_place, v_given #>> '{}', v_boost);
      else
        if coalesce(v_boost -> 'factor', 'null') = 'null' then
          perform braid_store.boost_error(
            v_place, 'factor', null,
            'Give the factor that multiplies the scores of matching chunks, or that is added to them: {"filter": '
            '{…}, "factor": 1.5}.');
        end if;
        v_compiled.source := format(
          'case when %s then %L::float8 end',
          braid_store.filter_predicate(v_given, compile_boosts.tenant_id, compile_boosts.collection_id),
          braid_store.boost_number(v_place, v_boost, 'factor', null,
                                   case v_mode when 'additive' then -1e9 else 0 end, 1e9));
    end case;
    v_compiled.label := case v_signals[1] when 'attribute' then v_given #>> '{}' else v_signals[1] end;
    v_compiled.is_additive := v_mode = 'additive';
    v_compiled.weight := braid_store.boost_number(v_place, v_boost, 'weight', 1, 0, 1e6);
    v_boosts := v_boosts || v_compiled;
  end loop;
  return v_boosts;
end
$$;

comment on function braid_store.compile_boosts(jsonb, int, int) is
  'Check the boosts in a search''s options, and compile them for boost_candidates. Raise 22023 for an invalid boost.';
