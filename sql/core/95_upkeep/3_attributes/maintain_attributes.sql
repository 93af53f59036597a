create or replace function braid_store.maintain_attributes(
  deadline timestamptz,
  out chunk_count bigint,
  out warnings text[],
  out is_complete boolean
)
returns record
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_started timestamptz := clock_timestamp();
  v_notes braid_store.due_parts[];
  v_part record;
  v_last_id bigint;
  v_batch int;
  v_is_done boolean;
begin
  chunk_count := 0;
  warnings := '{}';
  is_complete := true;
  <<parts>>
  loop
    v_notes := array(select n from braid_store.take_due_parts('index_attributes', v_started) n);
    exit when v_notes = '{}';
    for v_part in
      select n.tenant_id, n.collection_id, array_agg(n) as notes
      from unnest(v_notes) n
      group by n.tenant_id, n.collection_id
      order by min(n.due_at)
    loop
      begin
        -- A part that is being cleared or dropped must not get new rows.
        v_is_done := braid_store.try_lock_part(v_part.collection_id, v_part.tenant_id);
        v_last_id := case when v_is_done then -9223372036854775808 end;
        while v_last_id is not null loop
          select b.last_id, b.chunk_count into v_last_id, v_batch
          from braid_store.backfill_attributes(v_part.tenant_id, v_part.collection_id, v_last_id) b;
          chunk_count := chunk_count + v_batch;
          -- Check the time after a batch, so that each call indexes at least one, however little time merges leave.
          exit when clock_timestamp() > maintain_attributes.deadline;
        end loop;
        if v_is_done and v_last_id is null then
          v_is_done := braid_store.delete_attributes(v_part.tenant_id, v_part.collection_id,
            maintain_attributes.deadline);
        end if;
        -- has_due_attributes also finds the chunks that were skipped because a writer had locked them.
        if v_is_done and not braid_store.has_due_attributes(v_part.tenant_id, v_part.collection_id)
           or not exists (select from braid_store.collections c where c.id = v_part.collection_id) then
          perform braid_store.settle(v_part.notes, null, null);
        else
          is_complete := false;
          perform braid_store.put_off(v_part.notes);
        end if;
      exception when others then
        warnings := warnings || braid_store.report_failure(v_part.tenant_id, v_part.collection_id, sqlstate, sqlerrm);
        is_complete := false;
        perform braid_store.put_off(v_part.notes);
      end;
      if clock_timestamp() > maintain_attributes.deadline then
        exit parts;
      end if;
    end loop;
  end loop;
  is_complete := is_complete and not braid_store.has_due_parts('index_attributes', v_started);
  perform braid_store.forget_attributes();
end
$$;

comment on function braid_store.maintain_attributes(timestamptz) is
  'Index attributes for chunks that were stored before the attributes were declared, in the parts that a visit has '
  'noted, in batches until the deadline. Delete the rows of removed attributes, too. chunk_count: the number of '
  'chunks indexed. is_complete: whether nothing is left.';
