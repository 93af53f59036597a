create or replace function braid_store.maintain_attributes(deadline timestamptz, out chunk_count bigint, out is_complete boolean)
returns record
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_part record;
  v_last_id bigint;
  v_batch int;
begin
  chunk_count := 0;
  is_complete := true;
  for v_part in
    select t.id as tenant_id, v.collection_id, v.version
    from (select a.collection_id, max(a.id) as version from braid_store.indexed_attributes a
          where a.removed_at is null group by a.collection_id) v
    cross join braid_store.tenants t
    order by t.id, v.collection_id
  loop
    continue when not exists (
      select from braid_store.chunks c
      where c.tenant_id = v_part.tenant_id and c.collection_id = v_part.collection_id
        and c.attribute_version < v_part.version);
    -- A part that is being cleared or dropped must get no rows behind the back of that.
    if not braid_store.try_lock_part(v_part.collection_id, v_part.tenant_id) then
      is_complete := false;
      continue;
    end if;
    v_last_id := -9223372036854775808;
    loop
      select b.last_id, b.chunk_count into v_last_id, v_batch
      from braid_store.backfill_attributes(v_part.tenant_id, v_part.collection_id, v_last_id) b;
      chunk_count := chunk_count + v_batch;
      exit when v_last_id is null;
      -- Behind a batch, not before one: however little time merges leave, it gets on.
      if clock_timestamp() > maintain_attributes.deadline then
        is_complete := false;
        return;
      end if;
    end loop;
    -- Chunks that a writer had locked.
    is_complete := is_complete and not exists (
      select from braid_store.chunks c
      where c.tenant_id = v_part.tenant_id and c.collection_id = v_part.collection_id
        and c.attribute_version < v_part.version);
  end loop;
  is_complete := braid_store.delete_removed_attributes(maintain_attributes.deadline) and is_complete;
end
$$;

comment on function braid_store.maintain_attributes(timestamptz) is
  'Indexes the attributes of chunks that were stored before these were declared, of every tenant, in batches until the '
  'deadline, and deletes what removed attributes left behind. Says how many chunks, and whether none is left.';
