"""Test versions of a ranking through the client: values equal SQL's values, and errors have their own classes."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import pytest

import pgbraid
from pgbraid import errors


def test_versions_of_a_ranking(dsn: str, client: pgbraid.Client) -> None:
    assert client.list_rankings() == []
    version = client.set_ranking("default", {"k1": 0.9, "b": None}, "shorter", evaluation={"gain": 0.02})
    assert version == 2
    newest, found = client.list_rankings()
    assert newest["changes"] == {"k1": [1.2, 0.9]}
    assert (newest["reason"], newest["evaluation"], newest["is_current"]) == ("shorter", {"gain": 0.02}, True)
    assert found["login"] is None
    client.add_documents([{"external_id": "a", "content": "heron"}])
    tried = client.search("heron", options={"ranking": {**newest["ranking"], "k1": 5}})
    assert tried[0].full_text_score != client.search("heron")[0].full_text_score

    async def restore() -> int:
        async with pgbraid.connect_async(dsn) as other:
            assert len(await other.list_rankings("default")) == 2
            await other.set_ranking("default", {"k1": 3}, "more")
            return await other.restore_ranking("default", 1, "no better")

    assert asyncio.run(restore()) == 4
    assert client.list_rankings()[0]["restored_version"] == 1


def test_errors_of_a_ranking(client: pgbraid.Client) -> None:
    for ranking in ({}, {"k1": -1}, {"k2": 1}, {"k1": float("nan")}):
        with pytest.raises(errors.InvalidArgumentError) as caught:
            client.set_ranking("default", ranking, "try")
        assert caught.value.hint
    with pytest.raises(errors.InvalidArgumentError, match="reason is"):
        client.set_ranking("default", {"k1": 1}, " ")
    with pytest.raises(errors.InvalidArgumentError, match="expected_ranking has k1 7"):
        client.set_ranking("default", {"k1": 1}, "try", expected_ranking={"k1": 7})
    with pytest.raises(errors.LimitExceededError, match="evaluation has"):
        client.set_ranking("default", {"k1": 1}, "try", evaluation={"notes": "x" * 100_000})
    with pytest.raises(errors.NotFoundError):
        client.set_ranking("none", {"k1": 1}, "try")
    with pytest.raises(errors.NotFoundError, match="has no version 7"):
        client.restore_ranking("default", 7)
    with pytest.raises(errors.NotFoundError):
        client.list_rankings("none")


def test_tuning_and_its_two_halves(dsn: str, client: pgbraid.Client) -> None:
    client.add_documents([{"external_id": f"d{n}", "title": f"heron {n}", "content": "A bird."} for n in range(40)])
    client.create_query_set("asked")
    client.store_queries("asked", [{"query_id": f"{n}", "text": f"heron {n}"} for n in range(30)])
    judgments = [{"query_id": f"{n}", "external_id": f"d{n}", "grade": 1} for n in range(30)]
    client.store_judgments("asked", judgments[:19])
    text = {"mode": "full_text"}
    with pytest.raises(errors.InvalidArgumentError, match=r"19 queries .* needs 20"):
        client.tune("asked", configuration=text)
    client.store_judgments("asked", judgments)
    space = {"k1": [0.5], "b": [0.1, 0.9]}
    tuned = client.tune("asked", space, 3, text, metric="mrr@10", judge="default", fold_count=3, seed=4)
    assert len(tuned["tried"]) == tuned["budget"] == 3 and tuned["combination_count"] == 6

    async def by_halves() -> dict[str, Any]:
        async with pgbraid.connect_async(dsn) as other:
            plan = await other.plan_tuning("asked", space, 3, text, judge="default", seed=4)
            found = [await other.evaluate("asked", row["candidate"], ["mrr@10"], judge="default") for row in plan]
            return await other.choose_configuration(found, "mrr@10", fold_count=3, seed=4)

    chosen = asyncio.run(by_halves())
    assert chosen == {key: tuned[key] for key in chosen}
    with pytest.raises(errors.InvalidArgumentError, match="evaluations is an array of 0"):
        client.choose_configuration([])
    with pytest.raises(errors.InvalidArgumentError, match="search_space cannot be sent"):
        client.tune("asked", {"k1": [float("nan")]}, configuration=text)


@pytest.mark.parametrize(
    ("call", "instead"),
    [
        ("create_collection('c', k1 => 2)", "ranking => "),
        ("create_collection('c', hnsw_m => 8)", "settings => "),
        ("measure_recall('default')", "braid.measure_index_recall('"),
        ("search('price objections')", "braid.logged_search('"),
        ("set_ranking('default', k1 => 2)", "set_ranking('default', '{"),
        ("apply_ranking('default', '{\"k1\": 2}', 'why')", "set_ranking('default', '{"),
        ("set_document_defaults('default', overlap_tokens => 4)", "set_collection('default', '{\"overlap_tokens\": "),
        ("set_vector_index('default', hnsw_m => 8)", "set_collection('default', '{\"hnsw_m\": "),
    ],
)
def test_a_function_or_argument_that_is_gone_names_its_successor(dsn: str, call: str, instead: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection, pytest.raises(psycopg.Error) as caught:
        connection.execute(f"select braid.{call}")
    error = errors.from_psycopg(caught.value)
    assert isinstance(error, errors.InvalidArgumentError) and error.sqlstate == "42883"
    assert error.hint is not None and instead in error.hint
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(error.hint.removeprefix("write instead: ").encode())
