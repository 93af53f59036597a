create or replace function braid_store.service_functions()
returns setof regprocedure
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select p.oid::regprocedure
  from pg_proc p
  where p.pronamespace = 'braid'::regnamespace and p.proname = any ('{embedding_backlog, maintain}')
     or p.pronamespace = 'braid_store'::regnamespace and p.proname = any ('{count_embedding_jobs, maintain_all}')
  order by p.oid;
end
$$;

comment on function braid_store.service_functions() is
  'Lists the functions that services may run, as administrators may: what a worker for all tenants needs.';
