create or replace function braid_store.rank_nearest(
  tenant_id int,
  distance text,
  chunk_ids bigint[],
  distances float8[],
  min_score float8,
  candidate_count int,
  counted int,
  are_live boolean,
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
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  v_is_tied boolean;
begin
  select coalesce(array_agg(b.candidate) filter (where b.score >= coalesce(rank_nearest.min_score, '-infinity')), '{}'),
         count(*) filter (where b.place <= rank_nearest.counted), coalesce(bool_or(b.is_tied), false)
  into candidates, found_count, v_is_tied
  from (
    select row(l.chunk_id, l.score, row_number() over best_first)::braid_store.candidate as candidate, l.score, l.place,
           lag(l.score) over best_first = l.score as is_tied
    from (
      select n.chunk_id, n.place,
             case rank_nearest.distance when 'cosine' then 1 - n.distance when 'inner_product' then -n.distance
                                        else 1 / (1 + n.distance) end as score
      from unnest(rank_nearest.chunk_ids, rank_nearest.distances) with ordinality n (chunk_id, distance, place)
      where rank_nearest.are_live or (
        select true from braid_store.chunks c
        where c.tenant_id = rank_nearest.tenant_id and c.id between n.chunk_id and n.chunk_id
        order by c.id
      )
    ) l
    window best_first as (order by l.score desc)
  ) b;
  if v_is_tied then
    candidates := array(
      select row(n.chunk_id, n.score, row_number() over (order by n.score desc, c.external_id, c.chunk_index))
               ::braid_store.candidate
      from (select n.*, count(*) over (partition by n.score) > 1 as is_tied from unnest(candidates) n offset 0) n
      left join lateral (
        select d.external_id, c.chunk_index
        from braid_store.chunks c,
             lateral (
               select d.external_id from braid_store.documents d
               where d.tenant_id = rank_nearest.tenant_id and d.id between c.document_id and c.document_id
               order by d.id
               offset 0
             ) d
        where c.tenant_id = rank_nearest.tenant_id and c.id between n.chunk_id and n.chunk_id and n.is_tied
        order by c.id
        offset 0
      ) c on true);
  end if;
  candidates := candidates[:rank_nearest.candidate_count];
end
$$;

comment on function braid_store.rank_nearest(int, text, bigint[], float8[], float8, int, int, boolean) is
  'Turn measured distances into ranked candidates: the candidate_count best of the chunks that exist. Their score is '
  'a similarity: 1 - distance for cosine, the inner product, or 1 / (1 + distance) for l2. Ranks begin at 1; equal '
  'scores are ordered by external_id and chunk_index. Scores below min_score are left out. found_count: how many of '
  'the first "counted" chunks exist, whatever their score. are_live: whether all chunks are known to exist, as after '
  'a filter was tested on each.';
