create or replace function braid_store.reap_part(
  tenant_id int,
  collection_id int,
  deadline timestamptz,
  out document_count bigint,
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
  c_batch_size constant int := 2000;
  v_table text;
  v_chunk_ids bigint[];
  v_count bigint;
  v_is_left boolean;
begin
  document_count := 0;
  is_complete := false;
  loop
    v_chunk_ids := array(
      select c.id from braid_store.chunks c
      where c.tenant_id = reap_part.tenant_id and c.collection_id = reap_part.collection_id
      limit c_batch_size);
    exit when v_chunk_ids = '{}';
    -- Delete by id, because no index of these tables begins with the collection.
    delete from braid_store.forward_rows f
    where f.tenant_id + 0 = reap_part.tenant_id and f.ctid = any (array(
      select f.ctid
      from unnest(v_chunk_ids) u (id),
           lateral (
             select f.ctid from braid_store.forward_rows f where f.tenant_id = reap_part.tenant_id and f.chunk_id = u.id
             offset 0
           ) f));
    delete from braid_store.chunks c
    where c.tenant_id + 0 = reap_part.tenant_id and c.ctid = any (array(
      select c.ctid
      from unnest(v_chunk_ids) u (id),
           lateral (
             select c.ctid from braid_store.chunks c where c.tenant_id = reap_part.tenant_id and c.id = u.id offset 0
           ) c));
    -- Check the time after a batch, so that each call deletes at least one, however little time other tasks leave.
    if clock_timestamp() > reap_part.deadline then
      return;
    end if;
  end loop;
  -- Tombstones name chunks that were deleted one by one, whose forward rows only a merge would have deleted.
  loop
    v_chunk_ids := array(
      select t.chunk_id from braid_store.tombstones t
      where t.tenant_id = reap_part.tenant_id and t.collection_id = reap_part.collection_id
      limit c_batch_size);
    exit when v_chunk_ids = '{}';
    perform braid_store.erase_chunks(reap_part.tenant_id, reap_part.collection_id, v_chunk_ids);
    if clock_timestamp() > reap_part.deadline then
      return;
    end if;
  end loop;
  foreach v_table in array array_remove(array_remove(braid_store.collection_tables(is_dropped => true), 'chunks'),
    'forward_rows') loop
    loop
      execute format('delete from braid_store.%1$I where tenant_id + 0 = $1 and ctid = any (array(select ctid from '
                     'braid_store.%1$I where tenant_id = $1 and collection_id in ($2, -$2) limit $3))', v_table)
        using reap_part.tenant_id, reap_part.collection_id, c_batch_size;
      get diagnostics v_count = row_count;
      document_count := document_count + case v_table when 'documents' then v_count else 0 end;
      if v_count < c_batch_size then
        -- A row that another session has just moved was not deleted at its old place, so look again.
        execute format('select exists (select from braid_store.%I where tenant_id = $1 and collection_id in ($2, -$2))',
          v_table)
        into v_is_left
        using reap_part.tenant_id, reap_part.collection_id;
        exit when not v_is_left;
      end if;
      if clock_timestamp() > reap_part.deadline then
        return;
      end if;
    end loop;
  end loop;
  is_complete := true;
end
$$;

comment on function braid_store.reap_part(int, int, timestamptz) is
  'Delete what one tenant stored in a dropped collection, in batches until the deadline. document_count: the number '
  'of documents deleted. is_complete: whether nothing is left.';
