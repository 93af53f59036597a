create or replace function braid_store.segments_to_merge(
  tenant_id int,
  collection braid_store.collections,
  max_posting_count bigint,
  with_rewrites boolean
)
returns bigint[]
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Tiers by powers of eight, as in a log-structured merge tree (O'Neil et al. 1996): each posting is rewritten once per
  -- tier. A segment is rewritten alone when a fifth of it is dead, or when its impacts were computed with other
  -- parameters or another average length, which loosens the bounds; finding that reads every tombstone: not after each
  -- write.
  with segments as (
    select s.id, s.is_deletion, abs(s.chunk_count) as chunk_count, s.posting_count, s.k1, s.b, s.title_weight,
           s.average_length, floor(ln(greatest(abs(s.chunk_count), 1)) / ln(8) + 1e-9) as tier
    from braid_store.segments s
    where s.tenant_id = segments_to_merge.tenant_id and s.collection_id = (segments_to_merge.collection).id
  ), dead as (
    select sc.segment_id, count(*) as chunk_count
    from braid_store.tombstones t,
         lateral (
           select sc.segment_id from braid_store.segment_chunks sc
           where sc.tenant_id = t.tenant_id and sc.chunk_id = t.chunk_id
           offset 0
         ) sc
    where segments_to_merge.with_rewrites and t.tenant_id = segments_to_merge.tenant_id
      and t.collection_id = (segments_to_merge.collection).id
    group by sc.segment_id
  ), choices as (
    select array_agg(s.id order by s.id) as ids, sum(s.posting_count) as posting_count
    from segments s
    group by s.is_deletion, s.tier
    -- Twenty bits number the chunks of a segment.
    having count(*) >= 8 and sum(s.chunk_count) < 1048576
    union all
    select array[s.id], s.posting_count
    from segments s
    left join dead d on d.segment_id = s.id
    where segments_to_merge.with_rewrites and not s.is_deletion
      and (d.chunk_count * 5 >= s.chunk_count
           or (s.k1, s.b, s.title_weight) <> ((segments_to_merge.collection).k1, (segments_to_merge.collection).b,
                                              (segments_to_merge.collection).title_weight)
           or abs(ln(s.average_length / braid_store.average_length(segments_to_merge.tenant_id,
                                                                   segments_to_merge.collection, '{}'))) > 0.1)
  )
  select c.ids
  from choices c
  where c.posting_count <= segments_to_merge.max_posting_count
  order by c.posting_count
  limit 1;
$$;

comment on function braid_store.segments_to_merge(int, braid_store.collections, bigint, boolean) is
  'The cheapest merge that is due and reads at most so many postings; null if there is none.';
