"""Test the client's methods, also with bad input."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import FrozenInstanceError
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

import pgbraid
from pgbraid.errors import (
    DimensionMismatchError,
    EmbeddingServiceError,
    InvalidArgumentError,
    MissingExtraError,
    NotFoundError,
    NotSupportedError,
    PgbraidError,
)
from support import HashEmbedder

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]

NOON = datetime(2026, 3, 1, 12, 0, 0, 120000, tzinfo=timezone.utc)
FOX: dict[str, Any] = {
    "external_id": "fox",
    "title": "Animals",
    "content": "The quick brown fox jumps over the lazy dog.",
    "speaker": "Ana",
    "category": "zoo",
    "importance": 2.5,
    "occurred_at": NOON,
    "language": "en",
    "source_uri": "https://example.com/fox",
    "metadata": {"legs": 4, "tags": ["a", "b"]},
}
HEN = {"external_id": "hen", "content": "A hen lays eggs every morning."}


class BrokenEmbedder(HashEmbedder):
    """Fail like a service that is down."""

    def embed_documents(self, texts: list[str]) -> Any:
        raise EmbeddingServiceError("the service is down", hint="wait")

    def embed_query(self, text: str) -> Any:
        return self.embed_documents([text])


class NarrowEmbedder(HashEmbedder):
    dimensions = 3


@pytest.fixture
def animals(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents([FOX, HEN])
    client.embed_pending()
    return client


def test_a_result_has_the_documents_fields(animals: pgbraid.Client) -> None:
    row = animals.search("brown fox")[0]
    shown = {name: value for name, value in FOX.items() if name != "language"}
    assert {name: getattr(row, name) for name in shown} == shown
    assert isinstance(row.created_at, datetime)
    assert datetime.now(timezone.utc) - row.created_at < timedelta(minutes=5)
    assert (row.full_text_rank, row.semantic_rank, row.chunk_index) == (1, 1, 0)
    assert row.full_text_score is not None
    assert row.full_text_score > 0
    with pytest.raises(FrozenInstanceError):
        row.score = 0.0  # type: ignore[misc]


def test_results_print_ranks_scores_and_text(animals: pgbraid.Client) -> None:
    results = animals.search("brown fox")
    text = str(results)
    first = results[0]
    for part in ("Animals", "full text #1", "semantic #1", f"{first.semantic_score:.3f}", f"{first.score:.4f}", "lazy"):
        assert part in text
    assert str(animals.search("zebra", mode="full_text")).startswith("no results")
    assert "brown fox" in repr(results)
    assert [row.external_id for row in results[:1]] == ["fox"]


def test_the_mode_chooses_the_legs(animals: pgbraid.Client) -> None:
    full_text = animals.search("hen", mode="full_text")
    assert [(row.full_text_rank, row.semantic_rank) for row in full_text] == [(1, None)]
    semantic = animals.search("hen", mode="semantic")
    assert [(row.external_id, row.full_text_rank, row.semantic_rank) for row in semantic] == [
        ("hen", None, 1),
        ("fox", None, 2),
    ]
    assert animals.search("hen").stats["mode"] == "hybrid"


def test_operators_are_not_embedded(animals: pgbraid.Client) -> None:
    plain = animals.search("brown fox", mode="semantic")
    with_operators = animals.search('+brown "fox" -"lazy dog" -hen', mode="semantic")
    assert [row.semantic_score for row in with_operators] == [row.semantic_score for row in plain]


def test_filters_limit_and_options(animals: pgbraid.Client) -> None:
    assert [row.external_id for row in animals.search("fox hen", filters={"legs": 4})] == ["fox"]
    assert [row.external_id for row in animals.search("fox hen", filters={"occurred_at": {"$gte": NOON}})] == ["fox"]
    assert len(animals.search("fox hen", match_count=1)) == 1
    assert animals.search("fox", options={"min_scores": {"semantic": 2}}).stats["semantic_candidates"] == 0


def test_highlight(animals: pgbraid.Client) -> None:
    (found,) = animals.search("foxes", mode="full_text")
    assert animals.highlight(found.chunk_id, "foxes jump", fragment_words=3) == (
        "<mark>fox</mark> <mark>jumps</mark> over"
    )
    assert animals.highlight(
        found.chunk_id, "dog quick", start_tag="[", stop_tag="]", fragment_words=1, fragment_separator="|"
    ) == ("[quick]|[dog].")
    whole = animals.highlight(found.chunk_id, "hen", fragment_count=None)
    assert whole == FOX["content"]
    with pytest.raises(NotFoundError, match="chunk -1"):
        animals.highlight(-1, "fox")
    with pytest.raises(InvalidArgumentError, match="fragment_words"):
        animals.highlight(found.chunk_id, "fox", fragment_words=0)


def test_facets(animals: pgbraid.Client) -> None:
    counted = animals.facets(["speaker", "tags", "nothing"])
    assert counted == {
        "speaker": [pgbraid.FacetValue("Ana", 1)],
        "tags": [pgbraid.FacetValue("a", 1), pgbraid.FacetValue("b", 1)],
        "nothing": [],
    }
    assert list(counted) == ["speaker", "tags", "nothing"]
    assert animals.facets(["tags"], "fox", filters={"speaker": "Ana"}, value_count=1) == {"tags": counted["tags"][:1]}
    assert animals.facets(["tags"], "fox hen", match="all") == {"tags": []}
    with pytest.raises(InvalidArgumentError, match="keys"):
        animals.facets([])
    numbered = animals.facets(["tags"], aggregations={"nothing": {"interval": 1}, "all": {"total": True}})
    assert numbered["tags"] == counted["tags"]
    ((total, count),) = [(facet.value, facet.count) for facet in numbered["all"]]
    assert isinstance(total, dict) and total["chunks"] == {"count": count, "relation": "equal"} and count > 1
    assert numbered["nothing"] == [pgbraid.FacetValue(None, count)]
    with pytest.raises(InvalidArgumentError, match="interval") as refused:
        animals.facets(aggregations={"nothing": {"interval": -1}})
    assert refused.value.hint


def test_similar_chunks_and_documents(animals: pgbraid.Client) -> None:
    animals.add_documents([{"external_id": "cat", "content": "The lazy cat sleeps.", "speaker": "Ben"}])
    with pytest.raises(InvalidArgumentError, match="embedding") as error:
        animals.similar_documents("cat")
    assert error.value.hint
    animals.embed_pending()
    fox = animals.search("fox", mode="full_text")[0]
    found = animals.similar_chunks(fox.chunk_id)
    assert [row.external_id for row in found] == ["cat", "hen"]
    assert [row.semantic_rank for row in found] == [1, 2]
    assert [row.external_id for row in animals.similar_documents("fox")] == ["cat", "hen"]
    assert [row.external_id for row in animals.similar_documents("fox", 1)] == ["cat"]
    assert list(animals.similar_chunks(fox.chunk_id, filters={"speaker": "Zoe"})) == []
    assert list(animals.similar_documents("fox", min_score=1.1)) == []
    with pytest.raises(NotFoundError):
        animals.similar_chunks(-1)
    with pytest.raises(NotFoundError):
        animals.similar_documents("nobody")


def test_rows_in_shape(animals: pgbraid.Client) -> None:
    animals.add_documents([{"external_id": "two", "chunks": [{"content": "A fox."}, {"content": "A hen."}]}])
    animals.embed_pending()
    grouped = animals.search("fox hen", options={"group_by": "document", "context": {"after": 1}})
    assert sorted(row.external_id for row in grouped) == ["fox", "hen", "two"]
    assert all(row.group_score == row.score for row in grouped)
    (two,) = (row for row in grouped if row.external_id == "two")
    assert (two.passage, two.passage_start, two.passage_end) in (("A fox.\nA hen.", 0, 1), ("A hen.", 1, 1))
    listed = []
    cursor: str | None = ""
    while cursor is not None:
        page = animals.search("fox hen", 1, options={"cursor": cursor})
        cursor = page.next_cursor
        assert cursor == page[-1].cursor == page.stats["next_cursor"]
        listed += [row.chunk_id for row in page]
    assert listed == [row.chunk_id for row in animals.search("fox hen", 100)]
    with pytest.raises(InvalidArgumentError, match="lambda"):
        animals.search("fox", options={"diversify": {"lambda": 2}})


def test_arrange_results(animals: pgbraid.Client) -> None:
    found = animals.search("fox hen")
    chunk_ids = [row.chunk_id for row in found]
    again = animals.arrange_results(chunk_ids, range(len(found)))
    assert [row.chunk_id for row in again] == chunk_ids[::-1]
    assert [row.score for row in again] == list(range(len(found)))[::-1]
    assert len(animals.arrange_results(chunk_ids, range(len(found)), 1, options={"diversify": True})) == 1
    with pytest.raises(NotFoundError, match="-1"):
        animals.arrange_results([-1], [1])
    with pytest.raises(InvalidArgumentError, match="scores"):
        animals.arrange_results(chunk_ids, [])


def test_assemble_context(animals: pgbraid.Client) -> None:
    context = animals.assemble_context("fox", mode="full_text")
    (passage,) = context
    assert isinstance(passage, pgbraid.Passage) and context[0] is passage and context.warnings == []
    assert (passage.citation, passage.external_id, passage.content) == (1, "fox", FOX["content"])
    assert passage.token_count == passage.total_tokens
    assert str(context).startswith("[1] ") and str(context).endswith(str(FOX["content"]))
    assert {p.external_id for p in animals.assemble_context("fox hen", sort="document")} == {"fox", "hen"}
    assert len(animals.assemble_context("nothing", mode="full_text")) == 0
    with pytest.raises(InvalidArgumentError, match="token_budget") as error:
        animals.assemble_context("fox", 1)
    assert "Raise token_budget" in str(error.value.hint)
    with pytest.raises(InvalidArgumentError, match="mode"):
        animals.assemble_context("fox", mode="x")  # type: ignore[arg-type]


def test_set_ranking(animals: pgbraid.Client) -> None:
    before = animals.search("animals fox", mode="full_text")[0].full_text_score
    animals.set_ranking("default", {"title_weight": 0.0})
    after = animals.search("animals fox", mode="full_text")[0].full_text_score
    assert before is not None
    assert after is not None
    assert after < before
    with pytest.raises(InvalidArgumentError, match="k1"):
        animals.set_ranking("default", {"k1": -1})
    with pytest.raises(InvalidArgumentError, match="normalisation"):
        animals.set_ranking("default", {"normalisation": "best"})
    animals.set_ranking("default", {"fusion": "convex", "normalisation": "minmax"})
    fusion = animals.search("fox", options={"explain": True}).stats["fusion"]
    assert (fusion["fusion"], fusion["semantic"]["normalisation"]) == ("convex", "minmax")
    with pytest.raises(NotFoundError):
        animals.set_ranking("absent", {"k1": 1})


def test_indexed_attributes(animals: pgbraid.Client) -> None:
    animals.set_indexed_attributes({"legs": "number"})
    done = animals.maintain(5)
    assert (done["chunks_indexed"], done["complete"]) == (2, True)
    assert [row.external_id for row in animals.search("fox hen", mode="full_text", filters={"legs": 4})] == ["fox"]
    with pytest.raises(InvalidArgumentError, match="legs"):
        animals.set_indexed_attributes({"legs": "many"})  # type: ignore[dict-item]
    with pytest.raises(NotFoundError):
        animals.set_indexed_attributes({}, collection="nowhere")
    number = animals.create_collection("more", indexed_attributes={"legs": "number"})
    assert animals.create_collection("more", indexed_attributes={"legs": "number"}) == number
    with pytest.raises(InvalidArgumentError, match="other settings"):
        animals.create_collection("more")


def test_check_index_and_rebuild_index(animals: pgbraid.Client) -> None:
    assert animals.check_index() == []
    (chunk_id,) = (row.chunk_id for row in animals.search("fox", mode="full_text"))
    animals.connection.execute("delete from braid_store.segment_chunks where chunk_id = %s", (chunk_id,))
    assert pgbraid.IndexProblem("chunk in no segment", chunk_id) in animals.check_index("default")
    assert animals.rebuild_index() == 2
    assert animals.check_index() == []
    assert animals.search("fox", mode="full_text")[0].chunk_id == chunk_id
    with pytest.raises(NotFoundError):
        animals.check_index("absent")


def test_a_given_embedding_is_used(client: pgbraid.Client) -> None:
    axis = np.eye(384, dtype=np.float32)
    client.add_documents(
        [
            {"external_id": "list", "content": "one", "embedding": axis[0].tolist()},
            {"external_id": "array", "content": "two", "embedding": axis[1]},
            {"external_id": "chunks", "chunks": [{"content": "three", "embedding": axis[2]}, {"content": "four"}]},
        ]
    )
    for number, name in enumerate(("list", "array", "chunks")):
        row = client.search(embedding=axis[number], mode="semantic")[0]
        assert row.external_id == name
        assert row.semantic_score == pytest.approx(1)
    assert client.embed_pending() == 1


def test_a_transcript_is_given_as_turns(client: pgbraid.Client) -> None:
    client.set_collection("default", {"overlap_tokens": 0, "default_occurred_at": "now"})
    turns = ({"speaker": name, "start": n, "text": f"Number {n}."} for n, name in enumerate(["Ana", "Ben"]))
    assert client.add_documents([{"external_id": "call", "turns": turns}]).chunks == 1
    (row,) = client.search("number", mode="full_text")
    assert (row.content, row.speaker) == ("Ana: Number 0.\nBen: Number 1.", "Ana, Ben")
    assert row.metadata == {"start": 0, "speakers": ["Ana", "Ben"]}
    assert row.occurred_at is not None
    with pytest.raises(InvalidArgumentError, match="call"):
        client.add_documents([{"external_id": "call", "turns": [{"text": "a", "start": float("nan")}]}])
    with pytest.raises(InvalidArgumentError, match="before its start") as caught:
        client.add_documents([{"external_id": "call", "turns": [{"text": "a", "start": 2, "end": 1}]}])
    assert caught.value.hint
    with pytest.raises(InvalidArgumentError, match="overlap_tokens"):
        client.set_collection("default", {"overlap_tokens": 1000})


def test_the_summary_counts_documents(client: pgbraid.Client) -> None:
    first = client.add_documents([FOX, HEN])
    assert (first.inserted, first.documents, first.chunks) == (2, 2, 2)
    assert client.add_documents([FOX, HEN]).unchanged == 2
    second = client.add_documents([{**FOX, "importance": 1.0}, {**HEN, "content": "A hen sleeps."}])
    assert (second.updated, second.replaced, second.inserted, second.chunks) == (1, 1, 0, 1)


def test_many_documents_go_in_batches(client: pgbraid.Client) -> None:
    seen: list[int] = []
    summary = client.add_documents(
        ({"external_id": f"d{i}", "content": f"word{i}"} for i in range(5001)), progress=seen.append
    )
    assert summary.inserted == 5001
    assert seen == [5000, 5001]
    assert client.search("word777", mode="full_text")[0].external_id == "d777"


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a batch have 50 documents at most. The test above writes full batches."""
    monkeypatch.setattr("pgbraid.document_batches.BATCH_DOCUMENTS", 50)


