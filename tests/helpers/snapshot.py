"""What a database contains, to tell whether something has changed or differs."""

from __future__ import annotations

import re
from typing import Any

import psycopg

# Statistics come and go by themselves.
TABLES = """
select c.oid::regclass::text
from pg_class c
where c.relkind = 'r'
  and c.relnamespace::regnamespace::text in ('pg_catalog', 'braid', 'braid_store')
  and c.relname not in ('pg_statistic', 'pg_statistic_ext_data', 'pg_subscription')
order by 1
"""

# Definitions, by name: the same for two databases that were made in different ways.
DEFINITIONS = """
select 'function', p.oid::regprocedure::text, pg_get_functiondef(p.oid)
  || array(select a::text from unnest(p.proacl) a order by 1)::text
  || p.proowner::regrole || coalesce(obj_description(p.oid, 'pg_proc'), '')
from pg_proc p where p.pronamespace::regnamespace::text in ('braid', 'braid_store') and p.prokind in ('f', 'p')
union all
select 'column', c.oid::regclass || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull,
  a.attstattarget, a.attstorage, a.attidentity, pg_get_expr(d.adbin, d.adrelid), c.relkind, c.relowner::regrole,
  c.relrowsecurity, c.relforcerowsecurity, array(select a::text from unnest(c.relacl) a order by 1),
  obj_description(c.oid, 'pg_class'))
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relnamespace::regnamespace::text in ('braid', 'braid_store')
union all
select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid)
from pg_index join pg_class c on c.oid = indexrelid
where c.relnamespace::regnamespace::text in ('braid', 'braid_store')
union all
select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
from pg_constraint where connamespace::regnamespace::text in ('braid', 'braid_store')
union all
select 'view', oid::regclass::text, pg_get_viewdef(oid)
from pg_class where relkind = 'v' and relnamespace::regnamespace::text in ('braid', 'braid_store')
union all
select 'policy', polrelid::regclass || '.' || polname, concat_ws(' ', polcmd, polpermissive, polroles::regrole[],
  pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
from pg_policy
union all
select 'schema', nspname, concat_ws(' ', nspowner::regrole,
  array(select a::text from unnest(nspacl) a order by 1)) from pg_namespace where nspname like 'braid%'
order by 1, 2
"""


def rows(dsn: str) -> dict[str, Any]:
    """A digest per table of its rows as stored: any write at all shows, even one that changes nothing."""
    with psycopg.connect(dsn) as connection:
        tables = [name for (name,) in connection.execute(TABLES)]
        digest = "select md5(string_agg(ctid::text || xmin::text, ',' order by ctid)) from "
        return {name: connection.execute(digest + name).fetchone() for name in tables}


def definitions(dsn: str) -> dict[tuple[str, str], str]:
    with psycopg.connect(dsn) as connection:
        rows = connection.execute(DEFINITIONS).fetchall()
    # Named for the database, each of them.
    return {(kind, name): re.sub(r"\bbraid_(owner|definer)_\w+", r"braid_\1", text) for kind, name, text in rows}
