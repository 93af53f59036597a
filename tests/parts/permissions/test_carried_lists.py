"""A search carries its session's access lists in a setting, which any login can set: forged, another's or old lists
show nothing."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from parts.permissions.test_access import filled, found, principals  # noqa: F401

from support import pglite
from support.calls import one
from support.waiting import until

Connection = psycopg.Connection[Any]
LISTS, SIGNATURE = "braid.readable_lists", "braid.readable_lists_signature"
# Parts of one DO block have the same time, so lists stay valid between them unless something else forbids it.
SEARCH = "select coalesce(string_agg(external_id, ' ' order by external_id), '') into v_found"
SEARCH += " from braid.full_text_search('discount', collection => 'docs');"


def run(connection: Connection, *parts: str) -> list[str]:
    """Run parts as one statement, each followed by a search; return what the searches find."""
    body = "".join(f"{part} {SEARCH} v_all := v_all || v_found;" for part in parts)
    with connection.transaction():
        connection.execute(
            f"do $do$ declare v_found text; v_lists text; v_signature text; v_all text[] := '{{}}'; begin {body}"
            " perform set_config('test.found', v_all::text, true); end $do$"
        )
        found: list[str] = one(connection, "select current_setting('test.found')::text[]")
    return found


def ask(*names: str) -> str:
    return f"perform set_config('braid.principals', '{json.dumps(names)}', true);"


KEEP = f"v_lists := current_setting('{LISTS}'); v_signature := current_setting('{SIGNATURE}');"
FORGE = f"perform set_config('{LISTS}', v_lists, true), set_config('{SIGNATURE}', v_signature, true);"


def carried(connection: Connection) -> tuple[str, str]:
    """Return the lists and their signature."""
    row = connection.execute("select current_setting(%s, true), current_setting(%s, true)", (LISTS, SIGNATURE))
    lists, signature = row.fetchall()[0]
    return lists, signature


def forge(connection: Connection, lists: str, signature: str, is_local: bool = True) -> None:
    connection.execute(
        "select set_config(%s, %s, %s), set_config(%s, %s, %s)",
        (LISTS, lists, is_local, SIGNATURE, signature, is_local),
    )


def test_a_search_looks_the_lists_up_once(filled: Connection) -> None:  # noqa: F811
    filled.execute("set track_functions = 'all'")
    looked_up = "select pg_stat_get_xact_function_calls('braid_store.session_principals()'::regprocedure)"
    with principals(filled, "group:sales"):
        before = one(filled, looked_up) or 0
        rows = filled.execute("select * from braid.full_text_search('discount', collection => 'docs')").fetchall()
        assert len(rows) == 2
        assert one(filled, looked_up) - before == 1


def test_nobody_makes_lists(filled: Connection) -> None:  # noqa: F811
    lists = one(filled, "select array[min(id), max(id) + 1]::text from braid_store.access_lists")
    with principals(filled, "group:sales"):
        assert found(filled) == ["open", "sales"]
        own, signature = carried(filled)
        assert re.fullmatch("[0-9a-f]{64}", signature) and own != lists
        for forged in ((lists, signature), (lists, ""), (lists, "0" * 64), ("{0}", signature), ("", signature),
                       ("'; select 1", "0"), (own, signature)):  # fmt: skip
            forge(filled, *forged)
            assert one(filled, "select braid_calls.readable_bounds()::text") == own
            assert found(filled) == ["open", "sales"]
    # Only the lists are changed, in the same statement.
    seen = run(
        filled,
        ask("group:sales"),
        f"{KEEP} v_lists := '{lists}'; {FORGE}",
        f"v_lists := '{{0}}'; {FORGE}",
    )
    assert seen == ["open sales"] * 3


def test_lists_of_another_session_show_nothing(
    filled: Connection,  # noqa: F811
    make_login: Callable[..., str],
    connect_as: Callable[..., Connection],
) -> None:
    """In one statement, so that nothing but who asks has changed."""
    assert run(filled, ask("group:sales"), f"{KEEP} {ask('group:board')} {FORGE}") == ["open sales", "board open"]
    assert run(filled, "", f"{KEEP} {ask('group:board')} {FORGE}") == ["board nobody open sales", "board open"]
    # Another login asks.
    login = make_login("reader", "braid_reader")
    filled.execute("select braid.add_tenant_member('default', %s)", (login,))
    other = f"set local session authorization {login};"
    assert run(filled, "", f"{KEEP} {other} {FORGE}") == ["board nobody open sales", "open"]
    # Another user of a gateway, and another tenant that it may name.
    gateway = connect_as(make_login("gateway", "braid_reader", "gateway"))
    filled.execute("select braid.set_access(trusted_claim_roles => '{service_role}')")
    filled.execute("""select braid.set_principal_claims('{"groups": "group:"}')""")

    def claims(group: str, tenant: str = "default") -> str:
        named = json.dumps({"sub": "ana", "groups": [group], "app_metadata": {"tenant_id": tenant}})
        return f"perform set_config('request.jwt.claims', '{named}', true);"

    assert run(gateway, claims("board"), f"{KEEP} {claims('sales')} {FORGE}") == ["board open", "open sales"]
    filled.execute("select braid.create_tenant('other')")
    assert run(gateway, claims("board"), f"{KEEP} {claims('board', 'other')} {FORGE}") == ["board open", ""]


def test_a_revocation_of_its_own_holds_at_once(filled: Connection) -> None:  # noqa: F811
    """Even in one statement: a DO block of an administrator who asks for a user."""
    filled.execute("select braid.add_principal_member('default', 'group:board', 'user:ana')")
    revoke = "perform braid.remove_principal_member('default', 'group:board', 'user:ana');"
    grant = revoke.replace("remove", "add")
    seen = run(filled, ask("user:ana"), f"{KEEP} {revoke} {FORGE}", grant, f"{KEEP} {revoke} {FORGE}")
    assert seen == ["board open", "open", "board open", "open"]


def test_a_revocation_of_another_holds_within_a_long_statement(
    filled: Connection,  # noqa: F811
    connect_as: Callable[..., Connection],
    pg_version: int,
) -> None:
    if pg_version == pglite.VERSION:
        pytest.skip("PGlite has one session")
    filled.execute("select braid.add_principal_member('default', 'group:board', 'user:ana')")
    session = connect_as("postgres", "default")
    seen: list[str] = []
    wait = f"{KEEP} perform pg_advisory_xact_lock(38); {FORGE}"

    def search() -> None:
        seen.extend(run(session, ask("user:ana"), wait))

    waiting = "select exists (select from pg_locks where locktype = 'advisory' and objid = 38 and not granted)"
    filled.execute("select pg_advisory_lock(38)")
    thread = threading.Thread(target=search)
    thread.start()
    try:
        until(lambda: one(filled, waiting))
        filled.execute("select braid.remove_principal_member('default', 'group:board', 'user:ana')")
    finally:
        filled.execute("select pg_advisory_unlock(38)")
        thread.join()
    assert seen == ["board open", "open"]


def test_old_lists_show_nothing(filled: Connection, connect_as: Callable[..., Connection]) -> None:  # noqa: F811
    """In a session of a pool, a prepared statement, and a transaction that sees no changes of others."""
    filled.execute("select braid.add_principal_member('default', 'group:board', 'user:ana')")
    session = connect_as("postgres", "default")
    session.execute("""set braid.principals = '["user:ana"]'""")
    session.execute(
        "prepare searched as select external_id from braid.full_text_search('discount', collection => 'docs')"
    )
    with session.transaction():
        assert {row[0] for row in session.execute("execute searched")} == {"board", "open"}
        former = carried(session)
        # The next statement of the same transaction shows less.
        filled.execute("select braid.remove_principal_member('default', 'group:board', 'user:ana')")
        assert {row[0] for row in session.execute("execute searched")} == {"open"}
        forge(session, *former)
        assert {row[0] for row in session.execute("execute searched")} == {"open"}
    # The next user of the pooled session.
    assert carried(session) == ("", "")
    forge(session, *former, is_local=False)
    assert {row[0] for row in session.execute("execute searched")} == {"open"}
    with session.transaction():
        session.execute("set transaction isolation level repeatable read")
        assert found(session) == ["open"]
        filled.execute("select braid.add_principal_member('default', 'group:board', 'user:ana')")
        assert found(session) == ["open"]
    assert found(session) == ["board", "open"]


def test_a_role_that_is_revoked_is_lost_in_an_old_snapshot(
    filled: Connection,  # noqa: F811
    make_login: Callable[..., str],
    connect_as: Callable[..., Connection],
) -> None:
    """Roles are no rows of a snapshot, so they are looked up in each statement."""
    role, login = make_login("board"), make_login("reader", "braid_reader")
    filled.execute("select braid.add_tenant_member('default', %s)", (login,))
    filled.execute("select braid.add_principal_member('default', 'group:board', %s)", (f"login:{role}",))
    filled.execute(f"grant {role} to {login}")
    reader = connect_as(login, "default")
    with reader.transaction():
        reader.execute("set transaction isolation level repeatable read")
        assert found(reader) == ["board", "open"]
        former = carried(reader)
        filled.execute(f"revoke {role} from {login}")
        forge(reader, *former)
        # PostgreSQL notices changes of roles when a transaction locks a table that it has not locked yet.
        reader.execute("select from pg_catalog.pg_publication")
        assert found(reader) == ["open"]


def test_the_signature_has_all_settings_that_decide(filled: Connection) -> None:  # noqa: F811
    """A setting that session_principals and its callees read, and the signature lacks, would let lists pass on."""
    bodies = dict(
        filled.execute(
            "select p.pronamespace::regnamespace || '.' || p.proname, p.prosrc from pg_proc p"
            " where p.pronamespace in ('braid_calls'::regnamespace, 'braid_store'::regnamespace)"
        ).fetchall()
    )
    reached: set[str] = set()
    waiting = ["braid_calls.readable_bounds"]
    while waiting:
        name = waiting.pop()
        if name not in reached and name != "braid_store.lists_signature":
            reached.add(name)
            waiting += re.findall(r"\b(braid_(?:calls|store)\.\w+)\s*\(", bodies[name])
    assert "braid_store.request_claims" in reached

    def settings(name: str) -> set[str]:
        return set(re.findall(r"current_setting\('([\w.]+)'", bodies[name]))

    read = {setting for name in reached for setting in settings(name)} - {LISTS, SIGNATURE}
    assert read == settings("braid_store.lists_signature")
