create or replace function braid_store.reap_spaces(deadline timestamptz)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_batch_size constant int := 2000;
  v_space braid_store.dropped_spaces;
  v_tables text[];
  v_tenants record;
  v_tenant_id int;
  v_table text;
  v_count int;
  v_is_left boolean;
begin
  for v_space in
    select d.* from braid_store.dropped_spaces d order by d.collection_id, d.vector_space_id for update skip locked
  loop
    -- While a session may still write to the space, one pass over all tenants is enough.
    continue when v_space.reached_tenant_id = 0 and v_space.pass_count > 0
                  and braid_store.has_older_snapshots(v_space.dropped_by);
    v_tables := array(
      select u.name
      from unnest(braid_store.collection_tables()) with ordinality u (name, place)
      join pg_attribute a on a.attrelid = format('braid_store.%I', u.name)::regclass
      where a.attname = 'vector_space_id' and not a.attisdropped
      order by u.place);
    -- Ask before the deletes, because rows that a writer with an older snapshot commits meanwhile are left to the next
    -- pass.
    v_space.has_left := v_space.has_left or braid_store.has_older_snapshots(v_space.dropped_by);
    <<tenants>>
    loop
      v_tenants := braid_store.tenants_with_rows(v_space.collection_id, v_space.reached_tenant_id);
      exit when v_tenants.last_tenant_id is null;
      foreach v_tenant_id in array v_tenants.tenant_ids loop
        perform braid_store.retire_shards(v_tenant_id, v_space.collection_id, v_space.vector_space_id);
        foreach v_table in array v_tables loop
          loop
            -- Rows that a worker has locked are left to the next pass, too.
            execute format('delete from braid_store.%1$I where tenant_id + 0 = $1 and ctid = any (array(select ctid '
                           'from braid_store.%1$I where tenant_id = $1 and collection_id = $2 and vector_space_id = $3 '
                           'limit $4 for update skip locked))', v_table)
              using v_tenant_id, v_space.collection_id, v_space.vector_space_id, c_batch_size;
            get diagnostics v_count = row_count;
            exit when v_count < c_batch_size;
            -- Check the time after a batch, so that each call deletes at least one, however little time other tasks
            -- leave.
            exit tenants when clock_timestamp() > reap_spaces.deadline;
          end loop;
          execute format('select exists (select from braid_store.%I where tenant_id = $1 and collection_id = $2 '
                         'and vector_space_id = $3)', v_table)
          into v_is_left
          using v_tenant_id, v_space.collection_id, v_space.vector_space_id;
          v_space.has_left := v_space.has_left or v_is_left;
        end loop;
        v_space.reached_tenant_id := v_tenant_id;
        exit tenants when clock_timestamp() > reap_spaces.deadline;
      end loop;
      v_space.reached_tenant_id := v_tenants.last_tenant_id;
    end loop;
    if v_tenants.last_tenant_id is null and not v_space.has_left then
      delete from braid_store.dropped_spaces d
      where d.collection_id = v_space.collection_id and d.vector_space_id = v_space.vector_space_id;
    else
      update braid_store.dropped_spaces d
      set reached_tenant_id = case when v_tenants.last_tenant_id is null then 0 else v_space.reached_tenant_id end,
          has_left = v_tenants.last_tenant_id is not null and v_space.has_left,
          pass_count = v_space.pass_count + (v_tenants.last_tenant_id is null)::int
      where d.collection_id = v_space.collection_id and d.vector_space_id = v_space.vector_space_id;
    end if;
    if clock_timestamp() > reap_spaces.deadline then
      return v_tenants.last_tenant_id is null;
    end if;
  end loop;
  return true;
end
$$;

comment on function braid_store.reap_spaces(timestamptz) is
  'Delete the vectors, query vectors included, and the jobs of vector spaces that collections no longer use, for '
  'every tenant, in batches until the deadline. Return false if the deadline came first.';
