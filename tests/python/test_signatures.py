"""Test that the driver takes SQL's arguments, in the same order and the same forms."""

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

# Python gives these arguments other names.
NAMES = {"query_text": "query", "with_state": "state"}


def test_the_collection_is_where_sql_has_it(db: psycopg.Connection[Any]) -> None:
    """A method takes the collection by place if it takes all arguments before it by place."""
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


class Backwards:
    """Rank the last text first."""

    model_name = "backwards"

    def rerank(self, query: str, texts: list[str]) -> Any:
        return range(len(texts))

    def warm_up(self) -> None:
        pass


COUNTED = sorted(
    name
    for name, method in inspect.getmembers(Client, inspect.isfunction)
    if "other_names" in inspect.signature(method).parameters
)


def test_the_number_of_rows_has_one_name(db: psycopg.Connection[Any]) -> None:
    """A method takes `match_count` if its function of the API does, and `limit` as well."""
    taking = {
        name
        for (name,) in db.execute(
            "select proname::text from pg_proc"
            " where pronamespace = 'braid'::regnamespace and 'match_count' = any (proargnames[:pronargs])"
        )
        if hasattr(Client, name)
    }
    assert taking and taking <= set(COUNTED)
    for name in taking:
        assert "match_count" in inspect.signature(getattr(Client, name)).parameters
        assert "match_count" in inspect.signature(getattr(AsyncClient, name)).parameters


@pytest.mark.parametrize("name", COUNTED)
def test_names_of_the_number_of_rows(client: Client, name: str) -> None:
    method = getattr(client, name)
    parameters = inspect.signature(method).parameters
    required = [None for p in parameters.values() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    count = "query_count" if name == "ranking_features" else "match_count"
    with pytest.raises(InvalidArgumentError, match=f"{count} and limit") as caught:
        method(*required, **{count: 1, "limit": 1})
    assert caught.value.hint == f"give {count} alone"
    with pytest.raises(InvalidArgumentError) as caught:
        method(*required, rerank=None)
    assert caught.value.hint == "its name is now: reranker"
    with pytest.raises(TypeError, match="'limits'"):
        method(*required, limits=1)


def test_limit_is_taken(client: Client) -> None:
    client.add_documents([{"external_id": name, "content": f"A fox {name}."} for name in "abc"])
    assert len(client.list_embedding_jobs(limit=2)) == 2
    assert client.embed_pending() == 3
    found = [row.chunk_id for row in client.search("fox", limit=2)]
    assert (
        len(found)
        == len(client.search("fox", limit=2, reranker=Backwards()))
        == len(client.recall("fox", limit=2))
        == 2
    )
    assert len(client.multi_search(["fox", "a"], limit=1)) == len(client.search(["fox", "a"], limit=1)) == 1
    assert len(client.similar_chunks(found[0], limit=1)) == len(client.arrange_results(found, [2, 1], limit=1)) == 1
    assert [document.external_id for document in client.list_documents(limit=1)] == ["a"]
    assert [len(page) for page in client.search_stream("fox", limit=1)][-1] == 1
    assert len(client.explain_search("fox", limit=1).results) == 1


WRONG: dict[str, Callable[[Client], Any]] = {
    "query": lambda c: c.explain_search(timedelta(1)),  # type: ignore[arg-type]
    "query of bytes": lambda c: c.search(b"fox"),  # type: ignore[arg-type]
    "query that is a time": lambda c: c.search(timedelta(1)),  # type: ignore[arg-type]
    "match_count": lambda c: c.search("fox", "many"),  # type: ignore[arg-type]
    "large match_count": lambda c: c.search("fox", 10**30),
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
