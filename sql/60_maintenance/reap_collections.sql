create or replace function braid_store.reap_collections(deadline timestamptz)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  v_batch_size constant int := 2000;
  v_collection_id int;
  v_tenant_id int;
  v_table text;
  v_chunk_ids bigint[];
  v_count bigint;
  v_total bigint := 0;
begin
  for v_collection_id in
    select d.id from braid_store.dropped_collections d order by d.id for update skip locked
  loop
    for v_tenant_id in select t.id from braid_store.tenants t order by t.id loop
      perform braid_store.retire_shards(v_tenant_id, v_collection_id);
      loop
        v_chunk_ids := array(
          select c.id from braid_store.chunks c
          where c.tenant_id = v_tenant_id and c.collection_id = v_collection_id
          limit v_batch_size);
        exit when v_chunk_ids = '{}';
        if clock_timestamp() > deadline then
          return v_total;
        end if;
        -- By id: no index of these begins with the collection.
        delete from braid_store.forward_rows f
        where f.ctid = any (array(
          select f.ctid
          from unnest(v_chunk_ids) u (id),
               lateral (
                 select f.ctid from braid_store.forward_rows f where f.tenant_id = v_tenant_id and f.chunk_id = u.id
                 offset 0
               ) f));
        delete from braid_store.chunks c
        where c.ctid = any (array(
          select c.ctid
          from unnest(v_chunk_ids) u (id),
               lateral (
                 select c.ctid from braid_store.chunks c where c.tenant_id = v_tenant_id and c.id = u.id offset 0
               ) c));
      end loop;
      foreach v_table in array array_remove(array_remove(braid_store.collection_tables(), 'chunks'), 'forward_rows') loop
        loop
          if clock_timestamp() > deadline then
            return v_total;
          end if;
          execute format('delete from braid_store.%1$I where ctid = any (array(select ctid from braid_store.%1$I '
                         'where tenant_id = $1 and collection_id = $2 limit $3))', v_table)
            using v_tenant_id, v_collection_id, v_batch_size;
          get diagnostics v_count = row_count;
          v_total := v_total + case v_table when 'documents' then v_count else 0 end;
          exit when v_count < v_batch_size;
        end loop;
      end loop;
    end loop;
    delete from braid_store.dropped_collections d where d.id = v_collection_id;
  end loop;
  return v_total;
end
$$;

comment on function braid_store.reap_collections(timestamptz) is
  'Deletes, in batches until the deadline, what tenants stored in dropped collections. Returns how many documents.';
