"""Test chunks that wait for their embedding, and the jobs' failures."""

from __future__ import annotations

import asyncio
import urllib.error
import warnings
from datetime import date, timedelta
from decimal import Decimal
from email.message import Message
from typing import Any

import numpy as np
import psycopg
import pytest

import pgbraid
from pgbraid.errors import EmbeddingError, InvalidArgumentError, NotFoundError
from pgbraid.stored import EmbeddingUsage
from support import HashEmbedder

pytestmark = pytest.mark.any_version


class Choosy(HashEmbedder):
    """Fail for a batch with a text that holds BAD, and return NaN for a text that holds NAN."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def embed_documents(self, texts: list[str]) -> Any:
        self.batches.append(len(texts))
        if any("BAD" in text for text in texts):
            raise RuntimeError("a text I cannot take")
        vectors = super().embed_documents(texts)
        return [[float("nan")] * len(v) if "NAN" in text else v for text, v in zip(texts, vectors, strict=True)]


def write(client: pgbraid.Client, *texts: str) -> None:
    client.add_documents({"external_id": str(n), "content": text} for n, text in enumerate(texts))


def test_a_bad_text_fails_alone(client: pgbraid.Client, dsn: str) -> None:
    kinds = {3: " BAD", 17: " BAD", 18: " NAN"}
    write(client, *(f"Text {n}{kinds.get(n, '')}." for n in range(20)))
    embedder = Choosy()
    with pgbraid.connect(dsn, embedder=embedder) as choosy:
        with pytest.warns(UserWarning, match="got no embedding") as told:
            assert choosy.embed_pending() == 17
        assert sum("a text I cannot take" in str(each.message) for each in told) == 2
        assert len(embedder.batches) < 40
        # The jobs are tried again after a pause, and abandoned after some attempts.
        jobs = choosy.list_embedding_jobs()
        assert [(job.external_id, job.state, job.attempts) for job in jobs] == [
            (number, "paused", 1) for number in ("3", "17", "18")
        ]
        for _ in range(4):
            choosy.connection.execute("update braid_store.embedding_jobs set claimed_until = null")
            with pytest.warns(UserWarning):
                assert choosy.embed_pending() == 0
        assert [job.external_id for job in choosy.list_embedding_jobs("abandoned")] == ["3", "17", "18"]
        assert choosy.embed_pending() == 0


def test_an_embedder_that_fails_for_all_texts_is_at_fault(client: pgbraid.Client, dsn: str) -> None:
    write(client, "One.", "Two.")

    class Down(HashEmbedder):
        def embed_documents(self, texts: list[str]) -> Any:
            raise RuntimeError("no GPU")

    with pgbraid.connect(dsn, embedder=Down()) as down, pytest.raises(EmbeddingError, match="no GPU"):
        down.embed_pending()
    assert {(job.state, job.attempts) for job in client.list_embedding_jobs()} == {("paused", 1)}


@pytest.mark.parametrize(
    ("cause", "calls"),
    [
        (urllib.error.URLError(ConnectionRefusedError("refused")), 1),
        (urllib.error.HTTPError("http://localhost", 503, "Unavailable", Message(), None), 1),
        # Some services return status 500 for a text that is too long.
        (urllib.error.HTTPError("http://localhost", 500, "Failed", Message(), None), 2),
        (TimeoutError("a long batch"), 2),
    ],
    ids=["unreachable", "503", "500", "timeout"],
)
def test_a_service_that_is_down_is_not_asked_again(
    client: pgbraid.Client, dsn: str, cause: Exception, calls: int
) -> None:
    write(client, "One.", "Two.")
    asked: list[int] = []

    class Failing(HashEmbedder):
        def embed_documents(self, texts: list[str]) -> Any:
            asked.append(len(texts))
            raise cause

    with pgbraid.connect(dsn, embedder=Failing()) as failing, pytest.raises(EmbeddingError):
        failing.embed_pending()
    assert asked == [2, 1][:calls]
    assert {(job.state, job.attempts) for job in client.list_embedding_jobs()} == {("paused", 1)}


def test_warnings_that_are_errors_leave_no_chunk_claimed(client: pgbraid.Client, dsn: str) -> None:
    write(client, "One BAD.", "Two.", "Three BAD.")
    with pgbraid.connect(dsn, embedder=Choosy()) as choosy, warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="got no embedding"):
            choosy.embed_pending()
    assert [(job.external_id, job.state) for job in client.list_embedding_jobs()] == [("0", "paused"), ("2", "paused")]


def test_jobs_are_listed_retried_and_dropped(client: pgbraid.Client) -> None:
    write(client, "One.", "Two.", "Three.")
    first, second, third = client.list_embedding_jobs()
    assert (first.external_id, first.chunk_index, first.state, first.available_at) == ("0", 0, "waiting", None)
    client.connection.execute("select braid.claim_embedding_jobs(3)")
    client.connection.execute("select braid.abandon_embedding_jobs(%s, 'refused')", ([first.chunk_id, third.chunk_id],))
    (last,) = client.list_embedding_jobs("abandoned", after=first.chunk_id)
    assert (last.chunk_id, last.last_error, last.attempts) == (third.chunk_id, "refused", 1)
    assert last.available_at is not None and last.available_at.year == 9999
    assert [job.chunk_id for job in client.list_embedding_jobs(match_count=2)] == [first.chunk_id, second.chunk_id]
    assert client.retry_embedding_jobs([first.chunk_id, second.chunk_id]) == 2
    assert client.drop_embedding_jobs() == 1
    assert [job.state for job in client.list_embedding_jobs()] == ["waiting", "waiting"]
    assert client.drop_embedding_jobs([first.chunk_id, second.chunk_id]) == 2
    assert client.retry_embedding_jobs() == 0
    with pytest.raises(InvalidArgumentError):
        client.list_embedding_jobs("lost")  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        client.drop_embedding_jobs(collection="absent")


def test_the_asynchronous_client(client: pgbraid.Client, dsn: str) -> None:
    write(client, "One.")

    async def run() -> list[Any]:
        async with pgbraid.connect_async(dsn) as a:
            return [await a.retry_embedding_jobs(), len(await a.list_embedding_jobs()), await a.embedding_usage()]

    assert asyncio.run(run()) == [0, 1, []]


def test_usage(client: pgbraid.Client, db: psycopg.Connection[Any]) -> None:
    db.execute("select braid.record_embedding_usage('default', 'm', 2, 3, 400, 100, 0.0012)")
    (used,) = client.embedding_usage()
    assert used == EmbeddingUsage("default", "m", used.day, 2, 3, 400, 100, Decimal("0.0012"))
    assert client.embedding_usage(used.day + timedelta(days=1)) == []
    db.execute("update braid_store.embedding_usage set day = day - 400")
    db.execute("insert into braid_store.embedding_usage select 1, 'old' || n, day - 1, 1, 1, 1, 0"
               " from braid_store.embedding_usage, generate_series(1, 3000) n")  # fmt: skip
    assert len(client.embedding_usage()) == 3001
    assert client.maintain()["complete"] is True
    assert [row.embedding_model for row in client.embedding_usage(date(2000, 1, 1))] == ["m"]


def test_a_tenant_assigned_in_the_middle_is_for_the_next_call(
    client: pgbraid.Client, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.create_tenant("other")
    for tenant in ("default", "other"):
        client.tenant = tenant
        client.add_documents([{"external_id": tenant, "content": "The quick brown fox."}])

    class Alike:
        model_name = "alike"

        def rerank(self, query: str, texts: list[str]) -> Any:
            shared.tenant = "other"
            return np.ones(len(texts))

        def warm_up(self) -> None:
            pass

    class Assigning(HashEmbedder):
        def embed_query(self, text: str) -> Any:
            shared.tenant = "other"
            return super().embed_query(text)

        def embed_documents(self, texts: list[str]) -> Any:
            shared.tenant = "other"
            return super().embed_documents(texts)

    monkeypatch.setattr("pgbraid.document_batches.BATCH_DOCUMENTS", 50)
    with pgbraid.connect(dsn, embedder=Assigning()) as shared, warnings.catch_warnings():
        warnings.simplefilter("error")
        calls: list[Any] = [
            lambda: [row.external_id for row in shared.search("fox one")],
            lambda: [row.external_id for row in shared.recall("fox two")],
            lambda: [row.external_id for row in shared.search(["fox three", "brown"])],
            lambda: [row.external_id for row in shared.search("fox four", reranker=Alike())],
            lambda: [shared.embed_pending() and "default"],
        ]
        for call in calls:
            shared.tenant = "default"
            assert call() == ["default"]
            assert shared.tenant == "other"
        shared.tenant = "default"
        assert shared.list_embedding_jobs() == []

        def documents() -> Any:
            for n in range(51):
                if n == 15:
                    shared.tenant = "other"
                yield {"external_id": f"d{n}", "content": "x"}

        assert shared.add_documents(documents()).inserted == 51
        shared.tenant = "default"
        assert shared.count() == 52
