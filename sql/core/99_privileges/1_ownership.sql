-- Definer functions belong to @definer@, which owns no table, so the tenant policies bind them. Functions whose header
-- says that they act across tenants belong to @owner@, like everything else.
do $$
declare
  v_function record;
begin
  -- To own a function, a role needs CREATE on the schema. @definer@ has it only during this transaction.
  grant create on schema braid_calls, braid_store to @definer@;
  for v_function in
    select p.oid::regprocedure as signature, o.owner
    from pg_catalog.pg_proc p,
         lateral (
           select case
                    when p.prosecdef
                         and p.oid not in (select f from braid_store.listed_functions('all_tenants') f)
                         -- Trigger functions of users' tables, which are made for each table, belong to @owner@.
                         and p.prorettype <> 'trigger'::regtype
                    then '@definer@' else '@owner@'
                  end as owner
         ) o
    where p.pronamespace in ('braid'::regnamespace, 'braid_calls'::regnamespace, 'braid_store'::regnamespace)
      and p.proowner <> o.owner::regrole
    order by p.oid
  loop
    execute format('alter routine %s owner to %I', v_function.signature, v_function.owner);
  end loop;
  revoke create on schema braid_calls, braid_store from @definer@;
end
$$;

do $$
declare
  v_type regtype;
begin
  for v_type in
    select t.oid::regtype
    from pg_catalog.pg_type t
    join pg_catalog.pg_class c on c.oid = t.typrelid
    where t.typnamespace = 'braid_store'::regnamespace and c.relkind = 'c' and t.typowner <> '@owner@'::regrole
  loop
    execute format('alter type %s owner to @owner@', v_type);
  end loop;
end
$$;

-- After this database was renamed or copied, the roles of the old one lose all rights here.
do $$
declare
  v_role text;
begin
  for v_role in
    select distinct r.rolname
    from pg_catalog.pg_shdepend s
    join pg_catalog.pg_roles r on r.oid = s.refobjid
    where s.refclassid = 'pg_catalog.pg_authid'::regclass
      and s.dbid = (select oid from pg_catalog.pg_database where datname = current_database())
      and r.rolname ~ '^braid_(owner|definer)_' and r.rolname not in ('@owner@', '@definer@')
  loop
    execute format('revoke all on all tables in schema braid, braid_store, braid_locks from %I', v_role);
    execute format('revoke all on all routines in schema braid, braid_calls, braid_store from %I', v_role);
    execute format('revoke all on schema braid, braid_calls, braid_store, braid_locks from %I', v_role);
  end loop;
end
$$;

do $$
declare
  v_view regclass;
begin
  for v_view in
    select c.oid::regclass from pg_catalog.pg_class c
    where c.relnamespace in ('braid'::regnamespace, 'braid_store'::regnamespace) and c.relkind = 'v'
      and c.relowner <> '@owner@'::regrole
    order by c.oid
  loop
    execute format('alter view %s owner to @owner@', v_view);
  end loop;
end
$$;
