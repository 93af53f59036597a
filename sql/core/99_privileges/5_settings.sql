-- Session settings decide how numbers, dates and bytes become text, and how text is read. Stored, compared and returned
-- values must not depend on them, so every function that sessions call sets them. The functions that it calls inherit
-- them. With row_security off, a search would be refused instead of being bound by policies.
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
      -- Trigger functions of users' tables have their own settings.
      and p.prorettype <> 'trigger'::regtype
    order by p.oid
  loop
    execute format('alter function %s set extra_float_digits = 1 set datestyle = ''ISO, MDY'' set intervalstyle = '
                   '''postgres'' set bytea_output = ''hex'' set array_nulls = on set quote_all_identifiers = off set '
                   'row_security = on',
                   v_function);
  end loop;
end
$$;
