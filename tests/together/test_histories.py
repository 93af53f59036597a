"""All ways to write the versions of a document, mixed at random and at once, leave one version valid at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support.calls import one, upsert
from support.validity import ALWAYS, COLLECTION, NEVER, Connection, make, moment

SETTINGS = settings(
    deadline=None, suppress_health_check=list(HealthCheck), database=None, max_examples=25, derandomize=True
)
YEARS = [f"{year}-01-01T00:00:00.000000Z" for year in range(2020, 2025)]


@pytest.fixture(scope="module")
def facts(shared_db: Connection) -> Connection:
    make(shared_db)
    return shared_db


@pytest.fixture
def own(db: Connection) -> Connection:
    make(db)
    return db


def stored(db: Connection) -> dict[str, tuple[Any, Any]]:
    """Return from when and until when each version is valid."""
    rows = db.execute(
        "select external_id, metadata from braid.list_documents('facts', 1000, filters => '{\"$as_of\": null}')"
    ).fetchall()
    return {
        row[0]: (moment(row[1].get("valid_from"), ALWAYS), moment(row[1].get("valid_until"), NEVER)) for row in rows
    }


def found(db: Connection, time: Any) -> set[str]:
    rows = db.execute(
        "select external_id from braid.full_text_search('apple', 100, %s, 'facts')", (Jsonb({"$as_of": time}),)
    ).fetchall()
    return {row[0] for row in rows}


def consistent(db: Connection) -> None:
    """Check that one version is valid at a time, and that searches find it there."""
    versions = stored(db)
    for time in YEARS:
        valid = {name for name, (start, end) in versions.items() if start <= moment(time, ALWAYS) < end}
        assert len(valid) <= 1, versions
        assert found(db, time) == valid, versions


def document(number: int, start: str | None, end: str | None, name: str = "price") -> dict[str, Any]:
    if start and end and start > end:
        start, end = end, start
    times = {"valid_from": start, "valid_until": end}
    return {
        "external_id": name,
        "content": f"apple {number}",
        "metadata": {key: value for key, value in times.items() if value},
    }


YEAR = st.one_of(st.none(), st.sampled_from(YEARS))
OPERATION = st.tuples(
    st.sampled_from(["supersede", "supersede", "upsert", "upsert former", "update", "delete", "copy"]),
    YEAR,
    YEAR,
    st.integers(0, 5),
)


@SETTINGS
@given(operations=st.lists(OPERATION, min_size=2, max_size=8))
def test_any_history_leaves_one_version_valid_at_a_time(
    facts: Connection, operations: list[tuple[str, str | None, str | None, int]]
) -> None:
    facts.execute("select braid.clear_collection('facts')")
    saved: list[Any] = []
    for number, (operation, start, end, place) in enumerate(operations):
        # A version without valid_from begins now, and cannot have ended before.
        new = document(number, start, end if start or operation != "supersede" else None)
        names = sorted(stored(facts))
        name = names[place % len(names)] if names else "price"
        if operation == "supersede":
            facts.execute("select braid.supersede_documents(%s, 'facts')", (Jsonb([new]),))
        elif operation == "upsert":
            upsert(facts, [new], COLLECTION)
            assert upsert(facts, [new], COLLECTION) == {"price": "unchanged"}
            assert "price" in stored(facts)
        elif operation == "upsert former":
            began = name.partition("@")[2] or start
            upsert(facts, [document(number, began, max(end, began) if end and began else end, name)], COLLECTION)
        elif operation == "update":
            changed = document(number, name.partition("@")[2] or start, end)["metadata"]
            if name == "price" or changed.get("valid_from") == name.partition("@")[2]:
                facts.execute("select braid.update_metadata(%s, %s, true, 'facts')", (name, Jsonb(changed)))
        elif operation == "delete":
            facts.execute("select braid.delete_document(%s, 'facts')", (name,))
        elif saved:
            facts.execute("select braid.import_tenant(%s)", (Jsonb(saved),))
            saved = []
        else:
            saved = [row[0] for row in facts.execute("select braid.export_tenant('facts')") if "document" in row[0]]
        consistent(facts)
        if operation in ("supersede", "upsert") and "valid_from" in new["metadata"]:
            began = new["metadata"]["valid_from"]
            if new["metadata"].get("valid_until") != began:
                assert one(
                    facts,
                    "select content from braid.full_text_search('apple', filters => %s, collection => 'facts')",
                    Jsonb({"$as_of": began}),
                ) == f"apple {number}"  # fmt: skip


def test_writers_of_all_kinds_at_once_leave_one_version_valid_at_a_time(
    own: Connection, other_session: Callable[..., AbstractContextManager[Connection]]
) -> None:
    failures: list[Exception] = []
    calls = [
        ("select braid.supersede_documents(%s, 'facts')", lambda number: [document(number, YEARS[number], None)]),
        ("select braid.supersede_documents(%s, 'facts')", lambda number: [document(number, None, None)]),
        ("select braid.upsert_documents(%s, 'facts')", lambda number: [document(number, None, None)]),
        ("select braid.upsert_documents(%s, 'facts')", lambda number: [document(number, YEARS[number], None)]),
        ("select braid.update_metadata('price', %s, true, 'facts')", lambda number: {"valid_from": YEARS[number]}),
    ]

    def write(query: str, values: Callable[[int], Any]) -> None:
        try:
            with other_session(autocommit=True) as session:
                for number in (2, 0, 4, 1, 3):
                    session.execute(query, (Jsonb(values(number)),))
        except Exception as error:
            failures.append(error)

    writers = [threading.Thread(target=write, args=call) for call in calls]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == []
    consistent(own)


def test_a_version_is_superseded_under_the_id_of_its_document(own: Connection) -> None:
    """Otherwise it would have versions of its own, which nothing keeps apart from the others."""
    own.execute("select braid.supersede_documents(%s, 'facts')", (Jsonb([document(1, YEARS[0], None)]),))
    own.execute("select braid.supersede_documents(%s, 'facts')", (Jsonb([document(2, YEARS[1], None)]),))
    former = document(3, YEARS[3], None, f"price@{YEARS[0]}")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="is a former version of") as refused:
        own.execute("select braid.supersede_documents(%s, 'facts')", (Jsonb([former]),))
    assert "external_id of the document" in str(refused.value.diag.message_hint)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="is the version") as refused:
        upsert(own, [former], COLLECTION)
    assert "supersede_documents" in str(refused.value.diag.message_hint)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="is the version"):
        own.execute("select braid.update_metadata(%s, '{}', true, 'facts')", (f"price@{YEARS[0]}",))
    consistent(own)
