create or replace function braid_store.segments_to_merge(
  tenant_id int,
  collection braid_store.collections,
  max_posting_count bigint default 9223372036854775807
)
returns bigint[]
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set enable_seqscan = off -- A cached plan could scan whole tables: see merge_segments.
as $$
  -- A single segment is rewritten when a fifth of its chunks are deleted. It is also rewritten when other BM25
  -- parameters, or a change of 10 % in the average length, have made its bounds loose. Finding it means reading every
  -- tombstone, which would be too slow after each write. A segment of sparse terms is rewritten when more than half of
  -- its chunks have other terms, or none.
  with dead as (
    select sc.segment_id, count(*) as chunk_count
    from braid_store.tombstones t,
         lateral (
           select sc.segment_id from braid_store.segment_chunks sc
           where sc.tenant_id = t.tenant_id and sc.chunk_id = t.chunk_id
           offset 0
         ) sc
    where t.tenant_id = segments_to_merge.tenant_id and t.collection_id = (segments_to_merge.collection).id
    group by sc.segment_id
  )
  select coalesce(
    braid_store.full_tier(segments_to_merge.tenant_id, (segments_to_merge.collection).id,
                          segments_to_merge.max_posting_count),
    (select array[s.id]
     from braid_store.segments s
     left join dead d on d.segment_id = s.id
     where s.tenant_id = segments_to_merge.tenant_id and s.collection_id = (segments_to_merge.collection).id
       and not s.is_deletion and s.max_weight is null and s.posting_count <= segments_to_merge.max_posting_count
       and (d.chunk_count * 5 >= s.chunk_count
            or (s.k1, s.b, s.title_weight)
               <> ((segments_to_merge.collection).k1,
                   coalesce((segments_to_merge.collection).b, braid_store.adaptive_b(s.average_length)),
                   (segments_to_merge.collection).title_weight)
            or abs(ln(s.average_length / braid_store.average_length(segments_to_merge.tenant_id,
                                                                    segments_to_merge.collection))) > 0.1)
     order by s.posting_count
     limit 1),
    (select array[s.id]
     from (
       select s.* from braid_store.segments s
       where s.tenant_id = segments_to_merge.tenant_id and s.collection_id = (segments_to_merge.collection).id
         and s.max_weight is not null and s.posting_count <= segments_to_merge.max_posting_count
       order by s.posting_count
       offset 0
     ) s
     where braid_store.is_hollow(s.tenant_id, s.collection_id, s.id, s.chunk_count)
     limit 1));
$$;

comment on function braid_store.segments_to_merge(int, braid_store.collections, bigint) is
  'Return the cheapest merge that is due, as ids of segments; null if there is none. A full tier comes first, then a '
  'single segment that should be rewritten. max_posting_count: the maximum number of postings that the merge may '
  'write.';
