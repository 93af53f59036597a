"""Test an application's own table in which each user is a tenant, with tokens and the rights that the bundle gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

ANA, BEN = "7d9f1f0e-0000-4000-8000-00000000000a", "7d9f1f0e-0000-4000-8000-00000000000b"
Request = Callable[[str, str], list[tuple[Any, ...]]]


@pytest.fixture
def owner(installed: str) -> Any:
    with psycopg.connect(installed, autocommit=True) as connection:
        connection.execute("select braid.set_access(claim_path => '{sub}', create_tenants => true)")
        connection.execute(
            "create table notes (id bigint generated always as identity primary key, user_id uuid, body text)"
        )
        connection.execute("alter table notes enable row level security")
        connection.execute("create policy own on notes using (user_id = auth.uid()) with check (user_id = auth.uid())")
        yield connection


@pytest.fixture
def request_as(installed: str) -> Request:
    """Return a function that runs a query in a transaction as PostgREST does, with a user's token: `request_as(user,
    query)`."""

    def run(user: str, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(make_conninfo(installed, user="authenticator")) as connection:
            connection.execute(
                "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', %s, true)",
                (json.dumps({"role": "authenticated", "sub": user}),),
            )
            cursor = connection.execute(query.encode())
            return cursor.fetchall() if cursor.description else []

    return run


@pytest.mark.parametrize("mode", ["immediate", "deferred"])
def test_each_user_finds_their_own_rows(owner: psycopg.Connection[Any], request_as: Request, mode: str) -> None:
    owner.execute(f"insert into notes (user_id, body) values ('{BEN}', 'A heron of long ago.')")
    owner.execute(
        "select braid.sync_table('public.notes', content => '{body}', tenant_column => 'user_id', mode => %s)", [mode]
    )
    row = owner.execute("select braid.apply_changes()").fetchone()
    assert row is not None
    (applied,) = row
    assert (applied["failed"], applied["complete"]) == (0, True), applied
    request_as(ANA, f"insert into notes (user_id, body) values ('{ANA}', 'A heron of today.')")
    owner.execute("select braid.apply_changes()")
    search = "select content from braid.full_text_search('heron')"
    assert request_as(ANA, search) == [("A heron of today.",)]
    assert request_as(BEN, search) == [("A heron of long ago.",)]
    # A token allows a user to read its own rows and to write rows, and nothing else.
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
        request_as(ANA, "select braid.clear_collection('default')")


def test_what_a_user_has_written_is_found_at_once(owner: psycopg.Connection[Any], request_as: Request) -> None:
    owner.execute(
        "select braid.sync_table('public.notes', content => '{body}', tenant_column => 'user_id', mode => 'immediate')"
    )
    owner.execute("select braid.apply_changes()")
    request_as(ANA, f"insert into notes (user_id, body) values ('{ANA}', 'A heron of today.')")
    assert request_as(ANA, "select content from braid.full_text_search('heron')") == [("A heron of today.",)]
