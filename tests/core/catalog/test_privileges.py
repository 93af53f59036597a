"""Each role has exactly the privileges that privileges.txt lists: a change of that file changes what pgbraid
promises."""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path
from typing import Any

from support.api import OBJECTS
from support.parts import ALL, OWNERS, chosen
from support.roles import definer_role, owner_role

GOLDEN = Path(__file__).with_name("privileges.txt")
COLUMNS = ["public", "reader", "writer", "definer", "administrator", "gateway"]

# Rights count whether a role holds them itself or inherits them. The privilege functions do not know PUBLIC as a role,
# so a fresh login stands for it.
TABLES = """
select case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end as kind,
  c.relnamespace::regnamespace || '.' || c.relname as name, c.relowner::regrole::text as owner,
  array(select (select string_agg(left(p.name, 1), '' order by p.place)
                from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) with ordinality p (name, place)
                where case when c.relkind = 'S' then has_sequence_privilege(r.name, c.oid, case p.place
                when 1 then 'SELECT'
                             when 2 then 'USAGE' else 'UPDATE' end)
                           else has_table_privilege(r.name, c.oid, p.name) or p.name <> 'DELETE'
                                and has_any_column_privilege(r.name, c.oid, p.name) end)
        from unnest(%(roles)s::text[]) with ordinality r (name, place) order by r.place) as rights,
  exists (select from unnest(%(roles)s::text[]) r, unnest(array['TRUNCATE', 'REFERENCES', 'TRIGGER']) p
          where c.relkind <> 'S' and has_table_privilege(r, c.oid, p)) as has_more
from pg_class c
where c.relnamespace::regnamespace::text in ('braid', 'braid_calls', 'braid_locks', 'braid_store')
  and c.relkind in ('r', 'p', 'v', 'm', 'S')
  and c.relname !~ '^collection_[1-9]' -- all are as collection_0
order by kind, name
"""
FUNCTIONS = """
select p.oid, p.pronamespace::regnamespace || '.' || p.proname as name, p.proowner::regrole::text as owner, p.prosecdef,
  p.pronamespace = 'braid_store'::regnamespace and not p.prosecdef as is_internal,
  array(select case when has_function_privilege(r.name, p.oid, 'EXECUTE') then 'X' end
        from unnest(%(roles)s::text[]) with ordinality r (name, place) order by r.place) as rights
from pg_proc p
where p.pronamespace::regnamespace::text in ('braid', 'braid_calls', 'braid_store')
order by name
"""
SCHEMAS = """
select n.nspname as name, n.nspowner::regrole::text as owner,
  array(select concat(case when has_schema_privilege(r.name, n.oid, 'USAGE') then 'U' end,
                      case when has_schema_privilege(r.name, n.oid, 'CREATE') then 'C' end)
        from unnest(%(roles)s::text[]) with ordinality r (name, place) order by r.place) as rights
from pg_namespace n where n.nspname in ('braid', 'braid_calls', 'braid_locks', 'braid_store')
order by name
"""


def line(kind: str, name: str, owner: str, rights: list[str | None]) -> str:
    columns = "".join(f"{right or '.':<14}" for right in rights)
    return f"{kind:<9}{name:<46} {owner.split('_')[1]:<9}{columns}".rstrip()


def roles(catalog: Any) -> list[str]:
    """Create the roles of the columns and return their names; trusted roles are members of nothing."""
    trusted = [f"braid_test_{column}" for column in COLUMNS if column in ("administrator", "gateway")]
    for role in ("braid_test_nobody", *trusted):
        catalog.execute(f"create role {role}")
    for role in trusted:
        catalog.execute("select braid.add_trusted_role(%s, %s)", (role, role.removeprefix("braid_test_")))
    return ["braid_test_nobody", "braid_reader", "braid_writer", definer_role(catalog), *trusted]


def name_of(privileges: str) -> str:
    """Return the name of the object of a line, without its schema."""
    return privileges.split()[1].partition(".")[2]


def matrix(catalog: Any, of_roles: list[str]) -> str:
    lines = [line("what", "name", "braid_owner", list(COLUMNS))]
    lines += [line("schema", s.name, s.owner, s.rights) for s in catalog.execute(SCHEMAS, {"roles": of_roles})]
    functions = catalog.execute(FUNCTIONS, {"roles": of_roles}).fetchall()
    lines += [line("function", f.name, f.owner, f.rights) for f in functions if not f.is_internal]
    # Internal functions with the caller's rights share one line: they do only what the caller may do anyway.
    internals = {
        line("function", "braid_store.* with the caller's rights", f.owner, f.rights)
        for f in functions
        if f.is_internal
    }
    lines += sorted(internals)
    for table in catalog.execute(TABLES, {"roles": of_roles}):
        assert not table.has_more, table.name
        if table.kind != "sequence" or any(table.rights):
            lines.append(line(table.kind, table.name, table.owner, table.rights))
    return "\n".join(lines) + "\n"


