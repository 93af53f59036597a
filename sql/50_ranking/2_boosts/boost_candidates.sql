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
  v_is_tied boolean;
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
    select coalesce(array_agg(o.candidate), '{}'), bool_or(o.is_tied)
    from (
      select row(f.chunk_id, s.score, f.full_text_score, f.full_text_normalised_score, f.full_text_rank, f.semantic_score,
                 f.semantic_normalised_score, f.semantic_rank, f.fused_score, jsonb_build_array(%s), f.group_score)
               ::braid_store.fused_candidate as candidate,
             lag(s.score) over best_first = s.score as is_tied
      from unnest($2) f,
           lateral (
             select %s from braid_store.chunks c where c.tenant_id = $1 and c.id = f.chunk_id offset 0
           ) v,
           lateral (select %s offset 0) p,
           lateral (select case when f.fused_score < 1e-150 then 0 else f.fused_score end%s as score offset 0) s
      window best_first as (order by s.score desc)
    ) o
    $query$, v_parts.reports, v_parts.sources, v_parts.parts, v_parts.sum)
  into v_boosted, v_is_tied
  using boost_candidates.tenant_id, boost_candidates.candidates;
  return case when v_is_tied then braid_store.order_candidates(tenant_id, v_boosted) else v_boosted end;
end
$$;

comment on function braid_store.boost_candidates(int, braid_store.fused_candidate[], braid_store.boost[]) is
  'Applies boosts to the scores of fused candidates and sorts them, best first. boosts: from compile_boosts.';
