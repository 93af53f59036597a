"""Test pgbraid judgments compare: which of two configurations a language model prefers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pgbraid
from pgbraid_tools.evaluation.preferences import PairJudge, Preferences
from support.json_server import JsonServer

pytestmark = pytest.mark.any_version
Run = Callable[..., Any]
# The queries "fox" and "dog" each find all three documents; a configuration's filter decides which one it returns.
WORTH = {"good fox and dog": 2, "bad fox and dog": 1, "so-so fox and dog": 1}


def chat(content: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content}}]}


def material(body: Any) -> dict[str, str]:
    read: dict[str, str] = json.loads(body["messages"][1]["content"])
    return read


def by_worth(body: Any) -> Any:
    a, b = (WORTH[material(body)[name]] for name in "AB")
    return chat(json.dumps({"better": "neither" if a == b else "A" if a > b else "B"}))


@pytest.fixture
def service() -> Iterator[JsonServer]:
    with JsonServer(by_worth) as running:
        yield running


@pytest.fixture
def asked(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents([{"external_id": text.split()[0], "content": text} for text in WORTH])
    client.create_query_set("asked")
    client.store_queries("asked", [{"query_id": "1", "text": "fox"}, {"query_id": "2", "text": "dog"}])
    return client


@pytest.fixture
def compare(run: Run, service: JsonServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")

    def call(first: list[str], second: list[str], *more: Any) -> Any:
        for name, ids in (("now", first), ("new", second)):
            configuration = {"mode": "full_text", "filters": {"external_id": {"$in": ids}}}
            (tmp_path / f"{name}.json").write_text(json.dumps(configuration))
        files = ("--config", tmp_path / "now.json", "--config", tmp_path / "new.json")
        return run("judgments", "compare", "asked", *files, "--chat-model", "small", "--chat-url", service.url, *more)

    return call


def test_the_better_configuration_is_preferred(compare: Run, asked: pgbraid.Client, service: JsonServer) -> None:
    done = compare(["bad"], ["good"])
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            "2 pairs of 2 queries compared; for 0 queries both found the same",
            "preferred: now 0, new 2, neither 0; p 0.500 (sign test)",
        ],
    )
    assert len(service.requests) == 4
    shown = [(asked_for["query"], asked_for["A"]) for asked_for in map(material, service.requests)]
    texts = ("bad fox and dog", "good fox and dog")
    assert sorted(shown) == sorted((query, text) for query in ("fox", "dog") for text in texts)
    # The model sees only results that differ, and judgments are neither needed nor made.
    assert "preferred: now 2, new 0, neither 0" in compare(["bad", "good"], ["bad", "so-so"]).out
    assert "preferred: now 0, new 0, neither 2" in compare(["bad"], ["so-so"]).out
    assert compare(["bad"], ["bad"]).out.startswith("0 pairs of 0 queries compared; for 2 queries both found the same")
    assert asked.list_query_sets()[0]["judgment_count"] == 0


@pytest.mark.usefixtures("asked")
def test_a_model_that_goes_by_the_order_prefers_neither(compare: Run, service: JsonServer) -> None:
    service.answer = lambda _: chat('{"better": "A"}')
    assert "preferred: now 0, new 0, neither 2; p 1.000" in compare(["bad"], ["good"]).out


def test_agreement_with_grades(compare: Run, asked: pgbraid.Client) -> None:
    def grade(judge: str, query: str, **grades: int) -> None:
        asked.store_judgments(
            "asked", [{"query_id": query, "external_id": d, "grade": g, "judge": judge} for d, g in grades.items()]
        )

    grade("ana", "1", good=3, bad=1)
    grade("ana", "2", good=0, bad=1)
    grade("ben", "2", good=2, bad=1)
    told = "of 2 pairs with two grades it prefers the better one in 50.0 %, the other in 50.0 %"
    assert told in compare(["bad"], ["good"]).out
    assert told in compare(["bad"], ["good"], "--reference", "ana").out
    answer = json.loads(compare(["bad"], ["good"], "--reference", "ben", "--json").out)
    assert (answer["graded"], answer["agreeing"], answer["configurations"]) == (1, 1, ["now", "new"])


@pytest.mark.usefixtures("asked")
def test_wrong_answers_are_counted(compare: Run, service: JsonServer) -> None:
    service.answer = lambda body: chat('{"better": "C"}') if material(body)["query"] == "fox" else by_worth(body)
    done = compare(["bad"], ["good"])
    assert done.code == 1
    assert "left out: 1 whose answers were none" in done.out
    assert done.out.startswith("1 pairs of 1 queries")
    service.answer = by_worth
    service.failures = [401] * 20
    done = compare(["bad"], ["good"], "--concurrency", 1)
    assert done.code == 2
    assert "answered 401" in done.err


def test_a_set_without_queries_is_refused(compare: Run, client: pgbraid.Client) -> None:
    client.create_query_set("asked")
    done = compare(["bad"], ["good"])
    assert (done.code, done.err.splitlines()[0]) == (2, 'pgbraid: query set "asked" has no queries')
    assert "hint: store queries" in done.err


@pytest.mark.usefixtures("asked")
def test_two_configurations_are_needed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "now.json").write_text("{}")
    done = run("judgments", "compare", "asked", "--config", tmp_path / "now.json", "--chat-model", "small")
    assert done.code == 2
    assert "there are 1, and two are compared" in done.err


@pytest.mark.parametrize(
    ("content", "counts"),
    [('{"better": "A"}', True), ('<think>{"better": "B"}</think>{"better": "A"}', True), ("A", True), ("A.", False),
     ('{"better": ["A"]}', False), (None, False)],
)  # fmt: skip
def test_what_counts_as_an_answer(service: JsonServer, content: Any, counts: bool) -> None:
    service.answer = lambda _: chat(content)
    assert PairJudge("small", base_url=service.url).compare("fox", "a", "b") == (0 if counts else None)
    assert material(service.requests[0]) == {"query": "fox", "A": "a", "B": "b"}


def test_the_sign_test() -> None:
    assert Preferences().p == 1
    assert Preferences(wins=8, losses=1).p == pytest.approx(20 / 512)
    assert Preferences(wins=3, losses=3, ties=9).p == 1
