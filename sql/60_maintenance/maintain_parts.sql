create or replace function braid_store.maintain_parts(
  deadline timestamptz,
  out merges int,
  out segments int,
  out step_count int,
  out warnings text[],
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_part record;
  v_done record;
begin
  merges := 0;
  segments := 0;
  step_count := 0;
  warnings := '{}';
  is_complete := true;
  for v_part in
    select p.tenant_id, c as collection
    from (
      select s.tenant_id, s.collection_id from braid_store.segments s
      union
      select s.tenant_id, s.collection_id from braid_store.vector_shards s where s.state <> 'retired'
    ) p
    join braid_store.collections c on c.id = p.collection_id
    -- In another order each time, so that little time leaves nobody out for ever.
    order by random()
  loop
    begin
      v_done := braid_store.maintain_part(v_part.tenant_id, v_part.collection, maintain_parts.deadline);
      merges := merges + v_done.merges;
      segments := segments + v_done.segments;
      step_count := step_count + v_done.step_count;
      is_complete := is_complete and v_done.is_complete;
    exception when others then
      warnings := warnings || braid_store.report_failure(v_part.tenant_id, (v_part.collection).id, sqlstate, sqlerrm);
      is_complete := false;
    end;
    exit when not is_complete and (clock_timestamp() > maintain_parts.deadline or braid_store.keeps_waiting());
  end loop;
end
$$;

comment on function braid_store.maintain_parts(timestamptz) is
  'Does maintain_part for every tenant and collection until the deadline; where it fails, the others are done all the same.';
