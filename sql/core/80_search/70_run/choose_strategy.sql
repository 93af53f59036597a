create or replace function braid_store.choose_strategy(request braid_store.search_request)
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
  v_request braid_store.search_request := request;
  v_named record;
  v_condition braid_store.query_condition;
  v_demand braid_store.text_query := braid_store.empty_query();
begin
  if request.legs not in ('hybrid', 'full_text') then
    v_request.options.strategy_reason := format('There is no choice: the search is %s.', request.legs);
    return v_request;
  end if;
  -- A demand limits the rows already. The other clauses with one spelling order them.
  select coalesce(array_agg(n.condition) filter (where n.is_there), '{}') as conditions,
         string_agg(n.written, ', ') filter (where n.is_there) as present,
         string_agg(n.written, ', ') filter (where not n.is_there) as absent
  into v_named
  from (
    select c as condition, format('"%s"', left(p.content, 60)) as written,
           not coalesce(c.lexemes && (request.query).absent_terms, false) as is_there
    from (
      select p.*, count(*) over () <= 32 as is_query
      from braid_store.parse_query(request.query_text, (request.collection).text_config) p
    ) p
    join lateral unnest(braid_store.query_conditions(array(
           select row(t.clause_number, t.clause_number, 'must', t.kind, t.position, t.lexeme, t.token_kind,
                      t.written)::braid_store.query_token
           from unnest(request.tokens) t where t.clause_number = p.clause_number))) c on true
    -- A longer text is no query that somebody typed, and its quotations are by the way.
    where p.is_query and p.occurrence = 'should'
      -- One quoted word is seldom a name.
      and (p.kind = 'phrase' and cardinality(c.lexemes) > 1
           or p.kind = 'word' and p.content in (
                select i from unnest(braid_store.query_identifiers(request.query_text)) i))
    order by p.clause_number
    limit 8
  ) n;
  if cardinality(v_named.conditions) = 1 and (request.filter).is_empty
     and (request.query).conditions = '{}' and (request.query).required_words = 1
     and num_nonnulls((request.options).group_by, request.min_score, (request.options).min_relevance,
                      (request.options).full_text_min_score, (request.options).semantic_min_score) = 0
     and not ((request.options).collapse or (request.options).collapse_similarity is not null)
     and exists (
       select from unnest((request.query).lexemes, (request.query).document_frequencies) q (lexeme, frequency)
       -- Without vectors, 100 candidates or more are reordered.
       where q.frequency > greatest(request.candidate_count, case when request.legs = 'full_text' then 100 end)
             and array[q.lexeme] = (v_named.conditions)[1].lexemes) then
    -- More chunks have the identifier than there are candidates, and they fill the page, so others can be left out.
    -- Groups or least scores might leave the page unfilled.
    v_request.query.conditions := v_named.conditions;
    v_request.query.required_words := 0;
    v_request.query := braid_store.choose_driver(request.tenant_id, (request.collection).id, v_request.query);
    v_named.conditions := '{}';
  end if;
  foreach v_condition in array v_named.conditions loop
    v_demand.conditions := array[v_condition];
    -- A chunk with the identifier gets more than the best score, so no chunk without any identifier is above it.
    v_request.boosts := v_request.boosts || row(
      'identifier',
      format('case when %s then 1 + greatest((select max(n.score) from unnest($2) n), 0) end',
             braid_store.demand_condition(request.tenant_id, v_demand)),
      true, 1)::braid_store.boost;
    v_request.options.is_rearranged := true;
  end loop;
  v_request.options.strategy_reason := concat_ws(
    ' ',
    case when cardinality((v_request.query).conditions) > cardinality((request.query).conditions)
         then 'Many chunks have ' || v_named.present || ', so all rows have it.'
         else 'Chunks with ' || v_named.present || ' come first.' end,
    'No chunk has ' || v_named.absent || '.',
    case when v_named.present is not null or v_named.absent is not null then null
         when (request.query).conditions <> '{}'
           then 'All rows meet the demands of the query, and are ranked as always.'
         else 'The query names nothing that has one spelling, so it is ranked as always.' end,
    case when request.legs = 'hybrid' and (request.query).lexemes = '{}'
         then 'No chunk has a word of it, so vectors alone rank it.' end);
  return v_request;
end
$$;

comment on function braid_store.choose_strategy(braid_store.search_request) is
  'Let the query decide how it is searched: chunks that have an identifier or a quotation of the query rank above all '
  'others. If many chunks have the only identifier, the others are left out. Versions, codes and paths are '
  'identifiers. Set options.strategy_reason to what was chosen, and why.';
