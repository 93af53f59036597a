-- One policy per table. Made only where absent: re-creating one would lock its table against every reader.
do $$
declare
  v_table record;
begin
  for v_table in
    select c.oid::regclass as relation,
           case
             when c.relname in ('collections', 'vector_spaces', 'vector_settings', 'installation', 'synonyms',
                                'indexed_attributes', 'model_migrations')
               then 'for select using (true)' -- definitions, visible to all who may read the table
             when c.relname in ('access_settings', 'dropped_collections', 'dropped_spaces', 'dropped_tenants',
                                'due_collections', 'upkeep_rates')
                  or c.relname like '%yoyo%'
               then 'for select using (false)' -- for the owner alone
             when c.relname = 'tenants'
               then 'using (id = (select braid.current_tenant_id()))'
             else 'using (tenant_id = (select braid.current_tenant_id()))'
           end as definition
    from pg_catalog.pg_class c
    where c.relnamespace = 'braid_store'::regnamespace
      and c.relkind in ('r', 'p')
      and not exists (select from pg_catalog.pg_policy p where p.polrelid = c.oid)
    order by c.oid
  loop
    execute format('alter table %s owner to @owner@', v_table.relation);
    execute format('alter table %s enable row level security', v_table.relation);
    execute format('create policy tenant_isolation on %s %s', v_table.relation, v_table.definition);
  end loop;
end
$$;
