create or replace function braid_store.write_extension_points()
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_point record;
begin
  for v_point in
    select p.oid, p.prosrc, braid_store.extension_body(e) as body, pg_get_functiondef(p.oid) as definition
    from braid_store.extension_points() e
    join pg_proc p on p.oid = e
    order by p.proname
  loop
    if v_point.prosrc <> v_point.body then
      -- The text before the body stays, and a new body follows.
      execute format('%s%s$function$',
                     left(v_point.definition, strpos(v_point.definition, 'AS $function$')
                       + length('AS $function$') - 1),
                     v_point.body);
    end if;
  end loop;
end
$$;

comment on function braid_store.write_extension_points() is
  'Make the extension points call the installed parts. An installation calls this when all functions exist, before '
  'it writes privileges.';
