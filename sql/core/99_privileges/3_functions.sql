-- PUBLIC may call nothing. Definer functions call the internal functions that run with the caller's rights, so
-- @definer@ may call these. The file of every other function says who may call it.
revoke all on all routines in schema braid, braid_calls, braid_store from public, braid_reader, braid_writer,
  @definer@, @owner@;
-- @owner@ may call the functions of @definer@, too.
grant execute on all routines in schema braid, braid_calls, braid_store to @owner@;

do $$
declare
  v_grant record;
begin
  for v_grant in
    select l.role, f as signature
    from (values ('reader', 'braid_reader'), ('writer', 'braid_writer'), ('definer', '@definer@')) l (list, role)
    cross join braid_store.listed_functions(l.list) f
    union all
    select '@definer@', p.oid::regprocedure
    from pg_catalog.pg_proc p
    where p.pronamespace in ('braid_calls'::regnamespace, 'braid_store'::regnamespace) and not p.prosecdef
  loop
    execute format('grant execute on routine %s to %I', v_grant.signature, v_grant.role);
  end loop;
end
$$;

select braid_store.grant_to_trusted_role(t.role) from (select distinct r.role from braid_store.trusted_roles r) t;
