"""Test searches that end with a reranker: `client.search(reranker=…)`."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import pgbraid
from pgbraid.errors import InvalidArgumentError
from pgbraid_tools.rerankers import CrossEncoderReranker, HttpReranker, LateInteractionReranker
from support import HashEmbedder
from support.waiting import PATIENCE, until

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]

COUNT = 30


class Fake:
    """Score by a function of (query, texts), and record the calls."""

    model_name = "fake"

    def __init__(self, score: Callable[[str, list[str]], Any]) -> None:
        self.score = score
        self.calls: list[tuple[str, list[str]]] = []
        self.threads: set[int] = set()

    def rerank(self, query: str, texts: list[str]) -> Any:
        self.calls.append((query, texts))
        self.threads.add(threading.get_ident())
        return self.score(query, texts)

    def warm_up(self) -> None:
        pass


def number(text: str) -> int:
    return int(text.rsplit(" ", 1)[-1])


def highest_number() -> Fake:
    return Fake(lambda _, texts: np.array([float(number(text)) for text in texts]))


@pytest.fixture
def filled(client: pgbraid.Client) -> pgbraid.Client:
    """Store chunks that a search for "zebra" returns in the order of their numbers; return the client."""
    client.add_documents(
        {
            "external_id": f"d{n:02}",
            "title": f"Title {n}",
            "speaker": "Ana" if n % 2 else None,
            "content": "zebra " + "filler " * n + str(n),
        }
        for n in range(COUNT)
    )
    return client


def ids(results: Sequence[pgbraid.SearchResult]) -> list[str]:
    return [row.external_id for row in results]


def expect(numbers: Sequence[int]) -> list[str]:
    return [f"d{n:02}" for n in numbers]


def test_the_first_20_become_5(filled: pgbraid.Client) -> None:
    reranker = highest_number()
    fused = filled.search("zebra", match_count=20)
    assert ids(fused) == expect(range(20))
    results = filled.search("zebra", reranker=reranker, blend=1)
    assert ids(results) == expect([19, 18, 17, 16, 15])
    assert [row.rerank_score for row in results] == [19, 18, 17, 16, 15]
    assert [row.score for row in results] == [row.score for row in reversed(fused[15:])]
    assert results.warnings == fused.warnings
    assert (results.stats["rerank"]["model"], results.stats["rerank"]["candidates"]) == ("fake", 20)
    assert results.stats["rerank"]["time_ms"] >= 0
    ((query, texts),) = reranker.calls
    assert query == "zebra"
    assert texts[:2] == ["Title 0\nzebra 0", "Title 1\nAna\nzebra filler 1"]
    assert "rerank 19.0000  score 0." in str(results)
    assert fused[0].rerank_score is None
    assert "rerank" not in str(fused)


def blended_order(client: pgbraid.Client, places: int, blend: float) -> list[str]:
    """Return the ids of the first rows in their order if a reranker scores each row by its number."""
    rows = client.search("zebra", places)
    highest, lowest = rows[0].score, rows[-1].score
    total = {
        row.external_id: (1 - blend) * (row.score - lowest) / (highest - lowest)
        + blend * number(row.content) / (places - 1)
        for row in rows
    }
    return sorted(total, key=lambda name: -total[name])


@pytest.mark.parametrize("blend", [0, 0.2, 0.25, 0.5, 0.75, 1])
def test_scores_of_both_are_blended(filled: pgbraid.Client, blend: float) -> None:
    results = filled.search("zebra", 20, reranker=highest_number(), blend=blend)
    assert ids(results) == blended_order(filled, 20, blend)
    assert results.stats["rerank"]["blend"] == blend
    for row in results:
        search, reranker = row.blended_parts or []
        place = number(row.content)
        assert (search["list"], search["rank"], search["score"]) == ("search", place + 1, row.score)
        assert search["part"] == pytest.approx((1 - blend) * search["normalised_score"])
        assert reranker["part"] == pytest.approx(blend * place / 19)
        assert (reranker["list"], reranker["rank"], reranker["score"]) == ("reranker", 20 - place, row.rerank_score)
        assert row.blended_score == pytest.approx(search["part"] + reranker["part"])


@pytest.mark.parametrize("options", [{}, {"group_by": "document"}])
def test_what_the_query_names_stays_first(filled: pgbraid.Client, options: dict[str, Any]) -> None:
    def found(blend: float, **more: Any) -> pgbraid.SearchResults:
        return filled.search(
            "title 7", reranker=highest_number(), rerank_count=30, match_count=30, blend=blend, options=options | more
        )

    for blend in (0, 0.2, 0.9):
        results = found(blend)
        assert results[0].external_id == "d07"
        assert [part["list"] for part in results[0].blended_parts or ()] == ["search", "reranker", "exact_name"]
        # The others are blended as without a name.
        plain = ids(found(blend, ranking={"name_weight": 0}))
        assert ids(results)[1:] == [external_id for external_id in plain if external_id != "d07"]
    assert found(1)[0].external_id == "d29"


def test_every_entry_point_blends_alike(filled: pgbraid.Client) -> None:
    expected = blended_order(filled, 20, 0.2)[:5]
    assert ids(filled.search("zebra", reranker=highest_number())) == expected
    assert ids(filled.recall("zebra", reranker=highest_number())) == expected
    assert ids(list(filled.search_stream("zebra", reranker=highest_number()))[-1]) == expected
    context = filled.assemble_context("zebra", 100_000, 5, reranker=highest_number(), rerank_count=20)
    assert [passage.external_id for passage in context] == expected
    grouped = filled.search("zebra", reranker=highest_number(), options={"group_by": "document"})
    assert ids(grouped) == expected
    assert [row.group_score for row in grouped] == [row.blended_score for row in grouped]


@pytest.mark.parametrize("blend", [-0.1, 1.1, float("nan"), "0.5", True, None])
def test_a_blend_that_is_none(filled: pgbraid.Client, blend: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="blend is") as caught:
        filled.search("zebra", reranker=highest_number(), blend=blend)
    assert caught.value.hint


@pytest.mark.parametrize("blend", [1e-12, 1 - 1e-12, Fraction(1, 5)])
def test_any_number_from_0_to_1_is_a_blend(filled: pgbraid.Client, blend: Any) -> None:
    expected = blended_order(filled, 20, round(float(blend), 9))
    assert ids(filled.search("zebra", 20, reranker=highest_number(), blend=blend)) == expected


def test_without_a_reranker_nothing_changes(filled: pgbraid.Client) -> None:
    assert ids(filled.search("zebra")) == expect(range(10))


def test_every_row_given_is_reranked(filled: pgbraid.Client) -> None:
    for count, rerank_count, numbers in (
        (3, 4, [3, 2, 1]),
        (8, 4, range(8)[::-1]),
        (40, 50, range(COUNT)[::-1]),
        (1, 1, [0]),
    ):
        results = filled.search("zebra", count, blend=1, reranker=highest_number(), rerank_count=rerank_count)
        assert ids(results) == expect(numbers)
        assert [row.rerank_score for row in results] == list(numbers)


def test_ties_keep_the_fused_order(filled: pgbraid.Client) -> None:
    results = filled.search(
        "zebra", blend=1, reranker=Fake(lambda _, texts: [float(number(text) % 2) for text in texts])
    )
    assert ids(results) == expect([1, 3, 5, 7, 9])


def test_no_candidates(filled: pgbraid.Client) -> None:
    reranker = highest_number()
    results = filled.search("giraffe", reranker=reranker, mode="full_text")
    assert (len(results), reranker.calls) == (0, [])
    assert results.warnings == filled.search("giraffe", mode="full_text").warnings


@pytest.mark.parametrize(
    ("query", "options", "asked"),
    [
        ('+zebra "filler filler" -giraffe', None, "zebra filler filler"),
        ("zebra -9", {"operators": False}, "zebra -9"),
    ],
)
def test_operators_are_not_the_rerankers(
    filled: pgbraid.Client, query: str, options: dict[str, Any] | None, asked: str
) -> None:
    reranker = highest_number()
    assert filled.search(query, reranker=reranker, options=options)[0].rerank_score is not None
    assert reranker.calls[0][0] == asked


def test_with_an_embedding_filters_and_modes(filled: pgbraid.Client) -> None:
    filled.embed_pending()
    found = filled.search(
        "zebra",
        mode="semantic",
        embedding=HashEmbedder().embed_query("zebra"),
        filters={"speaker": "Ana"},
        blend=1,
        reranker=highest_number(),
    )
    assert len(found) == 5
    assert {row.speaker for row in found} == {"Ana"}
    assert [row.rerank_score for row in found] == sorted((row.rerank_score or 0 for row in found), reverse=True)


def hang(_: str, texts: list[str]) -> Any:
    threading.Event().wait(60)
    return [1.0] * len(texts)


def fail(_: str, __: list[str]) -> Any:
    raise RuntimeError("out of memory")


FAILURES: dict[str, tuple[Any, str]] = {
    "raises": (Fake(fail), "RuntimeError: out of memory"),
    "raises a timeout": (Fake(lambda _, __: (_ for _ in ()).throw(TimeoutError("slow"))), "TimeoutError: slow"),
    "too few scores": (Fake(lambda _, texts: np.ones(len(texts) - 1)), "19 scores for 20 texts"),
    "too many scores": (Fake(lambda _, texts: [1.0] * 21), "21 scores for 20 texts"),
    "NaN": (Fake(lambda _, texts: [float("nan")] * len(texts)), "NaN"),
    "infinity": (Fake(lambda _, texts: [float("inf")] * len(texts)), "beyond"),
    "huge numbers": (Fake(lambda _, texts: [1e150] * len(texts)), "beyond"),
    "a matrix": (Fake(lambda _, texts: np.ones((len(texts), 2))), "no list of numbers"),
    "words": (Fake(lambda _, texts: ["high"] * len(texts)), "no list of numbers"),
    "None": (Fake(lambda _, texts: [None] * len(texts)), "no list of numbers"),
    "nothing": (Fake(lambda _, __: None), "no list of numbers"),
    "one number": (Fake(lambda _, __: 1.0), "no list of numbers"),
    "hangs": (Fake(hang), "longer than 0.2 s; raise rerank_timeout"),
    "nobody there": (HttpReranker("tei", base_url="http://127.0.0.1:9"), "unreachable"),
}


def test_a_failure_leaves_the_fused_order_and_a_warning(filled: pgbraid.Client) -> None:
    fused = filled.search("zebra", 5)
    for name, (reranker, part) in FAILURES.items():
        results = filled.search("zebra", reranker=reranker, rerank_timeout=0.2 if name == "hangs" else PATIENCE)
        assert list(results) == list(fused), name
        assert results.warnings[:-1] == fused.warnings, name
        assert results.warnings[-1]["code"] == "reranker_unavailable", name
        assert part in results.warnings[-1]["message"], name
        assert "rerank" not in results.stats, name


def test_a_reranker_that_hangs_takes_few_threads(filled: pgbraid.Client) -> None:
    released = threading.Event()
    reranker = Fake(lambda _, texts: [1.0] * len(texts) if released.wait(PATIENCE) else None)
    messages = [
        filled.search("zebra", reranker=reranker, rerank_timeout=0.01).warnings[-1]["message"] for _ in range(6)
    ]
    assert [("longer than 0.01 s" in message, "still running" in message) for message in messages] == (
        [(True, False)] * 4 + [(False, True)] * 2
    )
    until(lambda: len(reranker.calls) == 4)
    released.set()
    until(lambda: filled.search("zebra", reranker=reranker)[0].rerank_score == 1)


def test_a_missing_library_is_a_failure_of_the_reranker(
    filled: pgbraid.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    (warning,) = filled.search("zebra", mode="full_text", reranker=CrossEncoderReranker()).warnings
    assert warning["code"] == "reranker_unavailable"
    assert "pip install" in warning["message"]


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"reranker": "cross-encoder/ms-marco-MiniLM-L-6-v2"}, "reranker is 'cross-encoder"),
    ({"reranker": CrossEncoderReranker}, "reranker is <class"),
    ({"rerank_count": 0}, "rerank_count is 0"),
    ({"rerank_count": "20"}, "rerank_count is '20'"),
    ({"rerank_count": 10_001}, "10001"),
    ({"match_count": 0}, "match_count is 0"),
    ({"limit": -1}, "match_count is -1"),
    ({"rerank_timeout": 0}, "rerank_timeout is 0"),
    ({"rerank_timeout": float("nan")}, "rerank_timeout is nan"),
    ({"rerank_timeout": float("inf")}, "rerank_timeout is inf"),
    ({"query": None, "embedding": [0.5] * 384}, "query"),
    ({"query": "", "embedding": [0.5] * 384}, "query"),
]


def test_mistakes_of_the_caller_are_errors(client: pgbraid.Client) -> None:
    for arguments, part in MISTAKES:
        given = {"query": "zebra", "reranker": highest_number(), **arguments}
        with pytest.raises(InvalidArgumentError) as caught:
            client.search(**given)
        assert part in caught.value.message
        assert caught.value.hint


def test_late_interaction_with_the_offline_model(dsn: str) -> None:
    with pgbraid.connect(dsn) as client:
        client.add_documents(
            [
                {"external_id": "eggs", "content": "The recipe wants two eggs and a database of spices."},
                {"external_id": "wal", "content": "Postgres writes ahead to its log, so that the database survives."},
            ]
        )
        client.embed_pending()
        reranker = LateInteractionReranker()
        reranker.warm_up()
        results = client.search("where does the database keep its journal", reranker=reranker, rerank_timeout=None)
    assert ids(results) == ["wal", "eggs"]
    assert results.warnings == []


@pytest.mark.usefixtures("filled")
def test_the_event_loop_goes_on(dsn: str) -> None:
    released = threading.Event()
    reranker = Fake(lambda _, texts: [float(number(text)) for text in texts] if released.wait(PATIENCE) else None)

    async def session() -> pgbraid.SearchResults:
        async with await pgbraid.connect_async(dsn, embedder=HashEmbedder()) as client:
            search = asyncio.create_task(client.search("zebra", blend=1, reranker=reranker, rerank_timeout=None))
            while not reranker.calls:
                await asyncio.sleep(0.01)
            released.set()
            return await search

    results = asyncio.run(session())
    assert ids(results) == expect([19, 18, 17, 16, 15])
    assert threading.get_ident() not in reranker.threads


def test_rows_are_shaped_after_reranking(client: pgbraid.Client) -> None:
    """Groups, collapsed rows and passages are made of the rows that the reranker puts first."""
    client.add_documents(
        {"external_id": f"d{n}", "chunks": [{"content": f"zebra {'filler ' * n}{m} {10 * m + n}"} for m in range(3)]}
        for n in range(4)
    )
    reranker = highest_number()
    plain = client.search("zebra", 20, blend=1, reranker=reranker)
    assert [number(row.content) for row in plain] == [23, 22, 21, 20, 13, 12, 11, 10, 3, 2, 1, 0]

    options = {"group_by": "document", "context": {"before": 1}}
    grouped = client.search("zebra", 3, blend=1, reranker=reranker, options=options)
    assert [number(row.content) for row in grouped] == [23, 22, 21]
    assert [row.group_score for row in grouped] == pytest.approx([1, 22 / 23, 21 / 23])
    assert [row.rerank_score for row in grouped] == [23, 22, 21]
    assert [row.score for row in grouped] == [row.score for row in plain[:3]]
    assert [(row.passage_start, row.passage_end) for row in grouped] == [(1, 2)] * 3
    assert all(row.full_text_rank for row in grouped)

    pages: list[int] = []
    cursor: str | None = ""
    while cursor is not None:
        page = client.search("zebra", 5, blend=1, reranker=reranker, options={"cursor": cursor})
        pages += [number(row.content) for row in page]
        cursor = page[-1].cursor
    assert pages == [number(row.content) for row in plain]

    # If the reranker fails, the fusion's scores shape the rows.
    failed = client.search("zebra", 3, blend=1, reranker=Fake(fail), options=options)
    assert failed[0].chunk_id == client.search("zebra", 3, options=options)[0].chunk_id
    assert failed.warnings[-1]["code"] == "reranker_unavailable"
    with pytest.raises(InvalidArgumentError, match="group_by"):
        client.search("zebra", blend=1, reranker=reranker, options={"group_by": 7})


def test_what_is_shaped_keeps_the_order_of_the_search_among_equal_scores(client: pgbraid.Client) -> None:
    """Ties are frequent with a model that grades; they keep the search's order, whatever the ids."""
    client.add_documents({"external_id": f"d{9 - n}", "content": "zebra " + "filler " * n} for n in range(6))
    equal = Fake(lambda _, texts: [1.0] * len(texts))
    found = ids(client.search("zebra"))
    assert found == [f"d{9 - n}" for n in range(6)]
    assert ids(client.search("zebra", 3, reranker=equal, options={"group_by": "document"})) == found[:3]
    context = client.assemble_context("zebra", 100_000, 3, reranker=equal)
    assert [passage.external_id for passage in context] == found[:3]


