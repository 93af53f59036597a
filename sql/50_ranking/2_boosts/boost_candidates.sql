create or replace function braid_store.boost_candidates(
  tenant_id int,
  candidates braid_store.fused_candidate[],
  boosts braid_store.boost[]
)
returns braid_store.fused_candidate[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  v_parts record;
  v_boosted braid_store.fused_candidate[];
begin
  select string_agg(format('%s as value%s', b.source, b.place), ', ' order by b.place) as sources,
         string_agg(case when b.is_additive then format('coalesce(%L::float8 * v.value%s, 0) as part%2$s', b.weight, b.place)
                         else format('case when v.value%2$s is null then 1 '
                                     'else greatest((1 - %1$L::float8) + %1$L::float8 * v.value%2$s, 0) end as part%2$s',
                                     b.weight, b.place) end, ', ' order by b.place) as parts,
         coalesce(string_agg(format(' * p.part%s', b.place), '' order by b.place) filter (where not b.is_additive), '')
         || coalesce(string_agg(format(' + p.part%s', b.place), '' order by b.place) filter (where b.is_additive), '')
           as sum,
         string_agg(format('jsonb_build_object(''signal'', %L, ''value'', v.value%s, %L, p.part%2$s)', b.label, b.place,
                           case when b.is_additive then 'addend' else 'factor' end), ', ' order by b.place) as reports
  into v_parts
  from unnest(boost_candidates.boosts) with ordinality b (label, source, is_additive, weight, place);
  execute format($query$
    select array(
      select row(f.chunk_id, case when f.fused_score < 1e-150 then 0 else f.fused_score end%s, f.full_text_score,
                 f.full_text_normalised_score, f.full_text_rank, f.semantic_score, f.semantic_normalised_score,
                 f.semantic_rank, f.fused_score, jsonb_build_array(%s), f.group_score)::braid_store.fused_candidate
      from unnest($2) f,
           lateral (
             select %s from braid_store.chunks c where c.tenant_id = $1 and c.id = f.chunk_id offset 0
           ) v,
           lateral (select %s offset 0) p)
    $query$, v_parts.sum, v_parts.reports, v_parts.sources, v_parts.parts)
  into v_boosted
  using boost_candidates.tenant_id, boost_candidates.candidates;
  return braid_store.order_candidates(tenant_id, v_boosted);
end
$$;

comment on function braid_store.boost_candidates(int, braid_store.fused_candidate[], braid_store.boost[]) is
  'Applies boosts to the scores of fused candidates and sorts them, best first. boosts: from compile_boosts.';
