"""`braid.list_values` finds the keys by which one can filter, and counts their values."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import upsert

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]


def listed(db: Connection, **arguments: Any) -> dict[str, tuple[int, Any, Any, list[tuple[Any, int]]]]:
    names = ", ".join(f"{name} => %({name})s" for name in arguments)
    values = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()}
    rows = db.execute(f"select * from braid.list_values({names})", values).fetchall()
    return {key: (count, low, high, [(top["value"], top["count"]) for top in tops])
            for key, count, low, high, tops in rows}  # fmt: skip


def test_every_key_with_its_values(db: Connection) -> None:
    upsert(
        db,
        [
            {
                "external_id": "a",
                "category": "bug",
                "importance": 2,
                "occurred_at": "2025-03-01T23:30:00-02:00",
                "metadata": {"tags": ["x", "y", "x"], "account": {"tier": "gold", "seats": 9}, "speaker": "odd"},
                "chunks": [{"content": "one", "speaker": "Ana"}, {"content": "two", "metadata": {"speakers": ["Ana"]}}],
            },
            {
                "external_id": "b",
                "content": "three",
                "metadata": {"tags": ["x"], "account": {"tier": "free", "seats": 10}, "$id": True, "none": None},
            },
        ],
    )
    found = listed(db)
    assert next(iter(found)) == "tags"
    assert found == {
        "tags": (2, "x", "y", [("x", 3), ("y", 2)]),
        "account.tier": (2, "free", "gold", [("gold", 2), ("free", 1)]),
        "account.seats": (2, 9, 10, [(9, 2), (10, 1)]),
        "category": (1, "bug", "bug", [("bug", 2)]),
        "importance": (1, 2, 2, [(2, 2)]),
        "occurred_at": (1, "2025-03-02", "2025-03-02", [("2025-03-02", 2)]),
        "metadata.speaker": (1, "odd", "odd", [("odd", 2)]),
        "speaker": (1, "Ana", "Ana", [("Ana", 1)]),
        "speakers": (1, "Ana", "Ana", [("Ana", 1)]),
        "metadata.$id": (1, "true", "true", [(True, 1)]),
    }
    for key, row in found.items():
        assert listed(db, keys=[key]) == {key: row}
    assert listed(db, keys=["account", "metadata.tags", "metadata"]) == {}
    assert set(listed(db, filters={"external_id": "b"})) == {"account.seats", "account.tier", "metadata.$id", "tags"}
    assert listed(db, keys=["tags", "nothing"], value_count=1) == {"tags": (2, "x", "y", [("x", 3)])}
    assert listed(db, keys=[]) == {}


def test_the_same_as_facets(db: Connection) -> None:
    """Each key that is listed counts as in facets, and finds as many chunks as a filter."""
    chance = random.Random(3)
    documents: list[dict[str, Any]] = []
    for number in range(60):
        metadata = {"year": chance.randrange(2000, 2008), "tags": chance.choices("xyz", k=2), "deep": {"n": number % 4}}
        speaker = chance.choice(["Ana", "Ben", None])
        documents.append({"external_id": f"d{number}", "chunks": [{"content": "a", "speaker": speaker}] * 2,
                          "metadata": {key: metadata[key] for key in chance.sample(list(metadata), 2)}})  # fmt: skip
    upsert(db, documents)
    for filters in (None, {"speaker": "Ana"}, {"$not": {"year": 2003}}):
        found = listed(db, filters=filters, value_count=1000)
        assert {"year", "tags", "deep.n"} <= set(found)
        rows = db.execute(
            "select key, value, count from braid.facets(%s, filters => %s, value_count => 1000)",
            (list(found), None if filters is None else Jsonb(filters)),
        ).fetchall()
        for key, (count, _, _, tops) in found.items():
            assert tops == [(value, number) for name, value, number in rows if name == key]
            assert count == len(tops)
    expected = Counter(document["metadata"].get("year") for document in documents)
    assert dict(listed(db)["year"][3]) == {year: 2 * count for year, count in expected.items() if year is not None}


def test_nothing_stored(db: Connection) -> None:
    assert listed(db) == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keys": [str(number) for number in range(101)]}, "keys has 101 elements"),
        ({"value_count": -1}, "value_count is -1"),
        ({"value_count": 1001}, "value_count is 1001"),
        ({"value_count": None}, "value_count is null"),
    ],
)
def test_bad_arguments(db: Connection, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        listed(db, **arguments)
    assert caught.value.diag.message_hint
