create or replace function braid_store.rebuild_indexes(
  deadline timestamptz,
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
  -- Writers of a part wait meanwhile. A larger part takes longer than a second, and is left to rebuild_index().
  c_most_chunks constant int := 1000;
  v_started timestamptz := clock_timestamp();
  v_collection braid_store.collections;
  v_notes braid_store.due_parts[];
  v_part record;
  v_is_free boolean;
begin
  warnings := '{}';
  is_complete := true;
  v_notes := array(select n from braid_store.take_due_parts('rebuild_index', v_started) n);
  for v_part in
    select n.tenant_id, n.collection_id, array_agg(n) as notes
    from unnest(v_notes) n
    group by n.tenant_id, n.collection_id
    order by min(n.due_at)
  loop
    begin
      select c.* into v_collection from braid_store.collections c where c.id = v_part.collection_id;
      if not found or not exists (select from braid_store.tenants t where t.id = v_part.tenant_id) then
        perform braid_store.settle(v_part.notes, null, null);
      elsif (
        select sum(s.chunk_count) from braid_store.segments s
        where s.tenant_id = v_part.tenant_id and s.collection_id = v_part.collection_id) > c_most_chunks then
        -- health() reports this part.
        perform braid_store.put_off(v_part.notes, clock_timestamp() + interval '1 hour');
      else
        -- Lock as lock_part() does, but without waiting.
        v_is_free := braid_store.try_lock_part(v_part.collection_id, v_part.tenant_id);
        if v_is_free then
          select count(*) = 2 into v_is_free
          from (
            select from braid_locks.tenant_locks l
            where l.tenant_id = v_part.tenant_id and l.slot = braid_store.lock_slot(v_part.collection_id)
              and l.kind in ('turn', 'writing')
            for update skip locked
          ) l;
        end if;
        if v_is_free then
          perform braid_store.rebuild_part(v_part.tenant_id, v_collection);
        else
          perform braid_store.put_off(v_part.notes);
          is_complete := false;
        end if;
      end if;
    exception when others then
      warnings := warnings || braid_store.report_failure(v_part.tenant_id, v_part.collection_id, sqlstate, sqlerrm);
      is_complete := false;
      perform braid_store.put_off(v_part.notes);
    end;
    exit when clock_timestamp() > rebuild_indexes.deadline;
  end loop;
  is_complete := is_complete and not braid_store.has_due_parts('rebuild_index', v_started);
end
$$;

comment on function braid_store.rebuild_indexes(timestamptz) is
  'Rebuild full-text indexes if an upgrade has changed their tokens, in parts of up to 1,000 chunks, until the '
  'deadline. is_complete: whether no part is left.';
