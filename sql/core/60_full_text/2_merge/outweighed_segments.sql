create or replace function braid_store.outweighed_segments(tenant_id int, collection_id int, max_posting_count bigint)
returns bigint[]
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  -- Fewer deleted chunks than this are not worth a merge. The same number limits the cost of checking: each chunk
  -- written causes 64 tombstones to be read on average.
  c_count constant int := 64;
  v_live bigint;
  v_deleted bigint;
  v_written bigint; -- chunks that the last write added or deleted
  v_limit bigint;
begin
  select sum(s.chunk_count), -sum(s.chunk_count) filter (where s.is_deletion),
         abs((array_agg(s.chunk_count order by s.id desc))[1]), (array_agg(s.posting_count order by s.id desc))[1]
  into v_live, v_deleted, v_written, v_limit
  from braid_store.segments s
  where s.tenant_id = outweighed_segments.tenant_id and s.collection_id = outweighed_segments.collection_id;
  if coalesce(v_deleted, 0) <= v_live + c_count or random() * v_deleted > c_count * v_written then
    return null;
  end if;
  -- Merging a posting takes an eighth of the time of writing one. With this limit, the merge takes at most as long as
  -- the write itself.
  v_limit := greatest(outweighed_segments.max_posting_count, v_limit * 8);
  return (
    with deleted as materialized (
      select sc.segment_id, t.segment_id as deletion_id, count(*) as chunk_count
      from braid_store.tombstones t,
           lateral (
             select sc.segment_id from braid_store.segment_chunks sc
             where sc.tenant_id = t.tenant_id and sc.chunk_id = t.chunk_id
             offset 0
           ) sc
      where t.tenant_id = outweighed_segments.tenant_id and t.collection_id = outweighed_segments.collection_id
      group by sc.segment_id, t.segment_id
    ), sizes as materialized (
      select s.id, s.is_deletion, abs(s.chunk_count) as chunk_count, s.posting_count
      from braid_store.segments s
      where s.tenant_id = outweighed_segments.tenant_id and s.collection_id = outweighed_segments.collection_id
    ), segments as materialized (
      select s.id, s.chunk_count
      from (
        select s.id, s.chunk_count,
               sum(s.posting_count) over (order by d.chunk_count::float8 / s.chunk_count desc, s.id) as posting_counts
        from (select d.segment_id, sum(d.chunk_count) as chunk_count from deleted d group by d.segment_id) d
        join sizes s on s.id = d.segment_id
        where d.chunk_count * 2 >= s.chunk_count and s.posting_count <= v_limit
      ) s
      where s.posting_counts <= v_limit
    ), deletions as materialized (
      select s.id, d.chunk_count
      from (
        select d.deletion_id, sum(d.chunk_count) as chunk_count
        from deleted d
        join segments s on s.id = d.segment_id
        group by d.deletion_id
      ) d
      join sizes s on s.id = d.deletion_id
      where d.chunk_count * 2 >= s.chunk_count
    )
    -- At least half of the chunks are dropped, both from the segments and from the deletions. So the cost of rewriting
    -- the rest is proportional to the cost of the deletes.
    select array_agg(m.id)
    from (select s.id from segments s union all select d.id from deletions d) m
    having (select sum(d.chunk_count) from deletions d) * 2 >= (select sum(s.chunk_count) from segments s));
end
$$;

comment on function braid_store.outweighed_segments(int, int, bigint) is
  'Return the segments and deletions to merge if a tenant has more deleted chunks than live ones in a collection; '
  'null if there is nothing to merge. The merge drops at least half of the chunks that it reads. The segments have '
  'at most max_posting_count postings together, or eight times the postings of the last write if that is more. The '
  'check reads every tombstone. So it runs only after randomly chosen writes, less often the more tombstones there '
  'are; after other writes the result is null.';
