create or replace function braid_store.extension_body(point regprocedure)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_point pg_proc;
  v_arguments text;
  v_result text; -- This is the inout argument.
  v_calls text[];
  v_other text;
begin
  select p.* into v_point from pg_proc p where p.oid = point;
  select string_agg(format('%I.%I', v_point.proname, a.name), ', ' order by a.place),
         max(format('%I.%I', v_point.proname, a.name)) filter (where v_point.proargmodes[a.place] = 'b')
  into v_arguments, v_result
  from unnest(v_point.proargnames) with ordinality a (name, place)
  where coalesce(v_point.proargmodes[a.place], 'i') in ('i', 'b');

  select p.oid::regprocedure::text into v_other
  from braid_store.parts s
  join pg_proc p on p.pronamespace = v_point.pronamespace and p.proname = v_point.proname || '_' || s.name
  where (p.proargtypes, p.proallargtypes, p.proargmodes, p.prorettype, p.proretset)
        is distinct from (v_point.proargtypes, v_point.proallargtypes, v_point.proargmodes, v_point.prorettype,
          v_point.proretset)
  limit 1;
  if found then
    raise exception 'the extension % has other arguments or another result than %', v_other, point
      using errcode = '22023', hint = 'Declare the extension with the arguments and the result type of the core''s '
                                      'function.';
  end if;
  v_calls := array(
    select format('%s.%I(%s)', p.pronamespace::regnamespace, p.proname, v_arguments)
    from braid_store.parts s
    join pg_proc p on p.pronamespace = v_point.pronamespace and p.proname = v_point.proname || '_' || s.name
    order by s.place);

  return format(
    E'\nbegin\n%s\nend\n',
    case
      when v_point.proretset then
        (select coalesce(string_agg(format(E'  return query select * from %s;\n', c), '' order by n), '') || '  return;'
         from unnest(v_calls) with ordinality u (c, n))
      when v_result is not null then
        (select coalesce(string_agg(format('  %s := %s;', v_result, c), E'\n' order by n), '  null;')
         from unnest(v_calls) with ordinality u (c, n))
      when v_point.prorettype = 'void'::regtype then
        (select coalesce(string_agg(format('  perform %s;', c), E'\n' order by n), '  null;')
         from unnest(v_calls) with ordinality u (c, n))
      when v_point.prorettype = 'jsonb'::regtype then
        -- A part without an answer must not erase the answers of others: || with null is null.
        format('  return %s;', array_to_string(array['''{}''::jsonb'] || array(
          select format('coalesce(%s, ''{}'')', c) from unnest(v_calls) with ordinality u (c, n) order by n), ' || '))
      else format('  return coalesce(%s);', array_to_string(array['null'] || v_calls, ', '))
    end);
end
$$;

comment on function braid_store.extension_body(regprocedure) is
  'Return the body of an extension point with the installed parts. It calls each part''s function named after the '
  'point and the part, in the order of the parts. Rows are added, JSON objects are merged, and an inout argument is '
  'handed from part to part. For other values, the first that is not null is returned. Raise 22023 if a part''s '
  'function has other arguments or another result.';
