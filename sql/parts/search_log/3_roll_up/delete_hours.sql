create or replace function braid_store.delete_hours(
  tenant_id int,
  collection_id int,
  end_hour timestamptz,
  deadline timestamptz
)
returns boolean
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
  v_count int;
begin
  loop
    delete from braid_store.search_hours h
    where h.ctid = any (array(
      select h.ctid
      from braid_store.search_hours h
      where h.tenant_id = delete_hours.tenant_id and h.collection_id = delete_hours.collection_id
        and h.hour < delete_hours.end_hour
      limit c_batch_size
      for update skip locked));
    get diagnostics v_count = row_count;
    if v_count < c_batch_size then
      return true;
    elsif clock_timestamp() > delete_hours.deadline then
      return false;
    end if;
  end loop;
end
$$;

comment on function braid_store.delete_hours(int, int, timestamptz, timestamptz) is
  'Delete a tenant''s counts of logged searches before an hour, in batches until the deadline. Return whether none '
  'is left.';