def test_a_document_that_is_deleted_while_its_text_is_scored(dsn: str, filled: pgbraid.Client) -> None:
    def score(_: str, texts: list[str]) -> list[float]:
        with pgbraid.connect(dsn) as other:
            other.delete_document("d19")
        return [float(number(text)) for text in texts]

    found = filled.search(
        "zebra", 3, blend=1, reranker=Fake(score), rerank_timeout=None, options={"group_by": "document"}
    )
    assert ids(found) == expect([18, 17, 16])
    filled.add_documents([{"external_id": "d19", "content": "zebra 19"}])
    context = filled.assemble_context("zebra", 100_000, 2, blend=1, reranker=Fake(score), rerank_timeout=None)
    assert "d19" not in [passage.external_id for passage in context] and len(context) == 2


def test_recall_takes_a_reranker(filled: pgbraid.Client) -> None:
    reranker = highest_number()
    results = filled.recall("zebra", blend=1, reranker=reranker)
    assert ids(results) == expect([19, 18, 17, 16, 15])
    assert results.stats["rerank"]["candidates"] == 20
    assert "recall" in results.stats
    assert len(filled.recall("zebra")) == 10
    assert ids(filled.recall("zebra", match_count=2, blend=1, reranker=reranker, rerank_count=6)) == expect([5, 4])
    grouped = filled.recall("zebra", match_count=2, blend=1, reranker=reranker, options={"group_by": "document"})
    assert [row.group_score for row in grouped] == pytest.approx([1, 18 / 19])

    # The reranker gets the query without the words that name the time.
    filled.recall("zebra last week", "auto", blend=1, reranker=reranker)
    assert [query for query, _ in reranker.calls] == ["zebra"] * 3
    failed = filled.recall("zebra", match_count=5, blend=1, reranker=Fake(fail))
    assert ids(failed) == expect(range(5))
    assert failed.warnings[-1]["code"] == "reranker_unavailable"
    with pytest.raises(InvalidArgumentError, match="reranker is"):
        filled.recall("zebra", blend=1, reranker="cross-encoder")  # type: ignore[arg-type]


