create or replace function braid_store.explain_rows(
  request braid_store.search_request,
  fusion jsonb,
  spread jsonb,
  results braid_store.search_result[]
)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
declare
  c_most_trees constant int := 100000;
  v_model jsonb := ((explain_rows.request).options).model;
begin
  if cardinality(explain_rows.results) * jsonb_array_length(v_model -> 'trees') > c_most_trees then
    raise exception '% rows to explain, each by % trees of the ranking model, are more than % trees',
                    cardinality(explain_rows.results), jsonb_array_length(v_model -> 'trees'), c_most_trees
      using errcode = '54000', hint = 'Give a lower match_count.';
  end if;
  return (
    with part as (
      select p.chunk_number,
             jsonb_agg(jsonb_build_object('term', p.term, 'lexeme', p.lexeme, 'contribution', p.contribution)
                       order by p.contribution desc, p.term_number, p.lexeme collate "C") as parts
      from braid_store.score_parts(
             explain_rows.request.tenant_id, explain_rows.request.collection, explain_rows.request.query,
             array(select case when r.full_text_score > 0 then r.chunk_id end
                   from unnest(explain_rows.results) with ordinality r (chunk_id) order by r.ordinality)) p
      group by p.chunk_number
    )
    select coalesce(jsonb_agg(jsonb_build_object(
             'place', n.place, 'chunk_id', r.chunk_id, 'external_id', r.external_id, 'chunk_index', r.chunk_index,
             'title', r.title, 'score', r.score,
             'arithmetic', braid_store.score_arithmetic(r, explain_rows.fusion, explain_rows.spread, m.explained, false),
             'formula', braid_store.score_arithmetic(r, explain_rows.fusion, explain_rows.spread, m.explained, true),
             'spread', explain_rows.spread #> array['chunks', r.chunk_id::text],
             'fused_score', r.fused_score, 'boosts', r.boosts, 'group_score', r.group_score,
             'full_text', case when r.full_text_normalised_score is not null then jsonb_build_object(
               'rank', r.full_text_rank, 'score', r.full_text_score, 'normalised_score', r.full_text_normalised_score,
               'terms', coalesce(p.parts, '[]')) end,
             'semantic', case when r.semantic_normalised_score is not null then jsonb_build_object(
               'rank', r.semantic_rank, 'score', r.semantic_score, 'normalised_score', r.semantic_normalised_score) end)
             || case when r.sparse_normalised_score is not null then jsonb_build_object('sparse', jsonb_build_object(
                  'rank', r.sparse_rank, 'score', r.sparse_score, 'normalised_score', r.sparse_normalised_score,
                  'terms', braid_store.sparse_parts(
                    (explain_rows.request).tenant_id, ((explain_rows.request).collection).id, (explain_rows.request).sparse,
                    r.chunk_id))) else '{}' end
             || case when m.explained is not null then jsonb_build_object('model', m.explained) else '{}' end
             order by n.place), '[]')
    from generate_subscripts(explain_rows.results, 1) n (place)
    cross join lateral unnest(explain_rows.results[n.place:n.place]) r
    left join part p on p.chunk_number = n.place
    left join lateral (
      select braid_store.explain_model(v_model, b.value) as explained
      from jsonb_array_elements(r.boosts) b
      where v_model is not null and b.value ->> 'signal' = 'model'
      offset 0
    ) m on true);
end
$$;

comment on function braid_store.explain_rows(braid_store.search_request, jsonb, jsonb, braid_store.search_result[]) is
  'Explains the score of each row of a search, as JSON: its rank and score in each leg, what each word added to BM25 '
  'and each term to the sparse score, what a ranking model made of its features, and the arithmetic. fusion: the report of braid_store.rank_found; '
  'null if only one leg was searched. '
  'spread: that of braid_store.spread_candidates; null if scores were not shared.';