class Prepared(dict[str, Any]):
    """Record when and by which thread a document was read."""

    def __init__(self, number: int, is_wrong: bool = False) -> None:
        super().__init__(external_id=f"d{number}", content=f"word{number}")
        if is_wrong:
            self["nothing"] = 1
        self.read = threading.Event()
        self.thread = threading.current_thread()

    def __iter__(self) -> Iterator[str]:
        self.thread = threading.current_thread()
        self.read.set()
        return super().__iter__()


def test_a_list_is_prepared_while_it_is_written(client: pgbraid.Client, small_batches: None) -> None:
    documents = [Prepared(number) for number in range(51)]
    seen: list[tuple[int, bool]] = []
    client.add_documents(documents, progress=lambda count: seen.append((count, documents[-1].read.wait(60))))
    assert seen == [(50, True), (51, True)]
    # A generator runs in the caller's thread, because it may hold an object such as a cursor of SQLite.
    documents = [Prepared(number) for number in range(51)]
    client.add_documents(document for document in documents)
    assert {document.thread for document in documents} == {threading.current_thread()}


@pytest.mark.parametrize("part", ["turns", "embedding", "token_vectors"])
def test_what_makes_a_part_of_a_document_belongs_to_the_callers_thread(
    client: pgbraid.Client, small_batches: None, part: str
) -> None:
    threads: list[threading.Thread] = []

    def made() -> Iterator[Any]:
        threads.append(threading.current_thread())
        yield {"text": "words"} if part == "turns" else 1.0

    documents: list[dict[str, Any]] = [{"external_id": f"d{number}", "content": "words"} for number in range(51)]
    chunk = {"content": "words"}
    for last in ({part: made()}, {"chunks": [chunk | {part: made()}]}):
        # This test ignores whether the collection accepts the document.
        with suppress(InvalidArgumentError):
            client.add_documents([*documents, {"external_id": "last"} | last])
    assert set(threads) == {threading.current_thread()}