def test_a_context_takes_a_reranker(filled: pgbraid.Client) -> None:
    reranker = highest_number()
    context = filled.assemble_context("zebra", 100_000, 4, blend=1, reranker=reranker)
    assert [passage.external_id for passage in context] == expect([19, 18, 17, 16])
    assert [passage.score for passage in context] == pytest.approx([place / 19 for place in (19, 18, 17, 16)])
    assert [passage.citation for passage in context] == [1, 2, 3, 4]
    assert context.warnings == filled.search("zebra", 4).warnings
    assert len(reranker.calls[0][1]) == 20

    # The best passages use up the budget.
    small = filled.assemble_context("zebra", context[1].total_tokens, 4, blend=1, reranker=reranker)
    assert [passage.external_id for passage in small] == expect([19, 18])
    in_order = filled.assemble_context("zebra", 100_000, 2, sort="document", blend=1, reranker=reranker)
    assert [passage.external_id for passage in in_order] == expect([19, 18])
    failed = filled.assemble_context("zebra", 100_000, 4, blend=1, reranker=Fake(fail))
    assert [passage.external_id for passage in failed] == expect(range(4))
    assert failed.warnings[-1]["code"] == "reranker_unavailable"
    with pytest.raises(InvalidArgumentError, match="no pages"):
        filled.assemble_context("zebra", blend=1, reranker=reranker, options={"cursor": ""})


