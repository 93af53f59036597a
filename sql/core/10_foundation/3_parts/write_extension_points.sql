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
      -- All before the body, and the body.
      execute format('%s%s$function$',
                     left(v_point.definition, strpos(v_point.definition, 'AS $function$') + length('AS $function$') - 1),
                     v_point.body);
    end if;
  end loop;
end
$$;

comment on function braid_store.write_extension_points() is
  'Have the functions of the core that parts extend call the parts that are installed. An installation calls it when all '
  'functions are there, before it writes privileges.';
