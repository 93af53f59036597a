-- Large segments list their chunks, so that the places of thousands that pass a filter are found without a descent in a B-tree
-- for each.
-- depends: 0036.fused_width

alter table braid_store.segments add column chunk_ids bigint[];
-- Compressed it would have to be unpacked for each search.
alter table braid_store.segments alter column chunk_ids set storage external, alter column chunk_ids set statistics 0;
comment on column braid_store.segments.chunk_ids is
    'The ids of its chunks in the order of their numbers, which is ascending: a copy of segment_chunks, for segments of 2048 '
    'chunks and more. Null: only segment_chunks knows.';

update braid_store.segments s
set chunk_ids = i.chunk_ids
from (
  select sc.tenant_id, sc.collection_id, sc.segment_id, array_agg(sc.chunk_id order by sc.chunk_number) as chunk_ids,
         array_agg(sc.chunk_id order by sc.chunk_id) as ascending, min(sc.chunk_number) as first, max(sc.chunk_number) as last
  from braid_store.segment_chunks sc
  group by sc.tenant_id, sc.collection_id, sc.segment_id
  having count(*) >= 2048
) i
where s.tenant_id = i.tenant_id and s.collection_id = i.collection_id and s.id = i.segment_id and not s.is_deletion
  and i.chunk_ids = i.ascending and i.first = 1 and i.last = cardinality(i.chunk_ids) and i.last = s.chunk_count;
