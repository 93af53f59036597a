create or replace function braid_store.maintain_parts(
  deadline timestamptz,
  is_bounded boolean,
  out merges int,
  out segments int,
  out step_count int,
  out listed_count int,
  out warnings text[],
  out is_complete boolean,
  out seconds_needed int
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  -- A visit locks a shard and its indexes, or makes them, and they stay locked until the transaction ends. All sessions
  -- share the server's lock table.
  c_most_shards constant int := 100;
  -- A part put off during this call is left to the next one.
  v_started timestamptz := clock_timestamp();
  v_ended_before xid8 := coalesce((braid_store.open_transactions()).oldest, '18446744073709551615');
  v_notes braid_store.due_parts[];
  v_open record;
  v_part record;
  v_done record;
  v_shards int := 0;
begin
  merges := 0;
  segments := 0;
  step_count := 0;
  listed_count := 0;
  warnings := '{}';
  is_complete := true;
  <<batches>>
  loop
    v_notes := array(select n from braid_store.take_due_parts('visit', v_started, v_ended_before) n);
    exit when v_notes = '{}';
    v_open := braid_store.open_transactions();
    for v_part in
      select n.tenant_id, c as collection, array_agg(n) as notes
      from unnest(v_notes) n
      left join braid_store.collections c on c.id = n.collection_id
      group by n.tenant_id, n.collection_id, c
      order by min(n.due_at)
    loop
      begin
        if (v_part.collection).id is null
           or not exists (select from braid_store.tenants t where t.id = v_part.tenant_id) then
          perform braid_store.settle(v_part.notes, null, null); -- The collection or the tenant was dropped.
        else
          v_done := braid_store.maintain_part(v_part.tenant_id, v_part.collection, maintain_parts.deadline,
                                              maintain_parts.is_bounded);
          merges := merges + v_done.merges;
          segments := segments + v_done.segments;
          step_count := step_count + v_done.step_count;
          listed_count := listed_count + v_done.listed_count;
          v_shards := v_shards + (exists (
            select from braid_store.vector_shards s
            where s.tenant_id = v_part.tenant_id and s.collection_id = (v_part.collection).id))::int;
          seconds_needed := greatest(seconds_needed, v_done.seconds_needed);
          is_complete := is_complete and v_done.is_complete;
          if v_done.warning is not null then
            warnings := warnings || v_done.warning;
          end if;
          if v_done.is_complete then
            perform braid_store.settle(v_part.notes, v_open.oldest, v_open.newest);
          else
            perform braid_store.put_off(v_part.notes);
          end if;
          insert into braid_store.due_parts (tenant_id, collection_id, task, due_at)
          select v_part.tenant_id, (v_part.collection).id, 'visit', v_done.next_visit
          where v_done.is_complete and v_done.next_visit is not null;
        end if;
      exception when others then
        warnings := warnings || braid_store.report_failure(v_part.tenant_id, (v_part.collection).id, sqlstate, sqlerrm);
        is_complete := false;
        perform braid_store.put_off(v_part.notes);
      end;
      if clock_timestamp() > maintain_parts.deadline or v_shards = c_most_shards
         or not is_complete and braid_store.keeps_waiting() then
        exit batches;
      end if;
    end loop;
  end loop;
  is_complete := is_complete and not braid_store.has_due_parts('visit', v_started);
end
$$;

comment on function braid_store.maintain_parts(timestamptz, boolean) is
  'Call maintain_part for the parts that are due, the longest due first. Stop at the deadline, or after 100 parts '
  'with vector shards. If one part fails, the others are done.';
