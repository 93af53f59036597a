-- Large segments list their chunks, so that the places of thousands that pass a filter are found without a descent in a B-tree
-- for each.
-- depends: 0036.fused_width

alter table braid_store.segments add column chunk_ids bigint[];
-- Compressed it would have to be unpacked for each search.
alter table braid_store.segments alter column chunk_ids set storage external, alter column chunk_ids set statistics 0;
comment on column braid_store.segments.chunk_ids is
    'The ids of its chunks in the order of their numbers, which is ascending: a copy of segment_chunks, for segments of 2048 '
    'chunks and more. Null: only segment_chunks knows.';

-- A segment at a time, whatever the planner takes the tables' sizes for. Null where numbers and ids do not rise together.
update braid_store.segments s
set chunk_ids = (
  select array_agg(sc.chunk_id order by sc.chunk_number)
  from braid_store.segment_chunks sc
  where sc.tenant_id = s.tenant_id and sc.collection_id = s.collection_id and sc.segment_id = s.id
  having array_agg(sc.chunk_id order by sc.chunk_number) = array_agg(sc.chunk_id order by sc.chunk_id)
     and min(sc.chunk_number) = 1 and max(sc.chunk_number) = s.chunk_count and count(*) = s.chunk_count)
where s.chunk_count >= 2048 and not s.is_deletion;
