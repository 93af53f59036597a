create or replace function braid_store.delete_attributes(tenant_id int, collection_id int, deadline timestamptz)
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
  c_batch_size constant int := 10000;
  v_attribute_id int;
  v_count int;
begin
  for v_attribute_id in
    select a.id from braid_store.indexed_attributes a
    where a.collection_id = delete_attributes.collection_id and a.removed_at is not null
    order by a.id
  loop
    loop
      -- There are two queries because there are two partial indexes.
      delete from braid_store.chunk_attributes a
      where a.tenant_id + 0 = delete_attributes.tenant_id and a.ctid = any (array(
        select v.ctid from braid_store.chunk_attributes v
        where v.tenant_id = delete_attributes.tenant_id and v.attribute_id = v_attribute_id and v.text_value is not null
        limit c_batch_size
        for update skip locked));
      get diagnostics v_count = row_count;
      if v_count = 0 then
        delete from braid_store.chunk_attributes a
        where a.tenant_id + 0 = delete_attributes.tenant_id and a.ctid = any (array(
          select v.ctid from braid_store.chunk_attributes v
          where v.tenant_id = delete_attributes.tenant_id and v.attribute_id = v_attribute_id
            and v.number_value is not null
          limit c_batch_size
          for update skip locked));
        get diagnostics v_count = row_count;
      end if;
      exit when v_count = 0;
      -- Check the time after a batch, so that each call deletes at least one, however little time other tasks leave.
      if clock_timestamp() > delete_attributes.deadline then
        return false;
      end if;
    end loop;
  end loop;
  return true;
end
$$;

comment on function braid_store.delete_attributes(int, int, timestamptz) is
  'Delete the rows of attributes that are no longer declared, in a tenant''s part of a collection, until the '
  'deadline. Return true if none are left.';
