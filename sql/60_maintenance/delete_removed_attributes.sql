create or replace function braid_store.delete_removed_attributes(deadline timestamptz)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c_batch_size constant int := 10000;
  v_part record;
  v_count int;
begin
  for v_part in
    select a.id, t.id as tenant_id
    from braid_store.indexed_attributes a
    cross join braid_store.tenants t
    where a.removed_at is not null
    order by a.id, t.id
  loop
    loop
      if clock_timestamp() > delete_removed_attributes.deadline then
        return false;
      end if;
      -- Two queries, for two partial indexes.
      delete from braid_store.chunk_attributes a
      where a.ctid = any (array(
        select v.ctid from braid_store.chunk_attributes v
        where v.tenant_id = v_part.tenant_id and v.attribute_id = v_part.id and v.text_value is not null
        limit c_batch_size
        for update skip locked));
      get diagnostics v_count = row_count;
      if v_count = 0 then
        delete from braid_store.chunk_attributes a
        where a.ctid = any (array(
          select v.ctid from braid_store.chunk_attributes v
          where v.tenant_id = v_part.tenant_id and v.attribute_id = v_part.id and v.number_value is not null
          limit c_batch_size
          for update skip locked));
        get diagnostics v_count = row_count;
      end if;
      exit when v_count = 0;
    end loop;
  end loop;
  -- A writer that began before the removal may still add rows, hence a day.
  delete from braid_store.indexed_attributes a where a.removed_at < clock_timestamp() - interval '1 day';
  return true;
end
$$;

comment on function braid_store.delete_removed_attributes(timestamptz) is
  'Deletes the rows of attributes that are no longer declared, until the deadline; whether none is left.';
