"""Objects with names of pgbraid's or PostgreSQL's objects change nothing, in pg_temp, public or the attacker's own
schemas."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from core.isolation.world import Connection, World
from psycopg.types.json import Jsonb


@pytest.fixture(scope="module")
def attacker(world: World) -> Iterator[Connection]:
    """Yield a writer of alpha who may create whatever a plain login can, also in public."""
    login = world.role("mallory", "braid_writer")
    world.member("alpha", login)
    world.admin.execute(
        f"grant create, temporary on database {world.name} to {login}; grant create on schema public to {login}"
    )
    yield world.connect(login)


TRAPS = [
    # PostgreSQL looks up types in pg_temp first unless pg_temp is listed last, and a domain's check runs with the
    # caster's rights.
    "create function pg_temp.spring(anyelement) returns boolean language plpgsql as $f$ begin"
    " if current_user <> session_user then raise exception 'sprung as %', current_user; end if; return true; end $f$",
    *(
        f"create domain pg_temp.{name} as pg_catalog.{name} check (pg_temp.spring(value))"
        for name in (
            "text",
            "int4",
            "int8",
            "float8",
            "jsonb",
            "bytea",
            "timestamptz",
            "regclass",
            "regconfig",
            "regnamespace",
        )
    ),
    "create domain pg_temp.vector as public.vector check (pg_temp.spring(value))",
    *(
        f"create temporary table {name} (tenant_id int, id bigint, key text, chunk_id bigint, content text)"
        for name in (
            "documents",
            "chunks",
            "tenants",
            "postings",
            "segments",
            "unnest",
            "pg_roles",
            "pg_class",
            "collections",
        )
    ),
    "create temporary view pg_ts_config as select 1 as oid",
    *(
        f"create function {schema}.{name} returns {returns} language plpgsql as"
        f" $f$ begin raise exception 'sprung: {name} as %', current_user; end $f$"
        for schema in ("pg_temp", "public", "mallory")
        for name, returns in (
            ("session_tenant_id()", "int"),
            ("current_tenant_id()", "int"),
            ("require_tenant_id()", "int"),
            ("find_collection(text)", "int"),
            ("pg_has_role(name, oid, text)", "boolean"),
            ("coalesce_all(text)", "text"),
            ("now()", "timestamptz"),
            ("octet_length(text)", "int"),
            ("jsonb_typeof(jsonb)", "text"),
            ("format(text, text)", "text"),
            ("vector_dims(text)", "int"),
            ("lower(text)", "text"),
        )
    ),
    "create function mallory.same(text, text) returns boolean language plpgsql as"
    " $f$ begin raise exception 'sprung: operator as %', current_user; end $f$",
    *(
        f"create operator {schema}.{operator} (function = mallory.same, leftarg = text, rightarg = text)"
        for schema in ("mallory", "public", "pg_temp")
        for operator in ("=", "||", "~", "<=>", "->>")
    ),
    "create function mallory.near(public.vector, text) returns float8 language plpgsql as"
    " $f$ begin raise exception 'sprung: <=> as %', current_user; end $f$",
    "create operator public.<=> (function = mallory.near, leftarg = public.vector, rightarg = text)",
    "create cast (mallory.thing as pg_catalog.text) with function mallory.tell(mallory.thing) as implicit",
]
CALLS = [
    "braid.status()",
    "braid.hybrid_search('discount customer', '[1,0,0]', collection => 'small', filters => '{\"speaker\": \"Ana\"}')",
    "braid.search_json('discount', collection => 'small',"
    ' filters => \'{"year": {"$gt": 2000}, "occurred_at": {"$gt": "2020-01-01"}}\')',
    "braid.upsert_document('h1', 'A customer.', 'Title', metadata => '{\"a\": 1}', occurred_at =>"
    " '2026-01-01Z', collection => 'small')",
    "braid.upsert_document('h2', 'Another.', embedding => '[0,0,1]', collection => 'small')",
    "braid.update_metadata('h1', '{\"b\": 1}', collection => 'small')",
    "braid.claim_embedding_jobs(1, collection => 'small')",
    "braid.delete_document('h1', 'small')",
    "braid.delete_documents('{h2}', 'small')",
]


def results(connection: Connection) -> list[str]:
    found = []
    with connection.transaction(force_rollback=True):
        for call in CALLS:
            try:
                with connection.transaction():
                    found.append(repr(connection.execute(f"select count(*) from {call}").fetchall()))
            except psycopg.Error as error:
                found.append(f"{error.sqlstate} {error}")
    return found


def test_objects_of_the_same_names_are_not_used(world: World, attacker: Connection) -> None:
    expected = results(attacker)
    assert [result for result in expected if not result.startswith("[(")] == []
    with attacker.transaction(force_rollback=True):
        attacker.execute("create schema mallory; create type mallory.thing as (a int)")
        attacker.execute("create function mallory.tell(mallory.thing) returns text language sql as 'select ''x'''")
        laid = 0
        for trap in TRAPS:
            try:
                with attacker.transaction():
                    attacker.execute(trap)
                    laid += 1
            except psycopg.errors.InsufficientPrivilege:
                pass  # no trap is possible: pgvector is not in public, or another role owns its type
        assert laid > len(TRAPS) * 3 / 4
        for path in (
            "pg_temp, mallory, public, pg_catalog",
            "mallory, pg_catalog, pg_temp",
            "braid_store, braid, pg_temp",
            "",
        ):
            attacker.execute("select set_config('search_path', %s, true)", (path,))
            assert results(attacker) == expected, path


@pytest.mark.parametrize(
    "settings",
    [
        {"standard_conforming_strings": "off", "backslash_quote": "on", "escape_string_warning": "off"},
        {"row_security": "off"},
        {"transform_null_equals": "on", "array_nulls": "off", "quote_all_identifiers": "on"},
        {
            "datestyle": "German, DMY",
            "intervalstyle": "sql_standard",
            "timezone": "Asia/Kathmandu",
            "extra_float_digits": "-15",
        },
        {"plpgsql.extra_errors": "none", "plpgsql.extra_warnings": "all", "check_function_bodies": "off"},
        {"enable_indexscan": "off", "enable_hashjoin": "off", "plan_cache_mode": "force_custom_plan"},
        {"default_text_search_config": "simple", "bytea_output": "escape", "xmloption": "document"},
        {"default_transaction_isolation": "repeatable read"},
        {"default_transaction_isolation": "serializable"},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_settings_of_the_session_show_nothing_of_others(
    world: World, attacker: Connection, settings: dict[str, str]
) -> None:
    before = world.fingerprint("beta")
    expected = attacker.execute(
        "select r::text from braid.full_text_search('discount zebrafish', collection => 'small') r"
    ).fetchall()
    try:
        for name, value in settings.items():
            attacker.execute("select set_config(%s, %s, false)", (name, value))
        found = attacker.execute(
            "select external_id, speaker from braid.full_text_search('discount zebrafish', collection => 'small')"
        )
        assert len(found.fetchall()) == len(expected)
        for result in results(attacker):
            assert result.startswith("[("), result
    finally:
        for name in settings:
            attacker.execute(f"reset {name}")
    assert world.fingerprint("beta") == before


INJECTIONS = [
    "') or true --",
    "' or '1'='1",
    "\\' or true --",
    "$$; reset role; $$",
    "%s %L %I %1$s",
    'a"; drop table braid_store.documents; --',
    "); select set_config('braid.tenant', 'beta', true); --",
    '{"a": 1}',
    "${braid_store}",
    "x' collate \"C\" is null or c.tenant_id > 0 or 'x' = '",
    "\u2019 or true --",
]


@pytest.mark.parametrize("conforming", ["on", "off"])
def test_text_that_looks_like_sql_is_text(world: World, attacker: Connection, conforming: str) -> None:
    """A caller's text stays text in every place where it reaches a dynamic statement."""
    before = world.fingerprint("beta")
    own = {"doc1", "doc2", "doc3"}
    attacker.execute(f"set standard_conforming_strings = {conforming}; set escape_string_warning = off")
    try:
        for text in INJECTIONS:
            for key, operand in (
                (text, text),
                ("speaker", text),
                ("external_id", text),
                (f"a.{text}", text),
                (f"metadata.{text}", 1),
                (text, {"$in": [text, 1, None]}),
                ("speaker", {"$nin": [text]}),
                (text, {"$gt": text}),
                ("speaker", {text: text}),
                ("occurred_at", text),
                (text, {"$exists": True}),
                ("source_uri", {"$ne": text}),
                ("$or", [{text: text}]),
            ):
                try:
                    rows = attacker.execute(
                        "select external_id from braid.hybrid_search('discount customer prices zebrafish',"
                        " '[1,0,0]', 1000,"
                        " filters => %s, collection => 'small')",
                        (Jsonb({key: operand}),),
                    ).fetchall()
                    assert {row[0] for row in rows} <= own
                except psycopg.errors.InvalidParameterValue as error:
                    assert error.diag.message_hint
            for statement in (
                "select external_id from braid.full_text_search(%(t)s, collection => 'small')",
                "select external_id from braid.full_text_search('discount', match => %(t)s, collection => 'small')",
                "select external_id from braid.full_text_search('discount', collection => %(t)s)",
                "select external_id from braid.hybrid_search('discount', fusion => %(t)s, collection => 'small')",
                "select external_id from braid.hybrid_search('discount', options =>"
                " jsonb_build_object(%(t)s::text, 1), collection => 'small')",
                "select braid.delete_document(%(t)s, 'small') and null",
                "select braid.clear_collection(%(t)s)::text",
                "select braid.status(%(t)s)::text",
            ):
                try:
                    rows = attacker.execute(statement, {"t": text}).fetchall()
                    assert {row[0] for row in rows} <= own | {None, False}
                except (psycopg.errors.InvalidParameterValue, psycopg.errors.UndefinedObject) as error:
                    assert error.diag.message_hint
    finally:
        attacker.execute("reset all")
    assert world.fingerprint("beta") == before
    assert world.admin.execute(
        "select count(*) from braid_store.documents where tenant_id = %s", (world.tenant_ids["alpha"],)
    ).fetchone() == (3,)
