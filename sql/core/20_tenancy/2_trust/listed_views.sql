create or replace function braid_store.listed_views(role text)
returns setof regclass
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select c.oid::regclass
  from pg_class c
  where c.relnamespace = 'braid'::regnamespace and c.relkind = 'v'
    and exists (select from braid_store.parts s
                where s.manifest #> array['views', listed_views.role] ? (c.relnamespace::regnamespace || '.'
                  || c.relname))
  order by c.oid
$$;

comment on function braid_store.listed_views(text) is
  'List the views of the core and of the parts whose files let a role read them: reader, writer, administrator, '
  'service or monitor.';
