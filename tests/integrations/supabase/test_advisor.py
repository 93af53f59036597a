"""Run the rules of Supabase's advisor in a project in which the bundle has been run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from support import supabase
from support.advisor import LINTS, PROJECT_LINTS, offenders

ROLES = ("anon", "authenticated")


@pytest.fixture
def admin(installed: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(make_conninfo(installed, user=supabase.ADMIN)) as connection:
        yield connection
        connection.rollback()


def test_the_advisor_has_nothing_to_say(admin: psycopg.Connection[Any]) -> None:
    reported = {
        f"{lint} {role}": offenders(admin, query, role)
        for lint, (query, _) in {**LINTS, **PROJECT_LINTS}.items()
        for role in ROLES
    }
    assert {lint: found for lint, found in reported.items() if found} == {}


@pytest.mark.parametrize("lint", PROJECT_LINTS)
def test_the_rule_reports_what_breaks_it(admin: psycopg.Connection[Any], lint: str) -> None:
    query, breaks = PROJECT_LINTS[lint]
    admin.execute(breaks.encode())
    assert len(offenders(admin, query, "anon")) == 1


def test_nothing_of_the_project_is_changed(admin: psycopg.Connection[Any]) -> None:
    """The installation changes only its own schemas, and memberships of its own roles."""
    assert (
        admin.execute(
            "select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
            " where n.nspname in ('public', 'auth') and c.relowner::regrole::text ~ 'braid|postgres'"
        ).fetchall()
        == []
    )
    memberships = admin.execute(
        "select roleid::regrole::text, member::regrole::text, inherit_option from pg_auth_members"
        " where roleid::regrole::text like 'braid%' and member::regrole::text not like 'braid%'"
        "   and member <> 'postgres'::regrole order by 1, 2"
    ).fetchall()
    assert memberships == [
        ("braid_reader", "authenticated", True),
        ("braid_writer", "service_role", True),
    ]