def test_a_context_is_of_all_that_was_reranked(filled: pgbraid.Client) -> None:
    # The first two rows are both Ana's, so groups are made of all 20 rows.
    odd_first = Fake(lambda _, texts: [float(number(text) % 2 * 100 + number(text)) for text in texts])
    context = filled.assemble_context("zebra", 100_000, 2, blend=1, reranker=odd_first, options={"group_by": "speaker"})
    assert [passage.external_id for passage in context] == expect([19, 18])
    assert [passage.score for passage in context] == pytest.approx([1, 18 / 119])


def test_the_search_of_a_context_is_not_logged(filled: pgbraid.Client) -> None:
    filled.set_search_log()
    assert len(filled.assemble_context("zebra", 100_000, 4, reranker=highest_number())) == 4
    assert filled.connection.execute("select count(*) from braid.search_log").fetchone() == (0,)
    assert "search_id" in filled.search("zebra", 4, reranker=highest_number()).stats


def test_a_context_of_reranked_chunks_with_their_neighbours(client: pgbraid.Client) -> None:
    client.add_documents(
        {"external_id": f"d{n}", "chunks": [{"content": f"zebra {'filler ' * n}{m} {10 * m + n}"} for m in range(3)]}
        for n in range(4)
    )
    options = {"context": {"before": 1}}
    context = client.assemble_context("zebra", 100_000, 2, blend=1, reranker=highest_number(), options=options)
    assert [(one.external_id, one.passage_start, one.passage_end) for one in context] == [("d3", 1, 2), ("d2", 1, 2)]
