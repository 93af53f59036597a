"""pgbraid search."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

import pgbraid

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]

DOCUMENTS = [
    {"external_id": "z", "title": "Zebras", "content": "zebra crossing", "metadata": {"legs": 4}},
    {"external_id": "s", "content": "a zebra and a snake", "metadata": {"legs": 0}},
]


@pytest.fixture
def searchable(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents(DOCUMENTS)
    return client


@pytest.mark.usefixtures("searchable")
def test_results_show_both_legs(run: Run) -> None:
    done = run("search", "zebra", "-k", 1)
    assert (done.code, done.err) == (0, "")
    assert "Zebras" in done.out
    assert "full text #1" in done.out
    assert "semantic –" in done.out
    assert "\x1b" not in done.out
    assert " 2." not in done.out


@pytest.mark.usefixtures("searchable")
def test_json(run: Run, client: pgbraid.Client) -> None:
    answer = json.loads(run("search", "zebra", "--json", "--mode", "full_text").out)
    expected = client.search("zebra", mode="full_text")
    assert [row["external_id"] for row in answer["results"]] == [row.external_id for row in expected]
    assert answer["results"][0]["score"] == expected[0].score
    assert answer["stats"]["mode"] == "full_text"
    assert answer["warnings"] == []


@pytest.mark.usefixtures("searchable")
def test_filters_and_mode(run: Run) -> None:
    rows = json.loads(run("search", "zebra", "--filters", '{"legs": {"$gt": 0}}', "--json").out)["results"]
    assert [row["external_id"] for row in rows] == ["z"]
    assert "no results" in run("search", "zebra", "--mode", "semantic").out


@pytest.mark.usefixtures("searchable")
def test_reranking(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = json.loads(run("search", "zebra", "--rerank", "late-interaction", "--json").out)
    scores = [row["rerank_score"] for row in answer["results"]]
    assert scores == sorted(scores, reverse=True)
    assert answer["stats"]["rerank"]["candidates"] == len(scores) == 2
    assert "rerank " in run("search", "zebra", "--rerank", "late-interaction").out
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    shown = run("search", "zebra", "--rerank", "some/cross-encoder").out
    assert "Zebras" in shown
    assert "warning: ranked by fusion only; CrossEncoderReranker needs" in shown


@pytest.mark.usefixtures("searchable")
def test_colours_are_for_terminals(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
    assert "\x1b[1m" in run("search", "zebra", "--mode", "full_text").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("search", "zebra", "--mode", "full_text").out


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["x", "--filters", "{legs: 4}"], "not JSON"),
        (["x", "--filters", '"{}"'], "filters"),
        (["x", "--limit", "0"], "0"),
        (["x", "--limit", "many"], "many"),
        (["x", "--mode", "vector"], "vector"),
        (["x", "--collection", "nowhere"], "nowhere"),
        (["x", "--tenant", "nobody"], "nobody"),
        ([""], "query"),
    ],
)
def test_mistakes_are_a_line_and_a_hint(run: Run, arguments: list[str], part: str) -> None:
    refused = run("search", *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("pgbraid: ")
    assert part in refused.err
    assert "\nhint: " in refused.err


def test_a_misspelt_filter_is_told_of(run: Run, searchable: pgbraid.Client) -> None:
    filters = {"$or": [{"speker": "Ana"}, {"legs": 4}]}
    message = 'No chunk has the metadata keys ["speker"]'
    for command in ("search", "recall", "explain"):
        for asked in (filters, {"speker": "Ana"}):
            assert message in run(command, "zebra", "--filters", json.dumps(asked)).out, command
    for search in (searchable.search, searchable.recall, searchable.explain_search):
        answer = search("zebra", filters=filters)
        assert [warning["code"] for warning in answer.warnings if "filter" in warning["code"]] == ["unknown_filter_key"]
