"""Read a database's content and definitions, to find changes and differences."""

from __future__ import annotations

import re
from typing import Any

import psycopg

# Statistics change by themselves, so their tables are left out.
TABLES = """
select c.oid::regclass::text
from pg_class c
where c.relkind = 'r'
  and c.relnamespace::regnamespace::text in ('pg_catalog', 'braid', 'braid_store')
  and c.relname not in ('pg_statistic', 'pg_statistic_ext_data', 'pg_subscription')
order by 1
"""

# All databases of a server share these tables, and another test may drop a database meanwhile.
OWN = {
    "pg_database": "where datname = current_database()",
    "pg_shdepend": "where dbid = (select oid from pg_database where datname = current_database())",
}

# Definitions are listed by name, so that databases made in different ways compare equal. The order of a table's columns
# is ignored, because an upgrade adds columns at the end.
DEFINITIONS = """
with ours as (
  select oid, nspname as name from pg_namespace where nspname in ('braid', 'braid_calls', 'braid_store', 'braid_locks')
),
relations as (
  select c.*, c.oid::regclass::text as name from pg_class c where c.relnamespace in (select oid from ours)
)
select 'schema', nspname::text, concat_ws(' ', nspowner::regrole, obj_description(oid, 'pg_namespace'),
  array(select a::text from unnest(nspacl) a order by 1))
from pg_namespace where nspname like 'braid%'
union all
select 'function', p.oid::regprocedure::text, concat_ws(' ', pg_get_functiondef(p.oid), p.proowner::regrole,
  array(select a::text from unnest(coalesce(p.proacl, acldefault('f', p.proowner))) a order by 1),
  obj_description(p.oid, 'pg_proc'))
from pg_proc p where p.pronamespace in (select oid from ours) and p.prokind in ('f', 'p')
union all
select 'relation', name, concat_ws(' ', relkind, relowner::regrole, relpersistence, relreplident, relrowsecurity,
  relforcerowsecurity, array(select o from unnest(reloptions) o order by 1),
  (select t.reloptions from pg_class t where t.oid = relations.reltoastrelid),
  array(select a::text
        from unnest(coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))) a
        order by 1),
  obj_description(oid, 'pg_class'))
from relations
union all
select 'column', c.name || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
  nullif(a.attcollation, 0)::regcollation, a.attnotnull, a.attstattarget, a.attstorage, a.attcompression, a.attidentity,
  a.attgenerated, pg_get_expr(d.adbin, d.adrelid), a.attoptions,
  array(select i::text from unnest(a.attacl) i order by 1),
  case when c.relkind <> 'r' then a.attnum end, col_description(c.oid, a.attnum))
from relations c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
union all
select 'sequence', c.name, concat_ws(' ', seqtypid::regtype, seqstart, seqincrement, seqmax, seqmin, seqcache, seqcycle,
  (select concat_ws(' ', d.deptype, d.refobjid::regclass, a.attname)
   from pg_depend d join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
   where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass))
from pg_sequence join relations c on c.oid = seqrelid
union all
select 'index', c.name, concat_ws(' ', pg_get_indexdef(c.oid), indisvalid, indisclustered, indisreplident)
from pg_index join relations c on c.oid = indexrelid
union all
select 'constraint', conrelid::regclass || '.' || conname,
  concat_ws(' ', pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint'))
from pg_constraint where connamespace in (select oid from ours)
union all
select 'view', name, pg_get_viewdef(oid) from relations where relkind = 'v'
union all
select 'trigger', c.name || '.' || tgname, concat_ws(' ', pg_get_triggerdef(t.oid), tgenabled)
from pg_trigger t join relations c on c.oid = tgrelid where not tgisinternal
union all
select 'rule', c.name || '.' || rulename, pg_get_ruledef(r.oid) from pg_rewrite r join relations c on c.oid = ev_class
union all
select 'policy', c.name || '.' || polname, concat_ws(' ', polcmd, polpermissive,
  array(select r::regrole::text from unnest(polroles) r order by 1), pg_get_expr(polqual, polrelid),
  pg_get_expr(polwithcheck, polrelid), obj_description(p.oid, 'pg_policy'))
from pg_policy p join relations c on c.oid = polrelid
union all
select 'type', t.oid::regtype::text, concat_ws(' ', typtype, typowner::regrole, typnotnull, typdefault,
  array(select a::text from unnest(coalesce(typacl, acldefault('T', typowner))) a order by 1),
  obj_description(t.oid, 'pg_type'))
from pg_type t where typnamespace in (select oid from ours)
union all
select 'statistics', stxnamespace::regnamespace || '.' || stxname, pg_get_statisticsobjdef(oid)
from pg_statistic_ext where stxnamespace in (select oid from ours)
union all
select 'default privilege', concat_ws(' ', defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype),
  array(select a::text from unnest(defaclacl) a order by 1)::text
from pg_default_acl
order by 1, 2
"""


def rows(dsn: str) -> dict[str, Any]:
    """Return a digest per table of its stored rows, which any write changes, even one that changes no value."""
    with psycopg.connect(dsn) as connection:
        tables = [name for (name,) in connection.execute(TABLES)]
        digest = "select md5(string_agg(ctid::text || xmin::text, ',' order by ctid)) from "
        return {name: connection.execute(f"{digest}{name} {OWN.get(name, '')}").fetchone() for name in tables}


def definitions(dsn: str) -> dict[tuple[str, str], str]:
    with psycopg.connect(dsn) as connection:
        rows = connection.execute(DEFINITIONS).fetchall()
    # Each database's roles carry its name.
    return {(kind, name): re.sub(r"\bbraid_(owner|definer)_\w+", r"braid_\1", text) for kind, name, text in rows}
