"""Test several queries, and further queries that an expander makes of one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from psycopg.types.json import Jsonb

import pgbraid
from pgbraid.errors import InvalidArgumentError
from pgbraid_tools.expanders import ChatExpander
from support.embedder import HashEmbedder
from support.json_server import JsonServer

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
TEXTS = {
    "both": "A database: PostgreSQL.",
    "foxes": "A database of foxes.",
    "postgres": "PostgreSQL is old.",
}


@pytest.fixture
def filled(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents([{"external_id": name, "content": text} for name, text in TEXTS.items()])
    client.embed_pending()
    return client


@pytest.fixture
def service() -> Iterator[JsonServer]:
    with JsonServer(chat('{"queries": ["PostgreSQL", "old", "ignored"]}')) as running:
        yield running


def chat(content: str) -> Any:
    return lambda _: {"choices": [{"message": {"content": content}}]}


def codes(found: pgbraid.SearchResults) -> list[str]:
    return [warning["code"] for warning in found.warnings]


def test_several_topics(filled: pgbraid.Client) -> None:
    found = filled.search(["database", "PostgreSQL"])
    assert found[0].external_id == "both" and codes(found) == []
    assert [stats["mode"] for stats in found.stats["queries"]] == ["hybrid", "hybrid"]
    alone = [filled.search(text) for text in ("database", "PostgreSQL")]
    for row in found:
        assert row.query_ranks is not None
        assert [rank["score"] for rank in row.query_ranks] == [
            next(one.score for one in results if one.external_id == row.external_id) for results in alone
        ]
        assert row.score == sum(1 / (60 + rank["rank"]) for rank in row.query_ranks)
    assert found.query == "database | PostgreSQL"
    assert filled.multi_search(["database", "PostgreSQL"])[0] == found[0]
    found = filled.search(["database", "PostgreSQL"], mode="full_text", match_count=1)
    assert [stats["mode"] for stats in found.stats["queries"]] == [
        "full_text",
        "full_text",
    ] and len(found) == 1


def test_async(dsn: str, filled: pgbraid.Client) -> None:
    async def search() -> int:
        async with pgbraid.connect_async(dsn, embedder=HashEmbedder()) as client:
            found = await client.search("database", expand=lambda _: ["old"])
        return len(found.stats["queries"])

    assert asyncio.run(search()) == 2


def test_a_function_expands(filled: pgbraid.Client) -> None:
    found = filled.search("database", expand=lambda query: ["PostgreSQL", f" {query}", "PostgreSQL", ""])
    assert [(stats["text"], stats["weight"]) for stats in found.stats["queries"]] == [
        ("database", 1),
        ("PostgreSQL", 0.5),
    ]
    assert found.query == "database"


def test_a_chat_service_expands(filled: pgbraid.Client, service: JsonServer) -> None:
    expander = ChatExpander("small", base_url=service.url, api_key="secret", count=2, temperature=0)
    found = filled.search("database", expand=expander)
    assert [stats["text"] for stats in found.stats["queries"]] == [
        "database",
        "PostgreSQL",
        "old",
    ]
    assert codes(found) == []
    (request,) = service.requests
    assert (service.paths, service.authorization) == (
        ["/v1/chat/completions"],
        "Bearer secret",
    )
    assert json.loads(request["messages"][1]["content"]) == {
        "query": "database",
        "count": 2,
    }
    assert (request["model"], request["temperature"]) == ("small", 0)
    service.answer = chat('I think.\n```json\n{"queries": ["PostgreSQL"]}\n```')
    assert len(filled.search("database", expand=expander).stats["queries"]) == 2


def expansions(client: pgbraid.Client, given: Any, **arguments: Any) -> list[str]:
    found = client.search("database", expand=lambda _: given, **arguments)
    return [stats["text"] for stats in found.stats["queries"]][1:]


def test_what_an_expander_may_give(filled: pgbraid.Client) -> None:
    assert expansions(filled, (text for text in ("PostgreSQL", "old"))) == [
        "PostgreSQL",
        "old",
    ]
    assert expansions(filled, ["\ud800", "a\0b", "old"]) == ["old"]
    # The expander's texts are plain words, which are also embedded as such.
    given = ['+"is  old" -fox OR data*', "C++ e-mail"]
    assert expansions(filled, given) == ['+"is old" -fox OR data*', "C++ e-mail"]
    found = filled.search("hen", mode="full_text", expand=lambda _: ["-database"])
    assert {row.external_id for row in found} == {"both", "foxes"}
    found = filled.search("hen", expand=lambda _: ["-database"])
    asked: list[dict[str, Any]] = [{"text": "hen"}, {"text": "-database", "expansion": True}]
    for query in asked:
        query["embedding"] = [float(number) for number in HashEmbedder().embed_query(query["text"])]
    row = filled.connection.execute("select braid.multi_search(%s) -> 'results'", [Jsonb(asked)]).fetchone()
    assert row and [one["score"] for one in row[0]] == [one.score for one in found]
    assert len(expansions(filled, [f"word {i}" for i in range(99)])) == 15


def test_a_further_query_that_cannot_be_embedded(dsn: str, filled: pgbraid.Client) -> None:
    class Failing(HashEmbedder):
        def embed_query(self, text: str) -> Any:
            if text == "old":
                raise RuntimeError("down")
            return super().embed_query(text)

    with pgbraid.connect(dsn, embedder=Failing()) as client:
        found = client.search("database", mode="semantic", expand=lambda _: ["old"])
    assert codes(found) == ["embedding_unavailable"]
    assert len(found.stats["queries"]) == 1 and found[0].external_id == "both"


@pytest.mark.parametrize(
    "answer",
    [
        '{"queries": ["a {b}"]}',
        'I {think}.\n```json\n{"queries": ["a {b}"]}\n```',
        '{"queries": ["no"]} Or rather: {"queries": ["a {b}"], "more": {}}',
    ],
)
def test_answers_with_braces(filled: pgbraid.Client, service: JsonServer, answer: str) -> None:
    service.answer = chat(answer)
    assert ChatExpander("s", base_url=service.url).expand("x") == ["a {b}"]


@pytest.mark.parametrize(
    "answer",
    [{}, [], {"choices": []}, "nothing", '{"queries": [7]}', '{"queries": "x"}'],
)
def test_what_a_chat_service_may_answer(filled: pgbraid.Client, service: JsonServer, answer: Any) -> None:
    service.answer = chat(answer) if isinstance(answer, str) else lambda _: answer
    found = filled.search("database", expand=ChatExpander("small", base_url=service.url))
    assert codes(found) == ["expansion_unavailable"] and found[0].external_id in (
        "both",
        "database",
    )


def test_a_service_that_is_down_or_slow(filled: pgbraid.Client, service: JsonServer) -> None:
    service.failures = [500]
    assert codes(filled.search("database", expand=ChatExpander("s", base_url=service.url))) == ["expansion_unavailable"]
    service.answers.clear()
    expander = ChatExpander("s", base_url=service.url, timeout=0.1)
    assert codes(filled.search("database", expand=expander)) == ["expansion_unavailable"]


@pytest.mark.parametrize("expand", [lambda _: 1 / 0, lambda _: None, lambda _: "text", lambda _: [7]])
def test_a_function_that_fails(filled: pgbraid.Client, expand: Any) -> None:
    found = filled.search("database", expand=expand)
    assert codes(found) == ["expansion_unavailable"]
    assert [row.external_id for row in found] == [row.external_id for row in filled.search("database")]


def test_an_embedder_that_fails(dsn: str, filled: pgbraid.Client) -> None:
    class Failing(HashEmbedder):
        def embed_query(self, text: str) -> Any:
            raise RuntimeError("down")

    with pgbraid.connect(dsn, embedder=Failing()) as client:
        found = client.search(["database", "PostgreSQL"])
        assert codes(found) == ["embedding_unavailable"] and found[0].external_id == "both"


@pytest.mark.parametrize(
    ("query", "arguments", "named"),
    [
        ([], {}, "query is"),
        (["a", ""], {}, "query is"),
        ([7], {}, "query is"),
        (None, {"expand": lambda _: []}, "query is"),
        ("a", {"expand": ChatExpander}, "expand is"),
        ("a", {"expand": 7}, "expand is"),
        (["a", "b"], {"expand": lambda _: []}, "expand is for one query"),
        (["a"], {"embedding": [1.0]}, "embedding is for one query"),
        (["a"], {"late_interaction": True}, "late_interaction is for one query"),
        (["a"], {"reranker": object()}, "reranker is for one query"),
        (["a"], {"mode": "x"}, "mode is"),
        (["a"], {"match_count": 0}, "match_count is 0"),
        (["a"] * 17, {}, "queries is an array of 17"),
    ],
)
def test_bad_input(filled: pgbraid.Client, query: Any, arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=named) as refused:
        filled.search(query, **arguments)
    assert refused.value.hint


def test_bad_counts() -> None:
    with pytest.raises(InvalidArgumentError, match="count is 0"):
        ChatExpander("m", count=0)