def test_what_is_wrong_in_a_later_batch_is_told_after_the_first_is_written(
    client: pgbraid.Client, small_batches: None
) -> None:
    seen: list[int] = []
    with pytest.raises(InvalidArgumentError, match="document 'd51' has an unknown key 'nothing'"):
        client.add_documents([Prepared(number, number == 51) for number in range(52)], progress=seen.append)
    assert seen == [50] and client.count() == 50


def test_embedding_reports_progress_and_ends(client: pgbraid.Client) -> None:
    client.add_documents({"external_id": f"d{i}", "content": f"word{i}"} for i in range(25))
    seen: list[int] = []
    assert client.embed_pending(batch_size=10, progress=seen.append) == 25
    assert seen == [10, 20, 25]
    assert client.embed_pending() == 0


def test_embedding_stops_at_its_limit(client: pgbraid.Client) -> None:
    client.add_documents({"external_id": f"d{i}", "content": f"word{i}"} for i in range(25))
    seen: list[int] = []
    assert client.embed_pending(batch_size=10, limit=15, progress=seen.append) == 15
    assert seen == [10, 15]
    (backlog,) = client.embedding_backlog()
    assert (backlog.tenant, backlog.collection, backlog.dimensions) == (client.tenant, "default", 384)
    assert (backlog.waiting_count, backlog.claimable_count, backlog.last_error) == (10, 10, None)
    assert client.embed_pending(limit=100) == 10
    assert client.embedding_backlog() == []
    with pytest.raises(InvalidArgumentError, match="limit is 0"):
        client.embed_pending(limit=0)


