"""An import refuses records of queries and ranking models that were changed."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from core.isolation.conftest import world
from core.isolation.world import Connection
from parts.transfer.test_transfer import LEARNED, importer, load, load_json, records, source, target

from support.calls import one

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
    exported[-1]["ranking_model"][key] = value
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        load_json(target, exported)
    assert caught.value.diag.message_hint
    assert records(target) == []


def test_a_tenant_gets_at_most_100_models(source: Connection, target: Connection) -> None:
    record = json.loads(records(source)[-1])
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
