create or replace function braid_store.delete_logged(
  table_name text,
  first_id uuid,
  end_id uuid,
  collection_ids int[],
  deadline timestamptz
)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- Make the planner use the primary key, whose order avoids a sort.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  -- A batch must be larger than the feedback of one search, because it begins with the last search of the batch before.
  c_batch_size constant int := 5000;
  v_tenant_id int := 0;
  v_from_id uuid;
  v_read_count int;
  v_deleted_count int;
  v_places tid[];
  v_is_complete boolean := true;
begin
  loop
    execute format('select t.tenant_id from only braid_store.%I t where t.tenant_id > $1 order by t.tenant_id limit 1',
                   delete_logged.table_name)
    into v_tenant_id
    using v_tenant_id;
    exit when v_tenant_id is null;
    v_from_id := delete_logged.first_id;
    loop
      -- Also count rows that stay, so that each batch continues where the last one ended.
      execute format(
        'select count(*), (array_agg(r.search_id))[count(*)], array_agg(r.ctid) filter (where r.collection_id = any '
          '($1)) '
        'from (select t.ctid, t.search_id, t.collection_id from only braid_store.%I t '
        'where t.tenant_id = $2 and t.search_id >= $3 and t.search_id < $4 order by t.search_id limit $5) r',
          delete_logged.table_name)
      into v_read_count, v_from_id, v_places
      using delete_logged.collection_ids, v_tenant_id, v_from_id, delete_logged.end_id, c_batch_size;
      if v_places is not null then
        execute format(
          'delete from only braid_store.%1$I t where t.ctid = any (array(select t.ctid from only braid_store.%1$I t '
          'where t.ctid = any ($1) and t.tenant_id = $2 and t.search_id < $3 and t.collection_id = any ($4) '
          'for update skip locked))', delete_logged.table_name)
          using v_places, v_tenant_id, delete_logged.end_id, delete_logged.collection_ids;
        get diagnostics v_deleted_count = row_count;
        v_is_complete := v_is_complete and v_deleted_count = cardinality(v_places);
      end if;
      -- Check the time after a batch, so that each call does at least one batch.
      if clock_timestamp() > delete_logged.deadline then
        return false;
      end if;
      exit when v_read_count < c_batch_size;
    end loop;
  end loop;
  return v_is_complete;
end
$$;

comment on function braid_store.delete_logged(text, uuid, uuid, int[], timestamptz) is
  'Delete a table''s rows for searches of some collections from first_id up to end_id, in batches until the '
  'deadline. Return whether none is left.';