def test_a_document_is_looked_up(animals: pgbraid.Client) -> None:
    document = animals.get_document("fox")
    assert document is not None
    assert (document.external_id, document.title, document.metadata) == ("fox", FOX.get("title"), FOX["metadata"])
    (chunk,) = document.chunks
    assert (chunk.chunk_id, chunk.content, chunk.chunk_index) == (
        animals.search("fox")[0].chunk_id,
        FOX["content"],
        0,
    )
    assert document.created_at.tzinfo is not None and document.created_at <= document.updated_at
    assert animals.get_document("nobody") is None
    with pytest.raises(NotFoundError):
        animals.get_document("fox", collection="nowhere")


def test_documents_are_listed_page_by_page_and_counted(client: pgbraid.Client) -> None:
    ids = [f"d{number:03}" for number in range(25)]
    client.add_documents({"external_id": name, "title": name.upper(), "content": name} for name in reversed(ids))
    client.add_documents([{"external_id": "two", "chunks": [{"content": "a"}, {"content": "b"}]}])
    assert client.count() == 26
    found: list[str] = []
    while page := client.list_documents(match_count=10, after=found[-1] if found else None):
        found += [document.external_id for document in page]
        assert len(page) == 10 or len(found) == 26
    assert found == [*ids, "two"]
    (last,) = client.list_documents(after="d024")
    assert (last.external_id, last.title, last.chunk_count) == ("two", None, 2)
    few = client.list_documents(filters={"external_id": {"$in": ["two", "d003", "x"]}}, match_count=5)
    assert [document.external_id for document in few] == ["d003", "two"]
    for count in (0, 10_001):
        with pytest.raises(InvalidArgumentError, match=f"match_count is {count}"):
            client.list_documents(match_count=count)
    for call in (client.list_documents, client.count):
        with pytest.raises(NotFoundError):
            call("nowhere")


