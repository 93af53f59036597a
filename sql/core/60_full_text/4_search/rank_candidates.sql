create or replace function braid_store.rank_candidates(
  tenant_id int,
  chunk_ids bigint[],
  scores float8[],
  threshold float8,
  candidate_count int
)
returns braid_store.candidate[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  return array(
    select row(s.chunk_id, s.score, row_number() over (order by s.score desc, t.external_id, t.chunk_index))
             ::braid_store.candidate
    from (
      select s.chunk_id, s.score, count(*) over (partition by s.score) > 1 as is_tied
      from unnest(rank_candidates.chunk_ids, rank_candidates.scores) s (chunk_id, score)
      where s.score >= rank_candidates.threshold and s.score > 0
      offset 0
    ) s
    left join lateral (
      select d.external_id, c.chunk_index
      from braid_store.chunks c,
           lateral (
             select d.external_id from braid_store.documents d
             where d.tenant_id = rank_candidates.tenant_id and d.id between c.document_id and c.document_id
             order by d.id
             offset 0
           ) d
      where c.tenant_id = rank_candidates.tenant_id and c.id between s.chunk_id and s.chunk_id and s.is_tied
      order by c.id
      offset 0
    ) t on true
    order by s.score desc, t.external_id, t.chunk_index
    limit rank_candidates.candidate_count);
end
$$;

comment on function braid_store.rank_candidates(int, bigint[], float8[], float8, int) is
  'Return the candidate_count best of scored chunks, with ranks from 1; equal scores are ordered by external_id and '
  'chunk_index. Scores that are 0 or below threshold are left out.';
