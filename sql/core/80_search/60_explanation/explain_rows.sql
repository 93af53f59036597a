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
begin
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
    ), extension as (
      select e.place, jsonb_object_agg(e.name, e.explanation) as explanations
      from braid_store.extend_explanation(explain_rows.request, explain_rows.results) e
      where (explain_rows.request).parts is not null
      group by e.place
    )
    select coalesce(jsonb_agg(jsonb_build_object(
             'place', n.place, 'chunk_id', r.chunk_id, 'external_id', r.external_id, 'chunk_index', r.chunk_index,
             'title', r.title, 'score', r.score,
             'arithmetic', braid_store.score_arithmetic(r, explain_rows.fusion, explain_rows.spread, e.explanations,
               false),
             'formula', braid_store.score_arithmetic(r, explain_rows.fusion, explain_rows.spread, e.explanations, true),
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
                    (explain_rows.request).tenant_id, ((explain_rows.request).collection).id,
                      (explain_rows.request).sparse,
                    r.chunk_id))) else '{}' end
             || coalesce(e.explanations, '{}')
             order by n.place), '[]')
    from generate_subscripts(explain_rows.results, 1) n (place)
    cross join lateral unnest(explain_rows.results[n.place:n.place]) r
    left join part p on p.chunk_number = n.place
    left join extension e on e.place = n.place);
end
$$;

comment on function braid_store.explain_rows(braid_store.search_request, jsonb, jsonb, braid_store.search_result[]) is
  'Explain the score of each row of a search, as JSON. The explanation has the rank and score in each leg, and what '
  'each word added to BM25 and each term to the sparse score. It also has what parts explain (extend_explanation), '
  'and the arithmetic. fusion: the report of braid_store.rank_found; null if only one leg was searched. spread: the '
  'report of braid_store.spread_candidates; null if scores were not shared.';