def test_documents_of_another_tenant_are_not_there(client: pgbraid.Client, dsn: str) -> None:
    client.create_tenant("other")
    client.add_documents([FOX])
    with pgbraid.connect(dsn, tenant="other") as other:
        assert other.get_document(FOX["external_id"]) is None
        assert other.list_documents() == []
        assert other.count() == 0


def test_synonyms_are_set_and_removed(animals: pgbraid.Client) -> None:
    def found() -> list[str]:
        return [row.external_id for row in animals.search("reynard", mode="full_text")]

    assert found() == []
    assert animals.set_synonyms("reynard", ["fox"]) == 1
    assert found() == ["fox"]
    assert animals.set_synonyms("reynard", []) == 0
    assert found() == []
    assert animals.set_synonyms("reynard", ["quick fox", "brown fox"]) == 2
    assert found() == ["fox"]
    with pytest.raises(InvalidArgumentError):
        animals.set_synonyms("reynard", [""])


def test_deleting_updating_and_clearing(animals: pgbraid.Client) -> None:
    assert animals.update_metadata("fox", {"legs": 3}) is True
    assert animals.search("fox")[0].metadata == {"legs": 3, "tags": ["a", "b"]}
    assert animals.update_metadata("fox", {"tail": True}, replace=True) is True
    assert animals.search("fox")[0].metadata == {"tail": True}
    assert animals.update_metadata("nobody", {}) is False
    assert animals.delete_document("fox") is True
    assert animals.delete_document("fox") is False
    animals.add_documents([FOX])
    assert animals.delete_documents([FOX["external_id"], "nobody"]) == 1
    assert animals.clear_collection() == 1
    assert len(animals.search("hen")) == 0


