"""The driver takes what SQL takes: in the same order, and in the same forms."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from pgbraid.async_client import AsyncClient
from pgbraid.client import Client
from pgbraid.errors import InvalidArgumentError, PgbraidError

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]

# The names of arguments in Python, where they are others.
NAMES = {"query_text": "query", "match_count": "limit", "job_count": "limit", "with_state": "state"}


def test_the_collection_is_where_sql_has_it(db: psycopg.Connection[Any]) -> None:
    """Where all arguments before it can be given by their place, it can be, too."""
    wrong = []
    for name, names in db.execute(
        "select proname::text, proargnames[:pronargs]::text[] from pg_proc"
        " where pronamespace = 'braid'::regnamespace and 'collection' = any (proargnames[:pronargs])"
    ).fetchall():
        for client in (Client, AsyncClient):
            method = getattr(client, name, None)
            if method is None:
                continue
            parameters = list(inspect.signature(method).parameters.values())[1:]
            given = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
            before = [NAMES.get(known, known) for known in names[: names.index("collection")]]
            if given[: len(before)] == before and len(given) == len(before):
                wrong.append((client.__name__, name, given))
    assert wrong == []


def test_the_collection_by_its_place(client: Client) -> None:
    client.add_documents([{"external_id": "a", "content": "A fox."}])
    assert client.get_document("a", "default") is not None
    assert client.delete_documents(["a"], "default") == 1
    assert client.delete_document("a", "default") is False


@pytest.mark.parametrize("time", [1, 0.5, "1 second", "00:00:01", timedelta(seconds=1), None])
def test_lengths_of_time(client: Client, time: Any) -> None:
    assert "complete" in client.maintain(time)
    if time is not None:
        assert client.health(time) is not None
        assert "rows" in client.apply_changes(time)


@pytest.mark.parametrize("time", [math.nan, math.inf, "soon", True, [1], b"1 second"])
def test_what_is_no_length_of_time(client: Client, time: Any) -> None:
    for call in (client.maintain, client.health, client.apply_changes):
        with pytest.raises(InvalidArgumentError) as caught:
            call(time)
        assert caught.value.hint and caught.value.sqlstate


WRONG: dict[str, Callable[[Client], Any]] = {
    "query": lambda c: c.explain_search(timedelta(1)),  # type: ignore[arg-type]
    "query of bytes": lambda c: c.search(b"fox"),  # type: ignore[arg-type]
    "query that is a time": lambda c: c.search(timedelta(1)),  # type: ignore[arg-type]
    "limit": lambda c: c.search("fox", "many"),  # type: ignore[arg-type]
    "large limit": lambda c: c.search("fox", 10**30),
    "min_score": lambda c: c.search("fox", min_score=object()),  # type: ignore[arg-type]
    "records": lambda c: c.import_tenant([math.nan]),  # type: ignore[list-item]
    "records of NaN": lambda c: c.import_tenant(["NaN"]),
    "records of dicts": lambda c: c.import_tenant([{"a": 1}]),  # type: ignore[list-item]
    "scores": lambda c: c.arrange_results([1], scores="s"),  # type: ignore[arg-type]
    "scores of a context": lambda c: c.arrange_context([1], scores="s"),  # type: ignore[arg-type]
    "scores of text": lambda c: c.arrange_results([1], scores=["s"]),  # type: ignore[list-item]
    "scores of NaN": lambda c: c.arrange_results([1], scores=[math.nan]),
    "chunk_ids": lambda c: c.arrange_results(["x"], scores=[1.0]),  # type: ignore[list-item]
    "nested keys": lambda c: c.facets([["a", "b"], ["c"]]),  # type: ignore[list-item]
    "keys": lambda c: c.facets("speaker"),
    "liked": lambda c: c.learn_profile("ana", "doc"),
    "external_ids": lambda c: c.delete_documents("doc"),
    "number of external_ids": lambda c: c.delete_documents(5),  # type: ignore[arg-type]
    "seed": lambda c: c.tune("asked", {"k1": [1]}, seed=-(2**63)),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_types_are_refused_with_a_hint(client: Client, name: str) -> None:
    with pytest.raises(PgbraidError) as caught:
        WRONG[name](client)
    assert caught.value.hint, caught.value.message
