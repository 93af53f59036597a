"""Test the client's functions for query sets and evaluations."""

from __future__ import annotations

import pytest

import pgbraid
from pgbraid.errors import InvalidArgumentError, NotFoundError

pytestmark = pytest.mark.any_version


def test_query_sets_and_evaluations(client: pgbraid.Client) -> None:
    client.add_documents([{"external_id": "fox", "content": "a fox"}, {"external_id": "dog", "content": "a dog"}])
    assert client.create_query_set("asked", description="for tests")
    assert client.store_queries("asked", [{"query_id": "1", "text": "fox"}, {"query_id": "2", "text": "cat"}]) == 2
    judged = [{"query_id": "1", "external_id": "fox", "grade": 1}, {"query_id": "2", "external_id": "dog", "grade": 1}]
    assert client.store_judgments("asked", judged)["stored"] == 2
    assert [(found["query_set"], found["judgment_count"]) for found in client.list_query_sets()] == [("asked", 2)]
    assert [query["query_text"] for query in client.list_queries("asked", match_count=1, after="1")] == ["cat"]
    evaluation = client.evaluate("asked", {"mode": "full_text"}, ["mrr", "recall@5"], details=True)
    assert evaluation["metrics"] == {"mrr": 0.5, "recall@5": 0.5}
    assert evaluation["queries"][0]["rows"][0]["external_id"] == "fox"
    compared = client.compare_evaluations(evaluation, evaluation, resample_count=100)
    assert compared["metrics"]["mrr"]["ties"] == 2
    pooled = client.pool_results("asked", [{"mode": "full_text"}], 5, judge="ana", query_ids=["1"])
    assert [(row["query_id"], row["external_id"], row["content"]) for row in pooled] == [("1", "fox", "a fox")]
    assert client.pool_results("asked", [{"mode": "full_text"}]) == []
    client.store_judgments("asked", [{"query_id": "1", "external_id": "fox", "grade": 3, "judge": "ana"}])
    assert client.judge_agreement("asked", "ana", "default")["relevant_equal"] == 1
    with pytest.raises(InvalidArgumentError, match="no judgments of judge"):
        client.evaluate("asked", judge="nobody")
    assert client.drop_query_set("asked")
    with pytest.raises(NotFoundError, match="asked"):
        client.list_queries("asked")