def test_collections_are_created_and_dropped(client: pgbraid.Client) -> None:
    client.create_collection("small", text_config="simple", dimensions=3, embedding_model="mine", chunk_tokens=100)
    client.add_documents([{**HEN, "embedding": [1, 0, 0]}], collection="small")
    assert len(client.search("hen", collection="small", embedding=[1, 0, 0])) == 1
    assert client.status("small")["collections"][0]["dimensions"] == 3
    assert client.drop_collection("small") is True
    assert client.drop_collection("small") is False


def test_maintenance_answers(animals: pgbraid.Client) -> None:
    assert animals.maintain(time_budget=1)["complete"] is True
    found = animals.health(older_than=3600)
    assert {"fsync_off"} <= {row["code"] for row in found} and set(found[0]) >= {"severity", "command"}
    with pytest.raises(InvalidArgumentError, match="older_than is"):
        animals.health(older_than=-1)


def test_a_broken_embedder_degrades_a_hybrid_search(animals: pgbraid.Client, dsn: str) -> None:
    with pgbraid.connect(dsn, embedder=BrokenEmbedder()) as client:
        results = client.search("fox")
        assert [row.external_id for row in results] == ["fox"]
        assert results[0].semantic_rank is None
        warning = next(w for w in results.warnings if w["code"] == "embedding_unavailable")
        assert "the service is down" in warning["message"]
        assert "warning" in str(results)
        with pytest.raises(EmbeddingServiceError):
            client.search("fox", mode="semantic")
        assert client.search("fox", mode="full_text").warnings == []


def test_a_broken_embedder_gives_the_chunks_back(client: pgbraid.Client, dsn: str) -> None:
    client.add_documents([FOX])
    with pgbraid.connect(dsn, embedder=BrokenEmbedder()) as broken, pytest.raises(EmbeddingServiceError):
        broken.embed_pending()
    assert client.status("default")["collections"][0]["pending_embeddings"] == 1


def test_without_an_embedder_for_the_collections_model(client: pgbraid.Client, dsn: str) -> None:
    client.create_collection("other", embedding_model="text-embedding-3-small", dimensions=1536)
    client.add_documents([FOX], collection="other")
    with pgbraid.connect(dsn) as bare:
        results = bare.search("fox", collection="other")
        assert len(results) == 1
        assert results.warnings[0]["code"] == "embedding_unavailable"
        with pytest.raises(MissingExtraError) as caught:
            bare.search("fox", mode="semantic", collection="other")
        assert "embedder" in (caught.value.hint or "")
        with pytest.raises(MissingExtraError):
            bare.embed_pending("other")


def test_an_embedder_of_other_dimensions(client: pgbraid.Client, dsn: str) -> None:
    client.add_documents([FOX])
    with pgbraid.connect(dsn, embedder=NarrowEmbedder()) as narrow:
        for call in (lambda: narrow.search("fox", mode="semantic"), lambda: narrow.embed_pending()):
            with pytest.raises(DimensionMismatchError) as caught:
                call()
            assert "3 dimensions" in caught.value.message
            assert "384" in caught.value.message


def document(**values: Any) -> Callable[[pgbraid.Client], object]:
    return lambda client: client.add_documents([{"external_id": "bad one", "content": "x", **values}])


def searching(*arguments: Any, **values: Any) -> Callable[[pgbraid.Client], object]:
    return lambda client: client.search(*arguments, **values)


