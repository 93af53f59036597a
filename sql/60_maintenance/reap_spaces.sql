create or replace function braid_store.reap_spaces(deadline timestamptz)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_batch_size constant int := 2000;
  v_space braid_store.dropped_spaces;
  v_tenant_id int;
  v_table text;
  v_count int;
  v_has_left boolean;
begin
  for v_space in
    select d.* from braid_store.dropped_spaces d order by d.collection_id, d.vector_space_id for update skip locked
  loop
    -- Asked before: what a writer with such a snapshot commits meanwhile is for the next time.
    v_has_left := braid_store.has_older_snapshots(v_space.dropped_by);
    for v_tenant_id in select t.id from braid_store.tenants t order by t.id loop
      perform braid_store.retire_shards(v_tenant_id, v_space.collection_id, v_space.vector_space_id);
      foreach v_table in array '{embedding_jobs,centroids,chunk_vectors}'::text[] loop
        loop
          if clock_timestamp() > deadline then
            return false;
          end if;
          -- What a worker has locked is for the next time, too.
          execute format('delete from braid_store.%1$I where ctid = any (array(select ctid from braid_store.%1$I '
                         'where tenant_id = $1 and collection_id = $2 and vector_space_id = $3 limit $4 '
                         'for update skip locked))', v_table)
            using v_tenant_id, v_space.collection_id, v_space.vector_space_id, c_batch_size;
          get diagnostics v_count = row_count;
          exit when v_count < c_batch_size;
        end loop;
        execute format('select $4 or exists (select from braid_store.%I where tenant_id = $1 and collection_id = $2 '
                       'and vector_space_id = $3)', v_table)
        into v_has_left
        using v_tenant_id, v_space.collection_id, v_space.vector_space_id, v_has_left;
      end loop;
    end loop;
    delete from braid_store.dropped_spaces d
    where d.collection_id = v_space.collection_id and d.vector_space_id = v_space.vector_space_id and not v_has_left;
  end loop;
  return true;
end
$$;

comment on function braid_store.reap_spaces(timestamptz) is
  'Deletes, in batches until the deadline, the vectors and jobs of vector spaces that collections have left, of every '
  'tenant. False if the deadline came first.';