def test_the_privileges_are_those_of_the_golden_file(catalog: Any) -> None:
    in_database = {"core", *chosen()}
    with catalog.transaction(force_rollback=True):
        actual = matrix(catalog, roles(catalog))
    if "WRITE_PRIVILEGES" in os.environ:  # `make generate` sets this
        assert chosen() == ALL
        GOLDEN.write_text(actual)
    found = actual.splitlines(True)
    golden = [kept for kept in GOLDEN.read_text().splitlines(True) if OWNERS.get(name_of(kept), "core") in in_database]
    if chosen() != ALL:  # without a part, some rights of internal functions do not occur
        golden = [kept for kept in golden if ".* " not in kept or kept in found]
    difference = "".join(difflib.unified_diff(golden, found, "golden", "actual"))
    assert difference == "", f"if this is meant: make generate\n{difference}"


def test_every_function_can_be_executed_by_someone(catalog: Any) -> None:
    # Triggers of synced tables call all of them but the first.
    triggers = {"braid_store.apply_at_once", "braid_store.sync_is_outdated"} & OBJECTS.keys()
    called_by_owner_alone = {"braid_store.request_tenant_key", *triggers}
    with catalog.transaction(force_rollback=True):
        functions = catalog.execute(FUNCTIONS, {"roles": roles(catalog)}).fetchall()
    assert {f.name for f in functions if not any(f.rights)} == called_by_owner_alone


def test_no_role_can_log_in_or_has_attributes(catalog: Any) -> None:
    rows = catalog.execute(
        "select rolname from pg_roles where rolname like 'braid\\_%' and (rolcanlogin or rolsuper or rolcreaterole"
        " or rolcreatedb or rolreplication or rolbypassrls)"
    )
    assert rows.fetchall() == []


def test_a_writer_is_a_reader(catalog: Any) -> None:
    rows = catalog.execute(
        "select m.roleid::regrole::text as role, m.member::regrole::text as member from pg_auth_members m"
        " join pg_roles r on r.oid = m.member where r.rolname like 'braid\\_%' order by 1"
    ).fetchall()
    assert [tuple(row) for row in rows] == [("braid_reader", "braid_writer")]


def test_nobody_else_is_granted_anything(catalog: Any) -> None:
    rows = catalog.execute(
        """
        select distinct o.name, a.grantee::regrole::text as grantee
        from (
          select oid::regprocedure::text as name, proacl as acl from pg_proc
          where pronamespace::regnamespace::text in ('braid', 'braid_calls', 'braid_store')
          union all
          select oid::regclass::text, relacl from pg_class where relnamespace::regnamespace::text in
          ('braid', 'braid_calls', 'braid_locks', 'braid_store')
          union all
          select nspname::text, nspacl from pg_namespace
          where nspname in ('braid', 'braid_calls', 'braid_locks', 'braid_store')
        ) o, aclexplode(o.acl) a
        """
    ).fetchall()
    granted = {owner_role(catalog), definer_role(catalog), "braid_reader", "braid_writer"}
    assert [row for row in rows if row.grantee not in granted] == []


def test_readers_and_writers_can_name_views_and_two_row_types_only(catalog: Any) -> None:
    """Readers and writers can name only views and two row types: a role that can name a relation can lock it against
    everybody."""
    rows = catalog.execute(
        "select c.oid::regclass::text as name, c.relkind from pg_class c"
        " where c.relnamespace::regnamespace::text ~ '^braid'"
        " and (has_schema_privilege('braid_writer', c.relnamespace, 'USAGE')"
        "      or has_schema_privilege('braid_reader', c.relnamespace, 'USAGE'))"
    ).fetchall()
    assert {row.name for row in rows if row.relkind != "v"} == {"braid.search_result", "braid.write_result"}
    columns = {
        schema: catalog.execute(
            "select c.relname, a.attname, a.atttypid, a.atttypmod, a.attcollation, a.attnum,"
            " col_description(c.oid, a.attnum) from pg_attribute a join pg_class c on c.oid = a.attrelid"
            " where c.relname in ('search_result', 'write_result') and c.relnamespace::regnamespace::text = %s"
            " and not a.attisdropped order by c.relname, a.attnum",
            (schema,),
        ).fetchall()
        for schema in ("braid", "braid_store")
    }
    assert columns["braid"] == columns["braid_store"] != []


def test_what_runs_with_the_rights_of_readers_and_writers_names_nothing_that_they_cannot(
    catalog: Any, functions: Any
) -> None:
    runs = {
        row.oid
        for row in catalog.execute(
            "select oid from pg_proc where has_function_privilege('braid_writer', oid, 'EXECUTE')"
        )
    }
    naming = {
        function.full_name: found
        for function in functions
        if function.oid in runs
        and not function.is_definer
        and (found := re.findall(r"\bbraid_(?:store|locks)\.\w+", re.sub(r"--[^\n]*", "", function.body)))
    }
    assert naming == {}