NAN = float("nan")
BAD_INPUT: dict[str, tuple[Callable[[pgbraid.Client], object], type[PgbraidError], str]] = {
    "unknown key": (document(conten="y"), InvalidArgumentError, "'conten'"),
    "no external_id": (document(external_id=None), InvalidArgumentError, "external_id"),
    "empty external_id": (document(external_id=""), InvalidArgumentError, "external_id"),
    "long external_id": (document(external_id="x" * 10_000), InvalidArgumentError, "external_id"),
    "not a dict": (
        lambda client: client.add_documents(["text"]),  # type: ignore[list-item]
        InvalidArgumentError,
        "document 1",
    ),
    "NUL": (document(content="a\0b"), InvalidArgumentError, "bad one"),
    "lone surrogate": (document(content="a\ud800b"), InvalidArgumentError, "bad one"),
    "importance": (document(importance="high"), InvalidArgumentError, "importance"),
    "NaN importance": (document(importance=NAN), InvalidArgumentError, "bad one"),
    "time": (document(occurred_at="yesterday-ish"), InvalidArgumentError, "occurred_at"),
    "metadata": (document(metadata=[1]), InvalidArgumentError, "metadata"),
    "unserialisable": (document(metadata={"x": object()}), InvalidArgumentError, "bad one"),
    "short vector": (document(embedding=[1.0, 2.0]), InvalidArgumentError, "dimensions"),
    "NaN vector": (document(embedding=[NAN] * 384), InvalidArgumentError, "NaN"),
    "zero vector": (document(embedding=[0.0] * 384), InvalidArgumentError, "zero"),
    "empty vector": (document(embedding=[]), InvalidArgumentError, "empty"),
    "no vector": (document(embedding=True), InvalidArgumentError, "vector"),
    "matrix": (document(embedding=np.eye(3)), InvalidArgumentError, "vector"),
    "chunk key": (document(content=None, chunks=[{"text": "x"}]), InvalidArgumentError, "'text'"),
    "document collection": (
        lambda client: client.add_documents([HEN], collection="nowhere"),
        NotFoundError,
        "nowhere",
    ),
    "query NUL": (searching("a\0b", mode="full_text"), InvalidArgumentError, "NUL"),
    "query surrogate": (searching("a\ud800b", mode="full_text"), InvalidArgumentError, "Unicode"),
    "empty query": (searching(""), InvalidArgumentError, "query"),
    "no query": (searching(), InvalidArgumentError, "query"),
    "empty semantic query": (searching("", mode="semantic"), InvalidArgumentError, "query"),
    "mode": (searching("x", mode="vector"), InvalidArgumentError, "'vector'"),
    "match": (searching("x", match="most"), InvalidArgumentError, "most"),
    "match_count 0": (searching("x", match_count=0), InvalidArgumentError, "0"),
    "match_count negative": (searching("x", match_count=-1), InvalidArgumentError, "-1"),
    "match_count huge": (searching("x", match_count=10**12), InvalidArgumentError, "match_count is 1000000000000"),
    "negative weight": (searching("x", full_text_weight=-1), InvalidArgumentError, "full_text_weight"),
    "NaN weight": (searching("x", semantic_weight=NAN), InvalidArgumentError, "semantic_weight"),
    "zero weights": (searching("x", full_text_weight=0, semantic_weight=0), InvalidArgumentError, "weight"),
    "filters string": (searching("x", filters='{"a": 1}'), InvalidArgumentError, "filters"),
    "filters operator": (searching("x", filters={"a": {"$like": 1}}), InvalidArgumentError, "$like"),
    "filters NaN": (searching("x", filters={"a": NAN}), InvalidArgumentError, "filters"),
    "options": (searching("x", options={"speed": 1}), InvalidArgumentError, "speed"),
    "fusion": (searching("x", fusion="best"), PgbraidError, "best"),
    "collection": (searching("x", collection="nowhere"), NotFoundError, "nowhere"),
    "query vector short": (searching(embedding=[1, 2]), DimensionMismatchError, "2 dimensions"),
    "query vector NaN": (searching(embedding=[NAN] * 384), InvalidArgumentError, "NaN"),
    "query vector text": (searching(embedding="abc"), InvalidArgumentError, "vector"),
    "batch size": (lambda client: client.embed_pending(batch_size=0), InvalidArgumentError, "0"),
    "text configuration": (
        lambda client: client.create_collection("bad", text_config="klingon"),
        PgbraidError,
        "klingon",
    ),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_a_typed_error_with_a_hint(client: pgbraid.Client, name: str) -> None:
    call, kind, part = BAD_INPUT[name]
    with pytest.raises(kind) as caught:
        call(client)
    assert part in caught.value.message
    assert caught.value.hint or "NUL" in caught.value.message
    # Nothing was written, and the connection still works.
    assert client.status("default")["collections"][0]["documents"] == 0


@pytest.mark.parametrize("query", [3, b"fox", {"fox": 1}, float("nan"), [3]])
def test_what_is_no_query_is_refused(animals: pgbraid.Client, query: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="query is ") as caught:
        animals.search(query)
    assert "give a text" in str(caught.value.hint)


@pytest.mark.parametrize(("text", "hint"), [("a\0b", "remove it"), ("a\ud800b", "remove lone surrogates")])
def test_texts_that_cannot_be_stored_say_why(animals: pgbraid.Client, text: str, hint: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: animals.search(text),
        lambda: animals.search("fox", filters={"tags": text}),
        lambda: animals.search(["fox", text]),
        lambda: animals.recall("fox", text),
        lambda: animals.get_document(text),
        lambda: animals.facets([text]),
    ]
    for call in calls:
        with pytest.raises(InvalidArgumentError) as caught:
            call()
        assert hint in str(caught.value.hint)
    # The value is the escape of a NUL, not a NUL.
    assert len(animals.search("fox", filters={"tags": "\\u0000"})) == 0


@pytest.mark.parametrize(
    "query",
    ["'; drop table x; --", '"unmatched', "the who", "%s %(x)s", "🙂", "検索", "a" * 1_000_000, "x " * 20_000, "-fox"],
    ids=lambda query: query[:10],
)
def test_odd_queries_are_searched(animals: pgbraid.Client, query: str) -> None:
    assert len(animals.search(query)) <= 2


def test_what_another_isolation_level_rules_out_says_so(animals: pgbraid.Client) -> None:
    with animals.connection.transaction():
        animals.connection.execute("set transaction isolation level repeatable read")
        with pytest.raises(NotSupportedError) as caught:
            animals.maintain()
    assert caught.value.sqlstate == "0A000"


def test_the_last_of_several_documents_with_one_id_wins(client: pgbraid.Client) -> None:
    summary = client.add_documents([{"external_id": "a", "content": "first"}, {"external_id": "a", "content": "last"}])
    assert (summary.documents, summary.inserted, summary.superseded) == (2, 1, 1)
    assert [result.content for result in client.search("first last", mode="full_text")] == ["last"]


def test_profiles(animals: pgbraid.Client, dsn: str) -> None:
    """Profiles are stored, learned, listed, used by searches and deleted."""
    place = [0.0] * 383 + [1.0]
    animals.set_profile("ana", place, {"speaker": {"Ana": 0.5}})
    stored = animals.get_profile("ana")
    assert stored is not None and stored.embedding == place
    assert (stored.profile, stored.dimensions, stored.attributes) == ("ana", 384, {"speaker": {"Ana": 0.5}})
    learned = animals.learn_profile("ben", ["fox", "nobody"], keys=["speaker"])
    assert (learned.liked, learned.disliked, learned.not_found) == (1, 0, ["nobody"])
    listed = animals.list_profiles()
    assert (listed[0].profile, listed[0].embedding_model is None) == ("ana", False)
    assert [row.profile for row in animals.list_profiles(match_count=1, after="ana")] == ["ben"]
    found = animals.search("fox", mode="full_text", options={"profile": {"name": "ana", "embedding": np.array(place)}})
    assert found.stats["profile"]["name"] == "ana"
    assert {boost["signal"] for row in found for boost in row.boosts or []} == {
        "exact_name",
        "profile",
        "profile.speaker",
    }
    with pgbraid.connect(dsn, tenant="other") as other:
        other.create_tenant("other")
        assert other.get_profile("ana") is None
        with pytest.raises(NotFoundError, match="ana"):
            other.search("fox", mode="full_text", options={"profile": "ana"})
    assert [animals.delete_profile("ana") for _ in range(2)] == [True, False]
    with pytest.raises(InvalidArgumentError, match="weight"):
        animals.set_profile("ana", attributes={"speaker": {"Ana": 7}})
    with pytest.raises(pgbraid.PgbraidError, match="dimensions"):
        animals.set_profile("ana", [1.0])
