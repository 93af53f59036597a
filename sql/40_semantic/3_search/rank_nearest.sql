create or replace function braid_store.rank_nearest(
  tenant_id int,
  distance text,
  chunk_ids bigint[],
  distances float8[],
  filter braid_store.filter,
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
set jit = off
as $$
begin
  execute format($query$
    with live as materialized (
      select n.chunk_id, %1$s as score, c.document_id, c.chunk_index, n.place
      from unnest($1, $2) with ordinality n (chunk_id, distance, place),
           lateral (
             select c.document_id, c.chunk_index from braid_store.chunks c
             where c.tenant_id = $3 and c.id = n.chunk_id and (%2$s)
             offset 0
           ) c
    ), best as (
      select l.*, count(*) over (partition by l.score) > 1 as is_tied
      from live l
      where l.score >= $4
    ), ranked as (
      select b.chunk_id, b.score, row_number() over (order by b.score desc, d.external_id, b.chunk_index)::int as rank
      from best b
      left join lateral (
        select d.external_id from braid_store.documents d
        where d.tenant_id = $3 and d.id = b.document_id and b.is_tied
        offset 0
      ) d on true
    )
    select array(select row(r.chunk_id, r.score, r.rank)::braid_store.candidate from ranked r where r.rank <= $5
                 order by r.rank),
           (select count(*) from live l where l.place <= $6)
    $query$,
    case rank_nearest.distance when 'cosine' then '1 - n.distance' when 'inner_product' then '-n.distance'
                               else '1 / (1 + n.distance)' end,
    filter.predicate)
  into candidates, found_count
  using chunk_ids, distances, tenant_id, coalesce(min_score, '-infinity'), candidate_count, counted;
end
$$;

comment on function braid_store.rank_nearest(int, text, bigint[], float8[], braid_store.filter, float8, int, int) is
  'Turns measured distances into ranked candidates: the candidate_count best of the chunks that exist and pass '
  'the filter. Their score is a similarity: 1 - distance for cosine, the inner product, or 1 / (1 + distance) for '
  'l2. Ranks begin at 1; equal scores are ordered by external_id and chunk_index. Scores below min_score are left '
  'out. found_count: how many of the first counted chunks exist and pass it, whatever their score.';
