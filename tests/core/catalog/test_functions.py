"""Every function has a comment, a pinned search path, the right volatility, rights and owner, and proper names."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from pgbraid.query_text import is_plain
from support.api import API, OBJECTS, READING, arguments, example
from support.parts import OWNERS
from support.roles import definer_role, owner_role

WRITES = re.compile(
    r"\b(insert into|update braid|delete from|merge into|for (no key )?update|for (key )?share"
    r"|lock table|nextval|create (table|index|policy)|drop index|alter table|grant usage|pg_notify"
    r"|random_normal|random\(\)|gen_random_uuid|pg_get_functiondef)",
    re.I,
)


def test_every_function_has_a_comment(functions: Any) -> None:
    assert [f.full_name for f in functions if not f.comment.strip()] == []


def test_every_function_pins_its_search_path_with_pg_temp_last(functions: Any) -> None:
    wrong = {f.full_name: f.settings for f in functions if "search_path=pg_catalog, pg_temp" not in f.settings}
    assert wrong == {}


def test_only_a_procedure_that_commits_has_no_settings(catalog: Any) -> None:
    """PostgreSQL refuses COMMIT in a procedure that sets its search_path. So run_maintenance, which only calls another
    function and commits, sets none; test_run_maintenance.py calls it under a hostile search_path."""
    found = catalog.execute(
        "select p.proname, p.prosecdef, p.proconfig, p.proowner::regrole::text, obj_description(p.oid, 'pg_proc') <> ''"
        " from pg_proc p where p.pronamespace::regnamespace::text ~ '^braid' and p.prokind <> 'f'"
    ).fetchall()
    assert [tuple(row) for row in found] == [("run_maintenance", False, None, owner_role(catalog), True)]
    assert "run_maintenance" not in API


# With these settings, numbers, dates and bytes become the same text in every session
# (sql/core/99_privileges/5_settings.sql).
PINNED = {
    "extra_float_digits=1",
    "array_nulls=on",
    "bytea_output=hex",
    "quote_all_identifiers=off",
    "row_security=on",
    "IntervalStyle=postgres",
}


def test_what_sessions_call_depends_on_none_of_their_settings(functions: Any) -> None:
    """No setting of the session changes a call; tests/core/isolation/test_settings.py compares answers and stored
    rows."""
    wrong = {
        f.full_name: missing
        for f in functions
        if (f.full_name.startswith("braid.") or f.is_definer) and not f.name.startswith("note_rows_")
        for missing in [
            {known.lower() for known in PINNED} - {given.lower() for given in f.settings}
            or not any(given.lower().startswith("datestyle=iso") for given in f.settings)
        ]
        if missing
    }
    assert wrong == {}


def test_no_function_name_is_overloaded(functions: Any) -> None:
    assert [name for name, count in Counter(f.full_name for f in functions).items() if count > 1] == []


def test_every_argument_is_named(functions: Any) -> None:
    unnamed = [f.full_name for f in functions if len(f.argument_names) < f.all_argument_count or "" in f.argument_names]
    assert unnamed == []


def test_the_api_says_who_runs_it_and_where_it_is_described(functions: Any) -> None:
    """Each API function says who runs it and on which page it is described. Privileges, tests, the driver and the
    list of functions are generated from this."""
    assert {f.name for f in functions if f.schema == "braid"} == API.keys()
    silent = {
        name: missing
        for name, header in API.items()
        for missing in [[key for key in ("roles", "example", "page") if not getattr(header, key)]]
        if missing
    }
    assert silent == {}, "see Add a function to the API in docs/internals/contributing.md"
    assert [name for name in API if not example(name).startswith(f"braid.{name}(")] == []


def test_an_example_gives_the_arguments_without_a_default_by_name(functions: Any) -> None:
    for function in functions:
        if function.schema == "braid":
            given = arguments(example(function.name)).keys()
            needed = function.argument_names[: function.argument_count - function.default_count]
            assert set(needed) <= given <= set(function.argument_names), function.name


def test_the_api_runs_with_the_callers_rights(functions: Any) -> None:
    assert [f.full_name for f in functions if f.schema == "braid" and f.is_definer] == []


def test_definer_functions_are_owned_by_the_definer_except_those_across_tenants(catalog: Any, functions: Any) -> None:
    owner, definer = owner_role(catalog), definer_role(catalog)
    assert owner.startswith("braid_owner_") and definer.startswith("braid_definer_")
    across = {name for name, header in OBJECTS.items() if header.acts_across_tenants}
    assert {f.full_name for f in functions if f.is_definer and f.owner == owner} == across
    assert {f.full_name: f.owner for f in functions if f.owner not in (owner, definer)} == {}
    assert [f.full_name for f in functions if not f.is_definer and f.owner != owner] == []


def test_definer_functions_find_the_tenant_themselves(functions: Any) -> None:
    named = [f.full_name for f in functions if f.is_definer and "tenant_id" in f.argument_names]
    assert named == []
    # A definer function refuses to work without a tenant.
    lax = [
        f.full_name
        for f in functions
        if f.is_definer
        and f.owner.startswith("braid_definer_")
        and not functions.calls(f)
        & {
            "braid_store.require_tenant_id",
            "braid_store.require_tenant_key",
            "braid_store.tenant_id_for_writing",
            "braid_store.tenant_id_of_user",
            "braid_calls.login_is_known",  # for functions that read definitions, which all tenants share
        }
    ]
    assert lax == []


def test_what_reads_reads_one_snapshot(functions: Any) -> None:
    """No function that a read calls is volatile. A volatile function would take its own snapshot, and could see a merge
    that its caller does not see."""
    reached = functions.reached_from(*(f"braid.{name}" for name in READING))
    assert len(reached) > 20
    assert sorted(name for name in reached if functions.named(name).volatility == "v") == []


def test_what_writes_is_volatile_and_nothing_else_is(functions: Any) -> None:
    # An extension point may write, even if no part extends it to write.
    points = {f.full_name for f in functions if f.name.startswith("extend_") and f.name not in OWNERS}
    writing = {f.full_name for f in functions if WRITES.search(re.sub(r"--[^\n]*", "", f.body))}
    writing |= {name for name in points if OBJECTS[name].is_volatile}

    def writes(full_name: str) -> bool:
        return not writing.isdisjoint(functions.reached_from(full_name))

    wrong = {f.full_name: f.volatility for f in functions if (f.volatility == "v") != writes(f.full_name)}
    assert wrong == {}


def test_immutable_functions_call_no_stable_ones(functions: Any) -> None:
    wrong = {
        f.full_name: sorted(called)
        for f in functions
        if f.volatility == "i"
        for called in [{name for name in functions.calls(f) if functions.named(name).volatility != "i"}]
        if called
    }
    assert wrong == {}


def test_only_functions_without_effects_are_parallel_safe(functions: Any) -> None:
    wrong = [f.full_name for f in functions if f.volatility == "v" and f.parallel != "u"]
    wrong += [
        f.full_name
        for f in functions
        if any("sru".index(functions.named(name).parallel) > "sru".index(f.parallel) for name in functions.calls(f))
    ]
    # A parallel worker cannot begin the subtransaction of a block that catches errors.
    catching = re.compile(r"^\s*exception(?: when|$)", re.MULTILINE)
    wrong += [f.full_name for f in functions if f.parallel != "u" and catching.search(f.body)]
    # A parallel worker cannot change a setting.
    wrong += [f.full_name for f in functions if f.parallel != "u" and "set_config(" in f.body]
    assert wrong == []


@pytest.mark.parametrize("kind", ["function", "table", "schema", "type", "sequence"])
def test_public_has_nothing(catalog: Any, kind: str) -> None:
    queries = {
        "function": "select p.oid::regprocedure::text from pg_proc p, aclexplode(coalesce(p.proacl, "
        "acldefault('f', p.proowner))) a where p.pronamespace::regnamespace::text in ('braid',"
        " 'braid_calls', 'braid_store') and a.grantee = 0",
        "table": "select c.oid::regclass::text from pg_class c, aclexplode(coalesce(c.relacl,"
        " acldefault('r', c.relowner))) a "
        "where c.relnamespace::regnamespace::text in ('braid', 'braid_store') and c.relkind <> 'S' and a.grantee = 0 "
        "union all select c.oid::regclass || '.' || t.attname from pg_class c join pg_attribute t on"
        " t.attrelid = c.oid, "
        "aclexplode(t.attacl) a where c.relnamespace::regnamespace::text in ('braid', 'braid_store') and a.grantee = 0",
        "sequence": "select c.oid::regclass::text from pg_class c, aclexplode(coalesce(c.relacl,"
        " acldefault('s', c.relowner))) a "
        "where c.relnamespace::regnamespace::text in ('braid', 'braid_store') and c.relkind = 'S' and a.grantee = 0",
        "schema": "select n.nspname::text from pg_namespace n, aclexplode(coalesce(n.nspacl,"
        " acldefault('n', n.nspowner))) a "
        "where n.nspname in ('braid', 'braid_calls', 'braid_store') and a.grantee = 0",
        # A table's row type follows the table, and an array type follows its elements.
        "type": "select t.oid::regtype::text from pg_type t left join pg_class c on c.oid = t.typrelid, "
        "aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) a where t.typnamespace::regnamespace::text in "
        "('braid', 'braid_store') and t.typelem = 0 and (t.typtype <> 'c' or c.relkind = 'c') and a.grantee = 0",
    }
    assert [name for (name,) in catalog.execute(queries[kind])] == []


def test_the_client_asks_for_what_has_spaces_and_quotation_marks_of_the_query_language(catalog: Any) -> None:
    spaces, quotes = catalog.execute("select braid_store.white_space(), braid_store.quotation_marks()").fetchone()
    assert len(spaces) > 20 and len(quotes) > 3
    assert not any(is_plain(f"a{space}b") for space in set(spaces) - {" "}) and is_plain("a b")
    assert not any(is_plain(f"a {quote}b c{quote}") for quote in quotes)
