"""Which functions, views and policies of an earlier version are there, for finish.sql to replace or to drop."""

# What each object is, how to drop it, and a version of its catalog row that changes whenever it is replaced, which may
# be twice in a transaction. Objects that a superuser or another login put into pgbraid's schemas are not pgbraid's.
OBJECTS = """
select case p.prokind when 'p' then 'procedure ' when 'a' then 'aggregate ' else 'function ' end || p.oid::regprocedure,
  p.oid, p.xmin || ' ' || p.ctid
from pg_catalog.pg_proc p
where p.pronamespace in (select oid from pg_catalog.pg_namespace where nspname in ('braid', 'braid_store'))
  and p.proowner in (select oid from pg_catalog.pg_roles where rolname like E'braid\\\\_%')
union all
select 'view ' || c.oid::regclass, c.oid, r.xmin || ' ' || r.ctid
from pg_catalog.pg_class c
join pg_catalog.pg_rewrite r on r.ev_class = c.oid
where c.relnamespace in (select oid from pg_catalog.pg_namespace where nspname in ('braid', 'braid_store'))
  and c.relkind = 'v'
  and c.relowner in (select oid from pg_catalog.pg_roles where rolname like E'braid\\\\_%')
"""

POLICIES = """
select pg_catalog.format('policy %I on %s', p.polname, p.polrelid::regclass)
from pg_catalog.pg_policy p
join pg_catalog.pg_class c on c.oid = p.polrelid
where c.relnamespace in (select oid from pg_catalog.pg_namespace where nspname in ('braid', 'braid_store'))
"""
