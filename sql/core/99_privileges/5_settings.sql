-- How a number, a date or bytes become text, and what text is read as one, is a setting of the session. What is stored,
-- compared or given as JSON must not depend on it: so all that sessions call runs under these. Functions that those
-- call have them from their callers. With row_security off, a search would be refused instead of being bound by
-- policies.
do $$
declare
  v_function text;
begin
  for v_function in
    select p.oid::regprocedure::text
    from pg_catalog.pg_proc p
    where (p.pronamespace = 'braid'::regnamespace
           or p.pronamespace in ('braid_calls'::regnamespace, 'braid_store'::regnamespace) and p.prosecdef)
      and p.prokind = 'f'
      -- Those of triggers of users' tables have settings of their own.
      and p.prorettype <> 'trigger'::regtype
    order by p.oid
  loop
    execute format('alter function %s set extra_float_digits = 1 set datestyle = ''ISO, MDY'' set intervalstyle '
      '= ''postgres'' '
                   'set bytea_output = ''hex'' set array_nulls = on set quote_all_identifiers = off set row_security '
                     '= on',
                   v_function);
  end loop;
end
$$;
