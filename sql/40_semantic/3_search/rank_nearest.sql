create or replace function braid_store.rank_nearest(
  tenant_id int,
  distance text,
  chunk_ids bigint[],
  distances float8[],
  min_score float8,
  candidate_count int,
  counted int,
  out candidates braid_store.candidate[],
  out found_count int
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  with live as materialized (
    select n.chunk_id, c.document_id, c.chunk_index, n.place,
           case rank_nearest.distance when 'cosine' then 1 - n.distance when 'inner_product' then -n.distance
                                      else 1 / (1 + n.distance) end as score
    from unnest(rank_nearest.chunk_ids, rank_nearest.distances) with ordinality n (chunk_id, distance, place),
         lateral (
           select c.document_id, c.chunk_index from braid_store.chunks c
           where c.tenant_id = rank_nearest.tenant_id and c.id = n.chunk_id
           offset 0
         ) c
  ), best as (
    select l.*, count(*) over (partition by l.score) > 1 as is_tied
    from live l
    where l.score >= coalesce(rank_nearest.min_score, '-infinity')
  ), ranked as (
    select b.chunk_id, b.score, row_number() over (order by b.score desc, d.external_id, b.chunk_index)::int as rank
    from best b
    left join lateral (
      select d.external_id from braid_store.documents d
      where d.tenant_id = rank_nearest.tenant_id and d.id = b.document_id and b.is_tied
      offset 0
    ) d on true
  )
  select array(select row(r.chunk_id, r.score, r.rank)::braid_store.candidate from ranked r
               where r.rank <= rank_nearest.candidate_count order by r.rank),
         (select count(*) from live l where l.place <= rank_nearest.counted)
  into candidates, found_count;
end
$$;

comment on function braid_store.rank_nearest(int, text, bigint[], float8[], float8, int, int) is
  'Turns measured distances into ranked candidates: the candidate_count best of the chunks that exist. Their score is '
  'a similarity: 1 - distance for cosine, the inner product, or 1 / (1 + distance) for l2. Ranks begin at 1; equal '
  'scores are ordered by external_id and chunk_index. Scores below min_score are left out. found_count: how many of '
  'the first counted chunks exist, whatever their score.';
