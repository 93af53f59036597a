"""Test searches with results that come page after page."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psycopg
import pytest

import pgbraid
from pgbraid._background import MOST_CALLS, in_background
from pgbraid.embedders.protocol import Vector
from pgbraid.errors import EmbeddingError, InvalidArgumentError, NotFoundError
from support import HashEmbedder
from support.calls import one
from support.waiting import PATIENCE, until

pytestmark = pytest.mark.any_version

Connection = psycopg.Connection[Any]


class Gate(HashEmbedder):
    """Embed a query once `opened` is set, and record the queries."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[str] = []
        self.begun = threading.Event()
        self.opened = threading.Event()
        self.error = error

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        self.begun.set()
        assert self.opened.wait(PATIENCE)
        if self.error is not None:
            raise self.error
        return super().embed_query(text)


class ByLength:
    """Rerank longer texts first."""

    model_name = "length"

    def warm_up(self) -> None:
        pass

    def rerank(self, query: str, texts: Sequence[str]) -> Any:
        return [float(len(text)) for text in texts]


class Broken(ByLength):
    def rerank(self, query: str, texts: Sequence[str]) -> Any:
        raise RuntimeError("no memory")


TEXTS = {
    "ana": "A heron stands in the reeds.",
    "ben": "The heron, the heron! A heron.",
    "cleo": "Reeds stand in still water, where birds like herons wait for a long time.",
    "dan": "Soup on Monday.",
}


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.opened.set()


