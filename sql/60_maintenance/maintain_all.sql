-- Cross-tenant: owned by braid_owner.
create or replace function braid_store.maintain_all(time_budget interval)
returns jsonb
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_deadline timestamptz;
  v_part record;
  v_segment_ids bigint[];
  v_merged int;
  v_merges int := 0;
  v_segments int := 0;
  v_is_complete boolean := true;
begin
  if time_budget is null or time_budget <= interval '0' then
    raise exception 'time_budget is %', coalesce(time_budget::text, 'null')
      using errcode = '22023', hint = 'Use an interval above zero, for example ''10 seconds''.';
  elsif current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'maintain needs the isolation level read committed, this is %',
                    current_setting('transaction_isolation')
      using errcode = '0A000', hint = 'Run it in a transaction of the default isolation level.';
  end if;
  v_deadline := clock_timestamp() + time_budget;

  for v_part in
    select p.tenant_id, c as collection
    from (select distinct s.tenant_id, s.collection_id from braid_store.segments s) p
    join braid_store.collections c on c.id = p.collection_id
    order by p.tenant_id, c.id
  loop
    -- A part that is being cleared or dropped has nothing to merge.
    continue when not (
      pg_try_advisory_xact_lock_shared(braid_store.lock_key((v_part.collection).id))
      and pg_try_advisory_xact_lock_shared(braid_store.lock_key((v_part.collection).id, v_part.tenant_id)));
    loop
      v_segment_ids := braid_store.segments_to_merge(v_part.tenant_id, v_part.collection, 9223372036854775807,
                                                     true);
      exit when v_segment_ids is null;
      if clock_timestamp() > v_deadline then
        v_is_complete := false;
        exit;
      end if;
      v_merged := braid_store.merge_segments(v_part.tenant_id, v_part.collection, v_segment_ids,
                                             9223372036854775807);
      v_merges := v_merges + least(v_merged, 1);
      v_segments := v_segments + v_merged;
      exit when v_merged < cardinality(v_segment_ids); -- another session is at the others
    end loop;
    exit when not v_is_complete;
  end loop;
  return jsonb_build_object('merges', v_merges, 'segments_merged', v_segments, 'complete', v_is_complete);
end
$$;

comment on function braid_store.maintain_all(interval) is
  'Does the work of braid.maintain. A merge that has begun is finished, even past the budget.';
