-- Several commands lock a relation before they check the caller's rights. So whatever a search or a write reads lies in
-- braid_store, which readers and writers may not enter any more, and what they call by name moves to braid_calls.
-- depends: 0043.folded_letters

-- Row types are relations, too. Those that functions return move, and functions of users' own that name them in braid
-- find equal ones there.
alter type braid.search_result set schema braid_store;
alter type braid.write_result set schema braid_store;

do $$
declare
  v_name text;
begin
  foreach v_name in array '{search_result,write_result}'::text[] loop
    execute (
      select format('create type braid.%I as (%s)', v_name,
                    string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod))
                               || case when a.attcollation <> t.typcollation
                                       then format(' collate %I.%I', n.nspname, o.collname) else '' end, ', ' order by a.attnum))
      from pg_catalog.pg_attribute a
      join pg_catalog.pg_type t on t.oid = a.atttypid
      left join pg_catalog.pg_collation o on o.oid = a.attcollation
      left join pg_catalog.pg_namespace n on n.oid = o.collnamespace
      where a.attrelid = format('braid_store.%I', v_name)::regclass and a.attnum > 0 and not a.attisdropped);
    execute (
      select string_agg(format('comment on column braid.%I.%I is %L', v_name, a.attname,
                               col_description(a.attrelid, a.attnum)), '; ')
      from pg_catalog.pg_attribute a
      where a.attrelid = format('braid_store.%I', v_name)::regclass and a.attnum > 0 and not a.attisdropped);
  end loop;
end
$$;
comment on type braid.search_result is 'A row of a search, for functions of your own that return such rows.';
comment on type braid.write_result is 'A row of a write, for functions of your own that return such rows.';

-- Policies hold on to it, so it cannot be made anew, as the others are. After a restore it belongs to whoever restored.
reset role;
do $$
begin
  if exists (select from pg_catalog.pg_proc p
             where p.pronamespace = 'braid_store'::regnamespace and p.proname = 'login_is_known') then
    alter function braid_store.login_is_known() set schema braid_calls;
  end if;
end
$$;
