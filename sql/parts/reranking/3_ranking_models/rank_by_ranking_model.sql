create or replace function braid_store.rank_by_ranking_model(
  request braid_store.search_request,
  candidates braid_store.fused_candidate[]
)
returns braid_store.fused_candidate[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
set extra_float_digits = 1
as $$
declare
  -- A ranking with this number of steps takes a few seconds.
  c_most_steps constant bigint := 100000000;
  v_model jsonb := request.parts #> '{ranking_model,model}';
  v_nodes bigint;
  v_names text[] := array(select jsonb_array_elements_text(v_model -> 'features'));
  v_scores float8[];
  v_reports jsonb[];
begin
  v_nodes := (select sum(jsonb_array_length(t.value -> 'feature')) from jsonb_array_elements(v_model -> 'trees') t);
  if cardinality(candidates) * v_nodes > c_most_steps then
    raise exception 'option ranking_model: % candidates, each at % nodes of trees, are more than % steps',
      cardinality(candidates),
                    v_nodes, c_most_steps
      using errcode = '54000', hint = 'Give a lower candidate_count, or a model of fewer trees.';
  end if;
  execute format($query$
    select array_agg(t.score order by f.place),
           array_agg(jsonb_build_array(jsonb_build_object(
             'signal', 'ranking_model', 'ranking_model', $4, 'value', s.sum, 'score', t.score,
             'features', jsonb_build_object(%s))) order by f.place)
    from braid_store.candidate_features($1, $2, $3) f,
         lateral (select %s as sum offset 0) s,
         -- The score rises with the sum, from 0 to 1, because boosts treat negative scores as 0.
         lateral (select case when s.sum < 0 then 0.5 / (1 - s.sum) else 1 - 0.5 / (1 + s.sum) end as score offset 0) t
    $query$,
    (select string_agg(format('%L, f.features[%s]', n.name, array_position(braid_store.known_ranking_features(),
      n.name)), ', '
                       order by n.place)
     from unnest(v_names) with ordinality n (name, place)),
    braid_store.ranking_model_expression(v_model))
  into v_scores, v_reports
  using request, candidates, v_names, request.parts #>> '{ranking_model,name}';
  for v_place in 1..cardinality(candidates) loop
    candidates[v_place].boosts := coalesce(candidates[v_place].boosts, '[]') || v_reports[v_place];
  end loop;
  return braid_store.rescore_candidates(request.tenant_id, candidates, v_scores);
end
$$;

comment on function braid_store.rank_by_ranking_model(braid_store.search_request, braid_store.fused_candidate[]) is
  'Score candidates anew by the ranking model of the request, and sort them, best first. With s as the sum of the '
  'model, the score is 0.5 / (1 - s) for s below 0, else 1 - 0.5 / (1 + s). The column boosts has the features, the '
  'sum (value) and the score.';
