create or replace function braid_store.maintain_lists(
  tenant_id int,
  collection_id int,
  deadline timestamptz,
  out chunk_count int,
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  c_block_size constant int := 16384;
  -- Smaller segments have no lists: has_due_lists, which uses the same number, explains why.
  c_least_listed constant int := 1000;
  v_has_many boolean := braid_store.has_many_changes(maintain_lists.tenant_id, maintain_lists.collection_id);
  v_has_listed boolean := false;
  v_block record;
  v_listed int;
begin
  chunk_count := 0;
  is_complete := false;
  if v_has_many then
    -- Notes about deleted chunks would go on counting as changes.
    delete from braid_store.changed_metadata g
    where g.tenant_id + 0 = maintain_lists.tenant_id and g.ctid = any (array(
      select g.ctid from braid_store.changed_metadata g
      where g.tenant_id = maintain_lists.tenant_id and g.collection_id = maintain_lists.collection_id
        and not exists (select from braid_store.chunks c where c.tenant_id = maintain_lists.tenant_id
          and c.id = g.chunk_id offset 0)
      for update skip locked));
  end if;
  for v_block in
    select s.id as segment_id, n.block
    from (
      select s.id, s.chunk_count, s.listed_count from braid_store.segments s
      where s.tenant_id = maintain_lists.tenant_id and s.collection_id = maintain_lists.collection_id
        and s.chunk_count >= c_least_listed and s.listed_count < s.chunk_count
      offset 0
    ) s,
    lateral (select generate_series(s.listed_count / c_block_size, (s.chunk_count - 1) / c_block_size) as block) n
    union
    select sc.segment_id, (sc.chunk_number - 1) / c_block_size
    from (
      select g.chunk_id from braid_store.changed_metadata g
      where v_has_many and g.tenant_id = maintain_lists.tenant_id and g.collection_id = maintain_lists.collection_id
      offset 0
    ) g,
    lateral (
      select sc.collection_id, sc.segment_id, sc.chunk_number from braid_store.segment_chunks sc
      where sc.tenant_id = maintain_lists.tenant_id and sc.chunk_id = g.chunk_id
      offset 0
    ) sc
    where sc.collection_id > 0 -- Lists are for full text's segments.
    order by 1, 2
  loop
    -- List at least one block, so that calls with little time make progress, too.
    if v_has_listed and clock_timestamp() > maintain_lists.deadline or braid_store.keeps_waiting() then
      return;
    end if;
    v_listed := braid_store.list_block(maintain_lists.tenant_id, maintain_lists.collection_id, v_block.segment_id,
      v_block.block);
    if v_listed is null then
      return;
    end if;
    maintain_lists.chunk_count := maintain_lists.chunk_count + v_listed;
    v_has_listed := true;
  end loop;
  maintain_lists.is_complete := true;
end
$$;

comment on function braid_store.maintain_lists(int, int, timestamptz) is
  'List the metadata values of a tenant''s part of a collection: of chunks that are not listed yet, and again where '
  'too many chunks have changed. List at least one block of chunks, and stop at the deadline. chunk_count: the '
  'number of chunks listed. is_complete: whether nothing is left.';
