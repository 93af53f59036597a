"""An import refuses records of queries and ranking models that were changed."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from core.isolation.conftest import world
from core.isolation.world import Connection
from parts.transfer.test_transfer import LEARNED, importer, load, load_json, records, source, target

from support.calls import one, upsert

pytestmark = pytest.mark.any_version
__all__ = ["importer", "source", "target", "world"]


QUERY_CHANGES: list[tuple[str, Any]] = [
    ("query_set", "none"),
    ("query_id", ""),
    ("text", None),
    ("filters", []),
    ("updated_at", "never"),
    ("embeddings", {}),
    ("embeddings", [{"embedding": [1, "x"]}]),
    ("embeddings", [{"embedding": [1e30, 1e30]}]),
    ("judgments", None),
    ("judgments", [7]),
    ("judgments", [{"external_id": "a", "grade": 1.5}]),
    ("judgments", [{"external_id": "a", "grade": 1, "chunk_index": 0}]),
    ("judgments", [{"external_id": "a", "grade": 1, "updated_at": "x"}]),
    ("unknown", 1),
]


@pytest.mark.parametrize(("key", "value"), QUERY_CHANGES, ids=str)
def test_queries_that_were_changed_are_refused(source: Connection, target: Connection, key: str, value: Any) -> None:
    exported = [json.loads(record) for record in records(source)]
    next(record["query"] for record in exported if "query" in record)[key] = value
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        load_json(target, exported)
    assert caught.value.diag.message_hint
    assert records(target) == []


MODEL_CHANGES: list[tuple[str, Any]] = [
    ("name", ""),
    ("name", 7),
    ("model", {}),
    ("model", {**LEARNED, "weights": [1, "x"]}),
    ("model", {**LEARNED, "checksum": "0"}),
    ("updated_at", "never"),
    ("unknown", 1),
]


@pytest.mark.parametrize(("key", "value"), MODEL_CHANGES, ids=str)
def test_models_that_were_changed_are_refused(source: Connection, target: Connection, key: str, value: Any) -> None:
    exported = [json.loads(record) for record in records(source)]
    next(record["ranking_model"] for record in exported if "ranking_model" in record)[key] = value
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        load_json(target, exported)
    assert caught.value.diag.message_hint
    assert records(target) == []


STANDING_CHANGES: list[tuple[str, str, Any]] = [
    ("standing_query", "name", ""),
    ("standing_query", "name", None),
    ("standing_query", "query_text", None),
    ("standing_query", "query_text", "-car"),
    ("standing_query", "match", "some"),
    ("standing_query", "filters", []),
    ("standing_query", "options", {"limit": 3}),
    ("standing_query", "created_at", None),
    ("standing_query", "embedding", "x"),
    ("standing_query", "embedding", "[1]"),
    ("standing_query", "min_score", None),
    ("standing_query", "collection", "nowhere"),
    ("standing_query", "unknown", 1),
    ("standing_query_match", "kind", "x"),
    ("standing_query_match", "matched_at", "never"),
    ("standing_query_match", "chunk_index", "x"),
    ("standing_query_match", "unknown", 1),
    ("principal_member", "member", "login:postgres"),
    ("principal_member", "member", "*"),
    ("principal_member", "principal", None),
    ("principal_member", "unknown", 1),
]


@pytest.mark.parametrize(("kind", "key", "value"), STANDING_CHANGES, ids=str)
def test_queries_that_stand_and_members_that_were_changed_are_refused(
    source: Connection, target: Connection, kind: str, key: str, value: Any
) -> None:
    exported = [json.loads(record) for record in records(source)]
    changed = next(record[kind] for record in exported if kind in record)
    if (key, value) == ("query_text", "-car"):
        changed["embedding"] = None
    changed[key] = value
    with pytest.raises((psycopg.errors.DataError, psycopg.errors.UndefinedObject)) as caught:
        load_json(target, exported)
    assert caught.value.sqlstate in ("22023", "42704") and caught.value.diag.message_hint
    assert records(target) == []


def test_a_repeated_import_keeps_the_matches_that_came_since(source: Connection, target: Connection) -> None:
    exported = records(source)
    load(target, exported)
    upsert(target, [{"external_id": "since", "content": "a car", "metadata": {"year": 2026}}], "rich")
    claimed = (
        "select name, kind, external_id, chunk_index, matched_at"
        " from braid.claim_matches(lease => '1 microsecond', collection => 'rich')"
    )
    expected = target.execute(claimed).fetchall()
    load(target, exported)
    assert sorted(target.execute(claimed).fetchall()) == sorted(expected)
    assert ("cars", "full_text", "since", 0) in [row[:4] for row in expected]


def test_a_vector_of_another_model_is_left_out(source: Connection, target: Connection) -> None:
    exported = [json.loads(record) for record in records(source)]
    standing = next(record["standing_query"] for record in exported if "standing_query" in record)
    alone = {**standing, "name": "vector alone", "query_text": "", "embedding_model": "other"}
    load_json(target, [*exported, {"standing_query": {**standing, "embedding_model": "other"}}])
    load_json(target, [{"standing_query": alone}])
    listed = "select array_agg((name, query_text, embedding_model)::text) from braid.list_standing_queries('rich')"
    assert one(target, listed) == ['(cars,"car prices",)']


def test_a_tenant_gets_at_most_100_models(source: Connection, target: Connection) -> None:
    record = next(record for record in map(json.loads, records(source)) if "ranking_model" in record)
    many = [{"ranking_model": {**record["ranking_model"], "name": f"m{n}"}} for n in range(101)]
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="more than 100 ranking models") as caught:
        load_json(target, many)
    assert "drop_ranking_model" in str(caught.value.diag.message_hint)
    assert one(target, "select count(*) from braid.list_ranking_models()") == 0
    load_json(target, many[1:])
    load_json(target, many[1:])
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="more than 100 ranking models"):
        load_json(target, many[:1])


def test_a_query_set_of_another_level_is_refused(source: Connection, target: Connection) -> None:
    target.execute("select braid.create_query_set('asked', 'chunk')")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="exists already, with the level chunk"):
        load(target, records(source))
    target.execute("select braid.drop_query_set('asked')")
    target.execute("select braid.create_query_set('asked')")
    load(target, records(source))
    assert records(target) == records(source)
