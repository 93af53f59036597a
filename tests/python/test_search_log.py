"""Test logged searches and feedback about their results."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import psycopg
import pytest

import pgbraid
from pgbraid import errors
from support import HashEmbedder

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]


@pytest.fixture
def logged(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents([{"external_id": name, "content": f"a heron named {name}"} for name in ("ana", "ben")])
    client.embed_pending()
    client.set_search_log("default", "all")
    return client


def test_a_search_is_logged_and_has_an_id(logged: pgbraid.Client, db: Connection) -> None:
    found = logged.search("heron")
    row = db.execute("select search_id::text, query_text, mode, result_count from braid.search_log").fetchall()
    assert row == [(found.stats["search_id"], "heron", "hybrid", 2)]
    logged.search("heron", mode="semantic", match_count=1)
    logged.search("heron", reranker=by_length())
    assert db.execute("select count(*) from braid.search_log").fetchone() == (3,)
    logged.set_search_log("default", "off")
    assert "search_id" not in logged.search("heron").stats
    assert db.execute("select count(*) from braid.search_log").fetchone() == (3,)


def test_recall_and_several_queries_are_logged(logged: pgbraid.Client, db: Connection) -> None:
    recalled = logged.recall("heron", "since 2020")
    together = logged.search(["heron", "ana"])
    rows = db.execute("select search_id::text, mode, query_text from braid.search_log order by search_id").fetchall()
    assert rows == [
        (recalled.stats["search_id"], recalled.stats["mode"], "heron"),
        (together.stats["search_id"], "multi", "heron\nana"),
    ]
    assert logged.record_feedback(together, together[0].external_id, "click")


def by_length() -> Any:
    class Reranker:
        model_name = "length"

        def rerank(self, query: str, texts: list[str]) -> list[float]:
            return [float(len(text)) for text in texts]

    return Reranker()


def test_whether_there_is_a_log_is_not_asked_for(logged: pgbraid.Client) -> None:
    from pgbraid.client.session import Session

    asked: list[str] = []
    original = Session.rows

    def rows(session: Session, functions: str, statement: str, /, **parameters: Any) -> Any:
        asked.append(functions)
        return original(session, functions, statement, **parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "rows", rows)
        logged.search("heron", mode="full_text")
    assert asked == ["logged_search"]


def test_feedback(logged: pgbraid.Client, db: Connection) -> None:
    found = logged.search("heron")
    assert logged.record_feedback(found, "ben", "click")
    assert not logged.record_feedback(found, "ben", "click")
    assert logged.record_feedback(found.stats["search_id"], "ben", "dwell", 12.5)
    assert logged.record_feedback(found, "ana", "rating", -1)
    rows = db.execute("select external_id, kind, value from braid.search_feedback order by 1, 2").fetchall()
    assert rows == [("ana", "rating", -1.0), ("ben", "click", 1.0), ("ben", "dwell", 12.5)]


def test_feedback_of_a_search_without_a_log_is_none(logged: pgbraid.Client, db: Connection) -> None:
    logged.set_search_log("default", "off")
    assert logged.record_feedback(logged.search("heron"), "ben", "click") is False
    assert db.execute("select count(*) from braid.search_feedback").fetchone() == (0,)


def test_feedback_that_cannot_be(logged: pgbraid.Client) -> None:
    found = logged.search("heron")
    unknown: Any = None
    for search, external_id, kind, value, error in (
        (unknown, "ben", "click", None, errors.InvalidArgumentError),
        ("no uuid", "ben", "click", None, errors.InvalidArgumentError),
        ("01890000-0000-7000-8000-000000000000", "ben", "click", None, errors.NotFoundError),
        (found, "nobody", "click", None, errors.InvalidArgumentError),
        (found, "ben", "smile", None, errors.InvalidArgumentError),
        (found, "ben", "rating", float("nan"), errors.InvalidArgumentError),
    ):
        given: Any = kind
        with pytest.raises(error) as caught:
            logged.record_feedback(search, external_id, given, value)
        assert caught.value.hint


def test_where_nothing_can_be_written_the_search_is_answered(dsn: str, logged: pgbraid.Client) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("set default_transaction_read_only = on")
        client = pgbraid.Client(connection, embedder=HashEmbedder())
        found = client.search("heron")
        assert len(found) == 2 and "search_id" not in found.stats


def test_settings_of_the_log(logged: pgbraid.Client, db: Connection) -> None:
    logged.set_search_log("default", "sampled", sample_share=0.25, keep_query="hash", retention=timedelta(days=3))
    row = db.execute("select parts from braid.collections where name = 'default'").fetchone()
    assert row is not None
    kept = {key: value for key, value in row[0].items() if key.startswith("search_log")}
    assert kept == {
        "search_log": "sampled",
        "search_log_share": 0.25,
        "search_log_query": "hash",
        "search_log_days": 3,
    }
    with pytest.raises(errors.InvalidArgumentError):
        logged.set_search_log("default", "sampled", sample_share=2)


def test_the_asynchronous_client(dsn: str, logged: pgbraid.Client) -> None:
    async def search() -> bool:
        async with pgbraid.connect_async(dsn, embedder=HashEmbedder()) as client:
            return await client.record_feedback(await client.search("heron"), "ana", "used_in_answer")

    assert asyncio.run(search())
