-- role: service
create or replace function braid_store.refuse_code(relation regclass)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_relations oid[] := array(select relation::oid union select p.relid from pg_partition_tree(relation) p);
  v_function record;
begin
  -- The planner runs immutable functions of these expressions with the rights of the reader.
  select f.oid::regprocedure as signature, r.rolname into v_function
  from pg_depend d
  left join pg_operator o on d.refclassid = 'pg_operator'::regclass and o.oid = d.refobjid
  join pg_proc f on f.oid = case when d.refclassid = 'pg_proc'::regclass then d.refobjid else o.oprcode::oid end
  join pg_roles r on r.oid = f.proowner
  where (d.classid = 'pg_class'::regclass and d.objid in (select i.indexrelid from pg_index i
    where i.indrelid = any (v_relations))
         or d.classid = 'pg_statistic_ext'::regclass
            and d.objid in (select s.oid from pg_statistic_ext s where s.stxrelid = any (v_relations)))
    and not r.rolsuper and r.rolname not in (session_user, current_user)
  order by 1
  limit 1;
  if found then
    raise exception 'an index of table "%" calls the function % of "%"', relation, v_function.signature,
      v_function.rolname
      using errcode = '42501',
            hint = format('The function would run with the rights of "%s". Log in as "%s", or drop the index.',
                          session_user, v_function.rolname);
  end if;
end
$$;

comment on function braid_store.refuse_code(regclass) is
  'Raise 42501 if reading a table could run another role''s code with the rights of the login.';
