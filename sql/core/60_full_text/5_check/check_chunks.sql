create or replace function braid_store.check_chunks(tenant_id int, collection_id int)
returns table (problem text, chunk_id bigint)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
  -- Chunks are looked up by their ids alone: with the collection in the condition, the planner may read the whole
  -- collection.
  select p.problem, c.id
  from braid_store.chunks c,
       lateral (
         values
           ('chunk without forward row', not exists (
             select from braid_store.forward_rows f
             where f.tenant_id = check_chunks.tenant_id and f.chunk_id = c.id and f.collection_id = c.collection_id
             offset 0)),
           ('chunk in no segment', not exists (
             select
             from (
               select sc.collection_id from braid_store.segment_chunks sc
               where sc.tenant_id = check_chunks.tenant_id and sc.chunk_id = c.id
               offset 0
             ) sc
             where sc.collection_id = check_chunks.collection_id)),
           ('chunk in several segments', exists (
             select
             from (
               select sc.collection_id from braid_store.segment_chunks sc
               where sc.tenant_id = check_chunks.tenant_id and sc.chunk_id = c.id
               offset 0
             ) sc
             where sc.collection_id > 0
             offset 1)),
           ('tombstone of a chunk that lives', exists (
             select from braid_store.tombstones t
             where t.tenant_id = check_chunks.tenant_id and t.collection_id = check_chunks.collection_id
               and t.chunk_id = c.id
             offset 0))
       ) p (problem, is_there)
  where c.tenant_id = check_chunks.tenant_id and c.collection_id = check_chunks.collection_id and p.is_there
  union all
  select p.problem, sc.chunk_id
  from braid_store.segment_chunks sc,
       lateral (
         values
           ('chunk in a segment that is not there', not exists (
             select from braid_store.segments s
             where s.tenant_id = check_chunks.tenant_id and s.collection_id = check_chunks.collection_id
               and s.id = sc.segment_id and not s.is_deletion
             offset 0)),
           ('deleted chunk without tombstone', not exists (
             select
             from (
               select c.collection_id from braid_store.chunks c
               where c.tenant_id = check_chunks.tenant_id and c.id = sc.chunk_id
               offset 0
             ) c
             where c.collection_id = check_chunks.collection_id) and not exists (
             select from braid_store.tombstones t
             where t.tenant_id = check_chunks.tenant_id and t.collection_id = check_chunks.collection_id
               and t.chunk_id = sc.chunk_id
             offset 0))
       ) p (problem, is_there)
  where sc.tenant_id = check_chunks.tenant_id and sc.collection_id = check_chunks.collection_id and p.is_there
  union all
  select p.problem, t.chunk_id
  from braid_store.tombstones t,
       lateral (
         values
           ('tombstone without deletion', not exists (
             select from braid_store.segments s
             where s.tenant_id = check_chunks.tenant_id and s.collection_id = check_chunks.collection_id
               and s.id = t.segment_id and s.is_deletion
             offset 0)),
           ('tombstone without forward row', not exists (
             select from braid_store.forward_rows f
             where f.tenant_id = check_chunks.tenant_id and f.chunk_id = t.chunk_id
               and f.collection_id = t.collection_id
             offset 0)),
           ('tombstone of a chunk in no segment', not exists (
             select
             from (
               select sc.collection_id from braid_store.segment_chunks sc
               where sc.tenant_id = check_chunks.tenant_id and sc.chunk_id = t.chunk_id
               offset 0
             ) sc
             where sc.collection_id = check_chunks.collection_id))
       ) p (problem, is_there)
  where t.tenant_id = check_chunks.tenant_id and t.collection_id = check_chunks.collection_id and p.is_there
  union all
  select 'forward row without chunk', f.chunk_id
  from braid_store.forward_rows f
  where f.tenant_id = check_chunks.tenant_id and f.collection_id = check_chunks.collection_id
    and not exists (
      select
      from (
        select c.collection_id from braid_store.chunks c
        where c.tenant_id = check_chunks.tenant_id and c.id = f.chunk_id
        offset 0
      ) c
      where c.collection_id = check_chunks.collection_id)
    and not exists (
      select from braid_store.tombstones t
      where t.tenant_id = check_chunks.tenant_id and t.collection_id = check_chunks.collection_id
        and t.chunk_id = f.chunk_id
      offset 0);
$$;

comment on function braid_store.check_chunks(int, int) is
  'Find chunks whose rows in the full-text index are inconsistent, such as a chunk in no segment. Return one row for '
  'each problem.';
