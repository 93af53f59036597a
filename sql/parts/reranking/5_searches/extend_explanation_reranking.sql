create or replace function braid_store.extend_explanation_reranking(
  request braid_store.search_request,
  results braid_store.search_result[]
)
returns table (place int, name text, explanation jsonb)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_most_trees constant int := 100000;
  v_model jsonb := extend_explanation_reranking.request.parts #> '{ranking_model,model}';
begin
  if cardinality(results) * jsonb_array_length(v_model -> 'trees') > c_most_trees then
    raise exception '% rows to explain, each by % trees of the ranking model, are more than % trees',
                    cardinality(results), jsonb_array_length(v_model -> 'trees'), c_most_trees
      using errcode = '54000', hint = 'Give a lower match_count.';
  end if;
  return query
  select r.ordinality::int, 'ranking_model', braid_store.explain_ranking_model(v_model, b.value)
  from unnest(results) with ordinality r, jsonb_array_elements(r.boosts) b
  where v_model is not null and b.value ->> 'signal' = 'ranking_model';
end
$$;

comment on function braid_store.extend_explanation_reranking(braid_store.search_request, braid_store.search_result[]) is
  'Explain the score that the ranking model of a search gave each row, as explain_ranking_model does.';
