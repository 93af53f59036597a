"""Python calls recall and conversation_timeline."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

import pgbraid
from pgbraid.errors import EmbeddingServiceError, InvalidArgumentError
from support import HashEmbedder

pytestmark = pytest.mark.any_version

NOW = datetime(2025, 3, 12, 14, 30, tzinfo=timezone.utc)
TURNS = [
    {"content": "hello Ben", "speaker": "Ana", "occurred_at": NOW - timedelta(days=7, minutes=3)},
    {"content": "the price per seat is high", "speaker": "Ben", "occurred_at": NOW - timedelta(days=7, minutes=2)},
    {"content": "we can lower it", "speaker": "Ana", "occurred_at": NOW - timedelta(days=7, minutes=1)},
]
WHEN: dict[str, Any] = {"time_zone": "UTC", "reference_time": NOW}


class Listening(HashEmbedder):
    """Record the texts to embed."""

    def __init__(self) -> None:
        self.queries: list[str] = []

    def embed_query(self, text: str) -> Any:
        self.queries.append(text)
        return super().embed_query(text)


class Broken(HashEmbedder):
    def embed_query(self, text: str) -> Any:
        raise EmbeddingServiceError("the service is down", hint="wait")


@pytest.fixture
def talk(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents(
        [
            {"external_id": "talk", "chunks": TURNS},
            {"external_id": "old", "content": "price per seat", "occurred_at": NOW - timedelta(days=90)},
        ]
    )
    client.embed_pending()
    return client


def test_the_query_is_embedded_without_its_timeframe(talk: pgbraid.Client, dsn: str) -> None:
    with pgbraid.connect(dsn, embedder=Listening()) as client:
        found = client.recall('"per seat" price last week', "auto", "auto", **WHEN)
        (embedder,) = client._spaces._embedders
    assert isinstance(embedder, Listening)
    assert embedder.queries == ["per seat price"]
    assert [row.content for row in found] == ["the price per seat is high"]
    assert found.query == '"per seat" price'
    assert found.stats["recall"]["timeframe_phrases"] == ["last week"]
    assert found.stats["mode"] == "hybrid"
    assert "the demands of the query" in found.stats["recall"]["reason"]
    assert found.warnings == []


def test_timeframes_are_texts_or_times(talk: pgbraid.Client) -> None:
    week_ago = NOW - timedelta(days=8)
    timeframes: list[Any] = ["last week", "AUTO", ["last week", "yesterday"], (week_ago, NOW), (week_ago, None)]
    for timeframe in [*timeframes, (datetime(2025, 3, 1), datetime(2025, 4, 1))]:
        found = talk.recall("price since last week", timeframe, match_count=1, **WHEN)
        assert [row.external_id for row in found] == ["talk"]
    assert talk.recall("price", (None, NOW - timedelta(days=80)), **WHEN)[0].external_id == "old"
    assert len(talk.recall("price", strategy="semantic")) == 4


def test_timeframes_are_dates(talk: pgbraid.Client) -> None:
    day = (NOW - timedelta(days=7, minutes=2)).date()
    for timeframe in (day, (day, day + timedelta(days=1)), [day, None]):
        found = talk.recall("price", timeframe, **WHEN)  # type: ignore[arg-type]
        assert {row.external_id for row in found} == {"talk"}
    assert len(talk.recall("price", (day + timedelta(days=30), None), **WHEN)) == 0


@pytest.mark.parametrize("timeframe", [3, timedelta(days=3), [], (3, 4), ("2025", NOW), (NOW,), {"last week"}, b"2025"])
def test_what_is_no_timeframe_is_refused(talk: pgbraid.Client, timeframe: Any) -> None:
    for call in (talk.recall, talk.conversation_timeline):
        with pytest.raises(InvalidArgumentError, match="timeframe is ") as caught:
            call("price", timeframe)
        assert "two dates" in str(caught.value.hint)


def test_a_broken_embedder_leaves_full_text(talk: pgbraid.Client, dsn: str) -> None:
    with pgbraid.connect(dsn, embedder=Broken()) as client:
        found = client.recall("price", "last week", **WHEN)
        assert [row.content for row in found] == ["the price per seat is high"]
        assert [warning["code"] for warning in found.warnings] == ["embedding_unavailable", "no_query_embedding"]
        assert [w["code"] for w in client.conversation_timeline("price").warnings] == ["embedding_unavailable"]
        with pytest.raises(EmbeddingServiceError):
            client.recall("price", strategy="semantic")


def test_a_timeline(talk: pgbraid.Client) -> None:
    found = talk.conversation_timeline("price last week", "auto", "full_text", context_before=1, **WHEN)
    assert [(turn.is_match, turn.speaker, turn.content) for turn in found] == [
        (False, "Ana", "hello Ben"),
        (True, "Ben", "the price per seat is high"),
        (False, "Ana", "we can lower it"),
    ]
    assert found[1].occurred_at == NOW - timedelta(days=7, minutes=2)
    assert found[1].score is not None
    assert found[0].score is None
    assert {turn.window_number for turn in found} == {1}
    assert repr(found) == "<Timeline: 1 matches in 3 turns>"
    assert [turn.external_id for turn in talk.conversation_timeline(match_count=4)] == ["old", "talk", "talk", "talk"]
    speaker = talk.conversation_timeline("lower", strategy="full_text", conversation_key="speaker")
    assert [turn.content for turn in speaker] == ["hello Ben", "we can lower it"]
    assert [turn.conversation for turn in speaker] == ["Ana", "Ana"]


def test_timeframes_by_themselves(client: pgbraid.Client) -> None:
    day = datetime(2025, 3, 10, tzinfo=timezone.utc)
    assert client.parse_timeframe("since monday; before 2024", **WHEN) == [
        (None, datetime(2024, 1, 1, tzinfo=timezone.utc)),
        (day, None),
    ]
    searched, timeframe = client.extract_timeframe("what broke since Monday?", **WHEN)
    assert searched == "what broke?"
    assert timeframe is not None
    assert client.parse_timeframe(timeframe, **WHEN) == [(day, None)]
    found = client.timeframe_filter(timeframe, {"speaker": "Ana"}, **WHEN)
    assert found == {"$and": [{"speaker": "Ana"}, {"occurred_at": {"$gte": day.isoformat()}}]}
    assert client.timeframe_filter(None) is None
    assert client.extract_timeframe("what broke?") == ("what broke?", None)


def test_a_date_that_cannot_be_read_is_told(talk: pgbraid.Client) -> None:
    for found in (
        talk.recall("price on 03/04/2025", "auto", "full_text"),
        talk.conversation_timeline("price on 03/04/2025", "auto", "full_text"),
    ):
        assert "timeframe_not_read" in [w["code"] for w in found.warnings]
    with pytest.raises(InvalidArgumentError, match="ambiguous"):
        talk.conversation_timeline("price", "on 03/04/2025")


def test_bad_input(talk: pgbraid.Client) -> None:
    for arguments in (
        {"timeframe": "soon"},
        {"timeframe": (NOW,)},
        {"timeframe": (NOW, NOW - timedelta(days=1))},
        {"strategy": "fast"},
        {"time_zone": "Mars/Phobos"},
    ):
        with pytest.raises(InvalidArgumentError) as caught:
            talk.recall("price", **arguments)
        assert caught.value.hint
        with pytest.raises(InvalidArgumentError):
            talk.conversation_timeline("price", **arguments)
    with pytest.raises(InvalidArgumentError, match="has a timeframe, but no topic"):
        talk.recall("last week", "auto")


@pytest.mark.parametrize("strategy", ["hybrid", "full_text", "semantic", "prefilter", "auto"])
@pytest.mark.parametrize("timeframe", [None, "auto"])
def test_several_topics_are_refused_with_a_hint(talk: pgbraid.Client, strategy: Any, timeframe: str | None) -> None:
    topics: Any = ["database", "query performance"]
    for call in (talk.recall, talk.conversation_timeline):
        with pytest.raises(InvalidArgumentError, match="query is") as refused:
            call(topics, timeframe, strategy)
        assert "search()" in (refused.value.hint or "")


def test_elsewhere_too(talk: pgbraid.Client) -> None:
    topics: Any = ("price", "seat")
    (row,) = talk.search("seat", match_count=1, mode="full_text")
    calls: list[Callable[[], object]] = [
        lambda: talk.explain_search(topics),
        lambda: talk.explain_score(topics, [row.chunk_id]),
        lambda: talk.facets(["speaker"], topics),
        lambda: talk.assemble_context(topics),
        lambda: talk.extract_timeframe(topics),
        lambda: talk.highlight(row.chunk_id, topics),
        lambda: talk.embedded_text(topics),
        lambda: talk.search_stream(topics),
    ]
    for call in calls:
        with pytest.raises(InvalidArgumentError, match="query is") as refused:
            call()
        assert refused.value.hint
    # Other searches that accept several topics fuse them.
    assert {row.external_id for row in talk.search(list(topics))} == {"talk", "old"}
    assert talk.retrieve(list(topics))  # type: ignore[arg-type]


def test_what_others_call_a_strategy(talk: pgbraid.Client) -> None:
    other: Any = "vector"
    with pytest.raises(InvalidArgumentError) as refused:
        talk.recall("price", strategy=other)
    assert "is semantic here" in (refused.value.hint or "")
    with pytest.raises(InvalidArgumentError) as refused:
        talk.search("price", mode=other)
    assert "is 'semantic' here" in (refused.value.hint or "")
