"""What README.md lists: functions, errors, commands and links, against what there is."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest

import pgbraid
from pgbraid import errors
from pgbraid.cli import COMMANDS
from readme.markdown import PROSE, README, TEXT, code, inline, table
from readme.test_snippets import make_targets
from support.postgrest import Gateway, token_for

LONG = {"external_id": "long", "content": "Many words, one after the other. " * 20_000}


def test_the_functions_are_those_of_the_schema(db: psycopg.Connection[Any]) -> None:
    listed = [name for row in table("Functions") for name in code(row[0])]
    there = db.execute(
        """
        select proname from pg_proc where pronamespace = 'braid'::regnamespace
        union all
        select 'braid.' || relname from pg_class where relnamespace = 'braid'::regnamespace and relkind = 'v'
        """
    ).fetchall()
    assert sorted(listed) == sorted(name for (name,) in there)


@pytest.mark.any_version
def test_the_errors_are_those_of_the_client() -> None:
    for states, _, _, names in table("Errors"):
        first, *others = [getattr(errors, name) for name in code(names)]
        assert all(issubclass(kind, pgbraid.PgbraidError) for kind in (first, *others))
        for state in states.split(", "):
            if state != "—":
                error = psycopg.errors.lookup(state)("it went wrong")
                assert type(errors.from_psycopg(error)) is first
                assert all(issubclass(kind, first) for kind in others)


@pytest.mark.any_version
def test_a_lost_connection_is_one(dsn: str) -> None:
    with pgbraid.connect(dsn) as client, psycopg.connect(dsn, autocommit=True) as other:
        other.execute("select pg_terminate_backend(%s)", (client.connection.info.backend_pid,))
        with pytest.raises(errors.ConnectionLostError):
            client.status()


@pytest.mark.any_version
def test_the_http_statuses(postgrest: Gateway) -> None:
    token = token_for("acme")
    calls: dict[str, list[tuple[str, dict[str, Any], str | None]]] = {
        "22023": [("hybrid_search", {"query_text": "a", "match_count": 0}, token)],
        "22003": [("hybrid_search", {"query_text": "a", "match_count": 10**12}, token)],
        "22000": [("semantic_search", {"query_embedding": []}, token)],
        "22P02": [("semantic_search", {"query_embedding": "[1,x]"}, token)],
        "42704": [("full_text_search", {"query_text": "a", "collection": "nowhere"}, token)],
        "42501": [("full_text_search", {"query_text": "a"}, None), ("status", {}, token_for("no such tenant"))],
        "0A000": [("rebuild_index", {}, token_for("acme", "repeatable_reader"))],
        "57014": [("upsert_document", LONG, token_for("acme", "hasty"))],
        "22P05": [("full_text_search", {"query_text": "a\0b"}, token)],
        "54000": [("semantic_search", {"query_embedding": [1] * 16_001}, token)],
        # What only happens where transactions meet, or with JSON deeper than Python writes.
        **{state: [("fail_with", {"state": state}, token)] for state in ("40P01", "55P03", "54001")},
    }
    documented = {
        state: [int(number) for number in row[2].split(", ")]
        for row in table("Errors")
        if row[2] != "—"
        for state in row[0].split(", ")
    }
    by_get = postgrest.get("delete_document", {"external_id": "a"}, token)
    assert [by_get.status] == documented.pop(str(by_get.code))
    assert documented.keys() == calls.keys()
    for state, made in calls.items():
        answers = [postgrest.call(*call) for call in made]
        assert [answer["code"] for _, answer in answers] == [state] * len(made)
        before_12_2 = [413] if state.startswith("54") else documented[state]
        assert [status for status, _ in answers] == before_12_2


@pytest.mark.any_version
def test_commands_and_targets_exist() -> None:
    for text in code(PROSE.replace("\n", " ")):
        program, _, rest = text.partition(" ")
        if program == "make":
            assert rest in make_targets()
        elif program in ("pgbraid", ".venv/bin/pgbraid") and rest:
            assert rest.split()[0] in COMMANDS


@pytest.mark.any_version
def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)]+)\)", PROSE)
    assert links
    anchors = {
        "#" + re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", PROSE, re.MULTILINE)
    }
    for link in links:
        assert link in anchors or (README.parent / link).exists(), link


@pytest.mark.any_version
def test_nothing_is_left_to_fill_in() -> None:
    assert not re.search(r"@[A-Z]+@|TODO|FIXME|XXX", TEXT)
    assert inline("grant braid_writer to authenticated")