@pytest.fixture
def logged(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents({"external_id": name, "content": text} for name, text in TEXTS.items())
    client.embed_pending()
    client.set_search_log("default", "all")
    return client


def scores(rows: Any) -> list[tuple[str, float, float | None]]:
    return [(row.external_id, row.score, row.rerank_score) for row in rows]


def logged_ids(db: Connection) -> list[str]:
    return [found for (found,) in db.execute("select search_id::text from braid.search_log order by searched_at")]


def apply(changes: pgbraid.RankChanges, before: list[int]) -> list[int | None]:
    """Update a list as a user interface would; None stands for a new row."""
    kept = [chunk_id for chunk_id in before if chunk_id not in changes.gone]
    ranks = {chunk_id: before.index(chunk_id) + 1 for chunk_id in kept}
    for chunk_id, (old, new) in changes.moved.items():
        assert ranks[chunk_id] == old != new
        ranks[chunk_id] = new
    now: list[int | None] = [None] * (len(kept) + len(changes.new))
    for chunk_id, rank in ranks.items():
        now[rank - 1] = chunk_id
    return now


def test_full_text_comes_before_the_query_is_embedded(
    dsn: str, logged: pgbraid.Client, db: Connection, gate: Gate
) -> None:
    with pgbraid.connect(dsn, embedder=gate) as client:
        stream = client.search_stream("heron reeds", 3)
        first = next(stream)
        assert not gate.opened.is_set() and logged_ids(db) == []
        assert (first.stage, first.is_last, first.stats["mode"]) == ("full_text", False, "full_text")
        by_words = logged.search("heron reeds", 3, mode="full_text")
        assert scores(first) == scores(by_words)
        assert first.changes == pgbraid.RankChanges(new=[row.chunk_id for row in by_words])
        db.execute("truncate braid_store.search_log")

        gate.opened.set()
        last = next(stream)
        assert (last.stage, last.is_last, last.warnings) == ("fused", True, [])
        assert gate.asked == ["heron reeds"]
        assert logged_ids(db) == [last.stats["search_id"]] and "search_id" not in first.stats
        with pytest.raises(StopIteration):
            next(stream)
        assert scores(last) == scores(client.search("heron reeds", 3))
        assert last.elapsed_ms > first.elapsed_ms > 0

        now = [row.chunk_id for row in last]
        placed = apply(last.changes, [row.chunk_id for row in first])
        assert [known or chunk_id for known, chunk_id in zip(placed, now, strict=True)] == now
        assert sorted(last.changes.new) == sorted(
            chunk_id for known, chunk_id in zip(placed, now, strict=True) if not known
        )


def test_changes() -> None:
    from pgbraid.streams import rank_changes

    def rows(*ids: int) -> list[Any]:
        return [pgbraid.SearchResult(chunk_id, 1, str(chunk_id), 0, "", 1.0) for chunk_id in ids]

    changes = rank_changes(rows(1, 2, 3, 4), rows(5, 2, 1, 6))
    assert changes == pgbraid.RankChanges(new=[5, 6], gone=[3, 4], moved={1: (1, 3)})
    assert changes and not rank_changes(rows(1, 2), rows(1, 2))


def test_async(dsn: str, logged: pgbraid.Client, db: Connection, gate: Gate) -> None:
    async def search() -> list[pgbraid.StreamedResults]:
        pages = []
        async with pgbraid.connect_async(dsn, embedder=gate) as client:
            async for page in client.search_stream("heron reeds", 3, reranker=ByLength()):
                pages.append(page)
                gate.opened.set()
            expected = await client.search("heron reeds", 3, reranker=ByLength())
            assert scores(pages[-1]) == scores(expected)
        return pages

    pages = asyncio.run(search())
    assert [(page.stage, page.is_last) for page in pages] == [
        ("full_text", False), ("fused", False), ("reranked", True)
    ]  # fmt: skip
    assert gate.asked == ["heron reeds"]
    assert pages[-1].stats["rerank"]["model"] == "length"
    assert logged_ids(db)[0] == pages[-1].stats["search_id"] and len(logged_ids(db)) == 2


@pytest.mark.parametrize("options", [None, {"group_by": "external_id"}, {"diversify": True}])
def test_a_reranker_comes_last(logged: pgbraid.Client, options: Any) -> None:
    expected = logged.search("heron reeds", 2, blend=1, reranker=ByLength(), options=options)
    fused = logged.search("heron reeds", 2, options=options)
    pages = list(logged.search_stream("heron reeds", 2, blend=1, reranker=ByLength(), options=options))
    # the vector is known, so no full-text page comes first
    assert [page.stage for page in pages] == ["fused", "reranked"]
    assert [scores(page) for page in pages] == [scores(fused), scores(expected)]
    assert pages[1].changes
    pages = list(logged.search_stream("heron reeds", 2, blend=1, reranker=Broken(), options=options))
    assert [(page.stage, page.is_last) for page in pages] == [("fused", False), ("fused", True)]
    assert [[warning["code"] for warning in page.warnings] for page in pages] == [[], ["reranker_unavailable"]]
    assert not pages[1].changes


@pytest.mark.parametrize(
    ("arguments", "stages"),
    [
        ({"mode": "full_text"}, ["full_text"]),
        ({"mode": "full_text", "reranker": ByLength()}, ["full_text", "reranked"]),
        ({"mode": "semantic"}, ["semantic"]),
        ({"mode": "semantic", "reranker": ByLength()}, ["semantic", "reranked"]),
        ({"full_text_weight": 0.0}, ["fused"]),
        ({"embedding": [1.0] * 384}, ["fused"]),
        ({"query": None, "embedding": [1.0] * 384}, ["semantic"]),
        ({"query": "-heron"}, ["full_text"]),
        ({"query": "zebrafish", "min_score": 0.9, "reranker": ByLength()}, ["full_text", "fused"]),
    ],
)
def test_stages(dsn: str, logged: pgbraid.Client, db: Connection, arguments: Any, stages: list[str]) -> None:
    """No page precedes a page that is ready without waiting."""
    query = {"query": "heron reeds", **arguments}
    with pgbraid.connect(dsn, embedder=HashEmbedder()) as client:
        pages = list(client.search_stream(**query))
        assert [page.stage for page in pages] == stages
        assert [page.is_last for page in pages] == [False] * (len(pages) - 1) + [True]
        assert logged_ids(db) == [pages[-1].stats["search_id"]]
        assert scores(pages[-1]) == scores(client.search(**query))


def test_a_vector_that_is_known_is_not_made_again(dsn: str, logged: pgbraid.Client, gate: Gate) -> None:
    logged.set_query_embeddings("default", 5)
    gate.opened.set()
    with pgbraid.connect(dsn, embedder=gate) as client:
        assert [page.stage for page in client.search_stream("heron")] == ["full_text", "fused"]
        assert [page.stage for page in client.search_stream("heron")] == ["fused"]
    assert gate.asked == ["heron"]
    other = Gate()  # stands for another process
    with pgbraid.connect(dsn, embedder=other) as client:
        client.status()
        asked: list[str] = []
        rows = client._session.rows

        def counted(functions: str | tuple[str, ...], statement: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
            asked.append(statement)
            return rows(functions, statement, **parameters)

        client._session.rows = counted  # type: ignore[method-assign]
        (page,) = client.search_stream("heron")
        assert (page.stage, page.stats["mode"]) == ("fused", "hybrid")
        assert [
            sum(name in statement for statement in asked) for name in ("get_query_embedding", "braid.logged_search")
        ] == [
            1,
            1,
        ]
    assert other.asked == []


@pytest.mark.parametrize("error", [EmbeddingError("the service is down"), ValueError("bad weights")])
def test_a_failing_embedder(dsn: str, logged: pgbraid.Client, db: Connection, error: Exception) -> None:
    gate = Gate(error)
    gate.opened.set()
    with pgbraid.connect(dsn, embedder=gate) as client:
        first, last = client.search_stream("heron reeds")
        assert gate.asked == ["heron reeds"]
        assert (first.stage, first.is_last, first.warnings) == ("full_text", False, [])
        assert (last.stage, last.is_last) == ("full_text", True)
        assert [warning["code"] for warning in last.warnings] == ["embedding_unavailable"]
        assert scores(last) == scores(first) and not last.changes
        assert logged_ids(db) == [last.stats["search_id"]]
        with pytest.raises(EmbeddingError):
            next(client.search_stream("heron reeds", mode="semantic"))


def test_without_an_embedder(dsn: str, client: pgbraid.Client) -> None:
    client.create_collection("other", embedding_model="other", dimensions=3)
    with pgbraid.connect(dsn) as bare:
        (page,) = bare.search_stream("heron", collection="other")
    assert (page.stage, page.is_last) == ("full_text", True)
    assert page.warnings[0]["code"] == "embedding_unavailable"


def test_pages_of_a_listing(dsn: str, logged: pgbraid.Client) -> None:
    with pgbraid.connect(dsn, embedder=HashEmbedder()) as client:
        first, fused = client.search_stream("heron reeds", 1, options={"cursor": ""})
        assert first.next_cursor is None and fused.next_cursor
        options = {"cursor": fused.next_cursor}
        (second,) = client.search_stream("heron reeds", 1, options=options)
        assert second[0].chunk_id not in (fused[0].chunk_id,)
        assert scores(second) == scores(client.search("heron reeds", 1, options=options))


class TokenEmbedder(HashEmbedder):
    def embed_tokens(self, texts: list[str]) -> list[Any]:
        return [np.stack([self.embed_query(word) for word in text.split()]) for text in texts]


def test_late_interaction_is_of_the_second_page(dsn: str, logged: pgbraid.Client) -> None:
    with pgbraid.connect(dsn, embedder=TokenEmbedder()) as client:
        with pytest.raises(InvalidArgumentError, match="no token vectors"):
            list(client.search_stream("heron", late_interaction=True))
        client.set_token_vectors("default")
        assert client.embed_token_vectors() == len(TEXTS)
        # A known query vector changes nothing: the token vectors are still to be made.
        for _ in range(2):
            first, last = client.search_stream("heron reeds", late_interaction=True)
            assert [page.stage for page in (first, last)] == ["full_text", "fused"]
            assert first[0].boosts is None and last[0].boosts
            assert scores(last) == scores(client.search("heron reeds", late_interaction=True))


def test_bad_input(dsn: str, logged: pgbraid.Client) -> None:
    calls: list[tuple[type[Exception], dict[str, Any]]] = [
        (InvalidArgumentError, {"query": ["heron", "reeds"]}),
        (InvalidArgumentError, {"mode": "hybird"}),
        (InvalidArgumentError, {"match_count": 0}),
        (InvalidArgumentError, {"options": {"curser": ""}}),
        (InvalidArgumentError, {"options": "cursor"}),
        (InvalidArgumentError, {"filters": []}),
        (InvalidArgumentError, {"reranker": "cohere"}),
        (InvalidArgumentError, {"reranker": ByLength(), "query": None}),
        (NotFoundError, {"collection": "nowhere"}),
    ]
    with pgbraid.connect(dsn, embedder=HashEmbedder()) as client:
        for error, arguments in calls:
            with pytest.raises(error):
                list(client.search_stream(**{"query": "heron", **arguments}))
        stream = client.search_stream("heron", match_count=0)
        for expected in (InvalidArgumentError, StopIteration):
            with pytest.raises(expected):
                next(stream)
        assert client.search("heron")


def blocked(db: Connection) -> None:
    """Wait until a statement waits for the table that `db` has locked."""
    question = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    with psycopg.connect(db.info.dsn, autocommit=True) as connection:
        until(lambda: one(connection, question))


def test_closed_while_the_server_searches(dsn: str, logged: pgbraid.Client, db: Connection) -> None:
    """Another thread closes the stream: the statement ends at once, and the connection stays usable."""
    with pgbraid.connect(dsn, embedder=HashEmbedder()) as client, ThreadPoolExecutor() as threads:
        client.search("warm")
        for query in ("heron", "heron reeds"):
            with db.transaction():
                db.execute("lock table braid_store.collections")
                stream = client.search_stream(query)
                waiting = threads.submit(next, stream, None)
                blocked(db)
                stream.close()
                assert waiting.result(PATIENCE) is None
                assert next(stream, None) is None
            assert client.search(query)[0].external_id in TEXTS


def test_closed_while_the_query_is_embedded(dsn: str, logged: pgbraid.Client, db: Connection, gate: Gate) -> None:
    with pgbraid.connect(dsn, embedder=gate) as client, ThreadPoolExecutor() as threads:
        stream = client.search_stream("heron reeds")
        next(stream)
        waiting = threads.submit(next, stream, None)
        until(lambda: stream._awaited is not None)
        stream.close()
        assert waiting.result(PATIENCE) is None and not gate.opened.is_set()
        assert client.search("heron", mode="full_text")
        assert len(logged_ids(db)) == 1  # the full-text search was logged, and the closed stream was not
        with client.search_stream("reeds") as abandoned:
            assert next(abandoned).stage == "full_text"
        assert list(abandoned) == []


@pytest.mark.parametrize("arguments", [{"mode": "semantic"}, {"full_text_weight": 0.0}], ids=str)
def test_closed_while_the_search_itself_embeds(
    dsn: str, logged: pgbraid.Client, gate: Gate, arguments: dict[str, Any]
) -> None:
    with pgbraid.connect(dsn, embedder=gate) as client, ThreadPoolExecutor() as threads:
        stream = client.search_stream("heron reeds", **arguments)
        waiting = threads.submit(next, stream, None)
        assert gate.begun.wait(PATIENCE)
        # The embedder itself gives up after PATIENCE.
        threads.submit(stream.close).result(PATIENCE / 2)
        assert waiting.result(PATIENCE / 2) is None
        assert client.search("heron", mode="full_text")


def test_closed_while_reranked(logged: pgbraid.Client) -> None:
    begun, over = threading.Event(), threading.Event()

    class Slow(ByLength):
        def rerank(self, query: str, texts: Sequence[str]) -> Any:
            begun.set()
            assert over.wait(PATIENCE)
            return super().rerank(query, texts)

    with ThreadPoolExecutor() as threads:
        stream = logged.search_stream("heron", mode="full_text", reranker=Slow())
        next(stream)
        waiting = threads.submit(next, stream, None)
        assert begun.wait(PATIENCE)
        stream.close()
        assert waiting.result(PATIENCE) is None
        over.set()


def test_a_stream_is_for_one_reader(dsn: str, logged: pgbraid.Client, gate: Gate) -> None:
    with pgbraid.connect(dsn, embedder=gate) as client, ThreadPoolExecutor() as threads:
        stream = client.search_stream("heron reeds")
        next(stream)
        waiting = threads.submit(lambda: [next(stream), threading.get_ident()])
        until(lambda: stream._is_busy)
        with pytest.raises(RuntimeError, match="another thread"):
            next(stream)
        gate.opened.set()
        assert waiting.result(PATIENCE)


def test_a_task_that_is_cancelled(dsn: str, logged: pgbraid.Client, db: Connection, gate: Gate) -> None:
    """A task can be cancelled while the query is embedded, and while the server searches."""

    async def session() -> list[int]:
        async with pgbraid.connect_async(dsn, embedder=gate) as client:

            async def typed(query: str, pages: asyncio.Queue[str]) -> None:
                async for page in client.search_stream(query):
                    pages.put_nowait(page.stage)

            pages: asyncio.Queue[str] = asyncio.Queue()
            task = asyncio.create_task(typed("her", pages))
            assert await pages.get() == "full_text"
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            counts = [await client.count()]
            with db.transaction():
                db.execute("lock table braid_store.collections")
                task = asyncio.create_task(typed("heron", pages))
                await asyncio.to_thread(blocked, db)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            counts.append(await client.count())
            # Another task may close the stream instead.
            with db.transaction():
                db.execute("lock table braid_store.collections")
                stream = client.search_stream("heron reeds")
                waiting = asyncio.create_task(next_stage(stream))
                await asyncio.to_thread(blocked, db)
                await stream.aclose()
                assert await waiting == "no page"
            return [*counts, await client.count()]

    async def next_stage(stream: Any) -> str:
        page = await anext(stream, None)
        return "no page" if page is None else str(page.stage)

    assert asyncio.run(session()) == [len(TEXTS)] * 3
    assert not gate.opened.is_set()


def test_what_is_given_up_before_it_begins_never_does() -> None:
    over = threading.Event()
    calls: list[int] = []

    def call(number: int) -> int:
        calls.append(number)
        assert over.wait(PATIENCE)
        return number

    futures = [in_background(call, number) for number in range(MOST_CALLS)]
    until(lambda: len(calls) == MOST_CALLS)
    abandoned, wanted = in_background(call, 100), in_background(call, 101)
    assert abandoned.cancel()
    over.set()
    assert [future.result(PATIENCE) for future in [*futures, wanted]] == [*range(MOST_CALLS), 101]
    assert 100 not in calls


@pytest.mark.parametrize("act", [list, lambda stream: next(stream)])
def test_a_transaction_of_the_caller(logged: pgbraid.Client, db: Connection, act: Callable[[Any], Any]) -> None:
    with logged.transaction():
        act(logged.search_stream("heron"))
        logged.delete_document("ana")
    assert logged.count() == len(TEXTS) - 1
