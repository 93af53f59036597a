create or replace function braid_store.reap_tenants(deadline timestamptz)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_batch_size constant int := 2000;
  v_tenant braid_store.dropped_tenants;
  v_has_left boolean;
  v_table record;
  v_place tid;
  v_places tid[];
  v_count bigint;
  v_total bigint := 0;
begin
  for v_tenant in select d.* from braid_store.dropped_tenants d order by d.id for update skip locked loop
    -- Ask before the deletes, because rows that a writer with an older snapshot commits meanwhile are left to the next
    -- call.
    v_has_left := braid_store.has_older_snapshots(v_tenant.dropped_by);
    -- Every table with a tenant_id is emptied, except vector shards, which are dropped as whole tables, and members,
    -- which went with the tenant.
    for v_table in
      -- ONLY is needed because places in tables that inherit from this one are no places in this one. Inheriting tables
      -- are listed themselves.
      select c.relname as name, case when c.relkind = 'r' then 'only ' else '' end as scope
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'braid_store'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname not in ('vector_shards', 'tenant_members') and c.relname !~ '^vectors_[0-9]+$'
      -- Delete chunks first: a session that has locked a chunk may still add rows that belong to it. Delete documents
      -- last, because deleting a document deletes its chunks.
      order by c.relname = 'documents', c.relname <> 'chunks', c.relname
    loop
      v_places := '{}';
      -- One scan serves all batches. A new scan for each batch would pass again over all rows deleted before.
      for v_place in execute format('select t.ctid from %sbraid_store.%I t where t.tenant_id = $1 '
                                    'for update skip locked', v_table.scope, v_table.name)
        using v_tenant.id
      loop
        v_places := array_append(v_places, v_place);
        if cardinality(v_places) = c_batch_size then
          execute format('delete from %sbraid_store.%I t where t.tenant_id + 0 = $1 and t.ctid = any ($2)',
                         v_table.scope, v_table.name)
            using v_tenant.id, v_places;
          v_total := v_total + case v_table.name when 'documents' then c_batch_size else 0 end;
          v_places := '{}';
          if clock_timestamp() > deadline then
            return v_total;
          end if;
        end if;
      end loop;
      execute format('delete from %sbraid_store.%I t where t.tenant_id + 0 = $1 and t.ctid = any ($2)',
                     v_table.scope, v_table.name)
        using v_tenant.id, v_places;
      get diagnostics v_count = row_count;
      v_total := v_total + case v_table.name when 'documents' then v_count else 0 end;
      execute format('select $2 or exists (select from %sbraid_store.%I t where t.tenant_id = $1)', v_table.scope,
        v_table.name)
      into v_has_left
      using v_tenant.id, v_has_left;
    end loop;
    if not v_has_left then
      delete from braid_locks.tenant_locks l where l.tenant_id = v_tenant.id;
      delete from braid_store.dropped_tenants d where d.id = v_tenant.id;
    end if;
  end loop;
  return v_total;
end
$$;

comment on function braid_store.reap_tenants(timestamptz) is
  'Delete what dropped tenants stored, in batches until the deadline. Return the number of documents deleted.';
