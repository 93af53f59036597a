"""A chunk whose text is unchanged keeps its vector when its document is replaced."""

from __future__ import annotations

import random
import threading
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, semantic, set_tenant, upsert, vector
from support.nearest import maintain, serving_shard, set_threshold
from support.waiting import until

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]
OLD, NEW = "old-model", "new-model"
DIMENSIONS = {OLD: 4, NEW: 6}
QUERY = {model: [1.0, -2.0, 0.5, 1.5, -0.25, 1.0][:count] for model, count in DIMENSIONS.items()}


def embed(text: str, model: str = OLD) -> list[float]:
    """Return a vector of the model that depends on the text alone, and that halfvec stores exactly."""
    rng = random.Random(f"{model}/{text}")
    return [rng.randrange(-64, 64) + 0.5 for _ in range(DIMENSIONS[model])]


def work(db: Connection, model: str = OLD, collection: str = "c") -> list[str]:
    """Embed all waiting texts, and return them in order."""
    jobs = db.execute(
        "select chunk_id, input from braid.claim_embedding_jobs(10000, collection => %s, embedding_model => %s)",
        (collection, model),
    ).fetchall()
    db.execute(
        "select braid.store_embeddings(%s, %s::text[]::vector[], %s, %s)",
        ([job[0] for job in jobs], [vector(embed(job[1], model)) for job in jobs], collection, model),
    )
    return sorted(job[1] for job in jobs)


def check(db: Connection, model: str = OLD, fields: tuple[str, ...] = ("title", "speaker", "content")) -> None:
    """Check that a search finds every chunk, each with the vector of its text."""
    rows = db.execute(
        "select external_id, chunk_index, score, title, speaker, content"
        " from braid.semantic_search(%s::vector, 10000, collection => 'c')",
        (vector(QUERY[model]),),
    ).fetchall()
    assert len(rows) == one(db, "select (braid.status('c') #>> '{collections,0,chunks}')::int")
    for row in rows:
        texts = dict(zip(("title", "speaker", "content"), row[3:], strict=True))
        numbers = embed("\n".join(texts[field] for field in fields if texts[field] is not None), model)
        distance = sum((a - b) ** 2 for a, b in zip(numbers, QUERY[model], strict=True)) ** 0.5
        assert row[2] == pytest.approx(1 / (1 + distance), rel=1e-5), row


@pytest.fixture(params=["vector", "halfvec"])
def storage(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def c(db: Connection) -> Connection:
    create(db)
    return db


def create(db: Connection, **settings: Any) -> None:
    db.execute(
        "select braid.create_collection('c', dimensions => 4, distance => 'l2', embedding_model => %s,"
        " chunk_tokens => 40, settings => %s)",
        (OLD, Jsonb(settings)),
    )


def put(db: Connection, texts: list[str], external_id: str = "d", **fields: Any) -> str:
    chunks = [{"content": text} for text in texts]
    return upsert(db, [{"external_id": external_id, "chunks": chunks, **fields}], "c")[external_id]


def prose(*numbers: int) -> str:
    return " ".join(f"Sentence number {n} tells of the {n}th of many small matters that came up." for n in numbers)


@pytest.mark.any_version
def test_a_sentence_appended(c: Connection) -> None:
    upsert(c, [{"external_id": "d", "content": prose(*range(40)), "title": "Matters"}], "c")
    first = work(c)
    assert len(first) >= 16
    upsert(c, [{"external_id": "d", "content": prose(*range(41)), "title": "Matters"}], "c")
    second = work(c)
    assert 1 <= len(second) <= 2
    assert any("number 40" in text for text in second)
    check(c)


@pytest.mark.any_version
@pytest.mark.parametrize(
    ("after", "embedded"),
    [
        (["a", "b", "c", "new"], ["new"]),
        (["a", "new", "b", "c"], ["new"]),
        (["new", "a", "b", "c"], ["new"]),
        (["c", "a", "b"], []),
        (["b"], []),
        (["a", "a", "c", "c", "c", "new", "new"], ["new", "new"]),
        (["A", "b ", "c"], ["A", "b "]),
    ],
)
def test_only_new_texts_are_embedded(c: Connection, after: list[str], embedded: list[str]) -> None:
    put(c, ["a", "b", "c"])
    assert work(c) == ["a", "b", "c"]
    assert put(c, after) == "replaced"
    assert work(c) == embedded
    check(c)
    # The first texts come back.
    put(c, ["a", "b", "c"])
    assert work(c) == sorted({"a", "b", "c"} - set(after))
    check(c)


@pytest.mark.any_version
def test_equal_texts_of_which_some_are_embedded(c: Connection) -> None:
    put(c, ["a", "a", "b"])
    first, *_ = c.execute("select chunk_id from braid.claim_embedding_jobs(1, collection => 'c')").fetchall()
    c.execute("select braid.store_embeddings(%s, %s::text[]::vector[], 'c')", ([first[0]], [vector(embed("a"))]))
    put(c, ["b", "a", "a", "a"])
    assert work(c) == ["b"]
    check(c)


@pytest.mark.any_version
def test_attributes_are_not_embedded(c: Connection) -> None:
    put(c, ["a", "b"])
    work(c)
    for fields in (
        {"metadata": {"k": 1}},
        {"category": "x", "importance": 2, "occurred_at": "2026-01-01"},
        {"language": "german"},
        {"source_uri": "https://example.org"},
    ):
        assert put(c, ["a", "b"], **fields) == "replaced"
        assert work(c) == []
        check(c)


@pytest.mark.any_version
def test_title_and_speaker_are_embedded(c: Connection) -> None:
    put(c, ["a", "b"])
    work(c)
    put(c, ["a", "b"], title="T")
    assert work(c) == ["T\na", "T\nb"]
    check(c)
    put(c, ["a", "b"], title="U")
    assert work(c) == ["U\na", "U\nb"]
    check(c)
    chunks = [{"content": "a", "speaker": "Ana"}, {"content": "b"}]
    upsert(c, [{"external_id": "d", "title": "U", "chunks": chunks}], "c")
    assert work(c) == ["U\nAna\na"]
    check(c)


@pytest.mark.any_version
def test_title_and_speaker_that_are_not_embedded(db: Connection) -> None:
    create(db, embed_fields=["content"])
    put(db, ["a", "b"])
    work(db)
    put(db, ["a", "b", "c"], title="T", speaker="Ana")
    assert work(db) == ["c"]
    check(db, fields=("content",))


@pytest.mark.any_version
def test_of_a_long_title_the_model_reads_the_beginning(c: Connection) -> None:
    put(c, ["a"], title="t" * 80 + "one")
    assert work(c) == ["t" * 80 + "\na"]
    put(c, ["a"], title="t" * 80 + "two")
    assert work(c) == []


@pytest.mark.any_version
def test_each_document_keeps_its_own(c: Connection) -> None:
    """Each document keeps its own vector, because a vector given with a document may say more than the text."""
    for external_id in ("d", "e"):
        put(c, [external_id, "text"], external_id)
    work(c)
    upsert(c, [{"external_id": i, "chunks": [{"content": "e"}, {"content": "d"}]} for i in ("d", "e")], "c")
    assert work(c) == ["d", "e"]
    check(c)


@pytest.mark.any_version
def test_a_vector_that_comes_along_is_stored(c: Connection) -> None:
    put(c, ["a", "b"])
    work(c)
    chunks = [{"content": "a", "embedding": 1}, {"content": "b"}, {"content": "c"}]
    c.execute(
        "select * from braid.upsert_embedded_documents(%s, %s::text[]::vector[], 'c')",
        (Jsonb([{"external_id": "d", "chunks": chunks}]), [vector([9, 9, 9, 9])]),
    )
    assert work(c) == ["c"]
    assert semantic(c, [9, 9, 9, 9], collection="c")[0] == ("d", 0, 1.0)
    # The vector stays when the text comes again without a vector.
    put(c, ["new", "a"])
    assert work(c) == ["new"]
    assert semantic(c, [9, 9, 9, 9], collection="c")[0] == ("d", 1, 1.0)


@pytest.mark.any_version
def test_what_was_not_embedded_still_waits(c: Connection) -> None:
    put(c, ["a", "b"])
    put(c, ["b", "c"])
    assert work(c) == ["b", "c"]
    check(c)


@pytest.mark.any_version
def test_another_tenants_document_of_the_same_id(c: Connection) -> None:
    put(c, ["a"])
    work(c)
    c.execute("select braid.create_tenant('other')")
    set_tenant(c, "other")
    put(c, ["b"])
    work(c)
    put(c, ["a", "b"])
    assert work(c) == ["a"]
    check(c)


def test_vectors_of_a_shard(db: Connection, storage: str) -> None:
    create(db, vector_storage=storage)
    set_threshold(db, 200, 4)
    # Each of 10 documents has 60 equal texts. Their vectors are equal, and one of them represents all.
    texts = {f"d{n}": [f"text {n} {m}" for m in range(30)] + ["the same"] * 60 for n in range(10)}
    for name, chunks in texts.items():
        put(db, chunks, name)
    work(db)
    maintain(db)
    assert serving_shard(db, "c") is not None
    for name, chunks in texts.items():
        put(db, [*chunks[5:], "one more"], name)
    assert work(db) == ["one more"] * 10
    check(db)
    maintain(db)
    check(db)
    put(db, texts["d0"], "d0")
    assert len(work(db)) == 5
    maintain(db)
    check(db)
    # No vector of a deleted document is left.
    db.execute("select braid.delete_documents(%s, 'c')", (list(texts),))
    assert semantic(db, QUERY[OLD], collection="c") == []


def test_a_worker_stores_while_the_document_is_replaced(c: Connection, dsn: str) -> None:
    put(c, ["a", "b"])
    with psycopg.connect(dsn) as worker, psycopg.connect(dsn, autocommit=True) as writer:
        jobs = worker.execute("select chunk_id, input from braid.claim_embedding_jobs(collection => 'c')").fetchall()
        worker.commit()
        worker.execute(
            "select braid.store_embeddings(%s, %s::text[]::vector[], 'c')",
            ([job[0] for job in jobs], [vector(embed(job[1])) for job in jobs]),
        )
        thread = threading.Thread(target=put, args=(writer, ["b", "new", "a"]))
        thread.start()
        wait_for_lock(c, writer)
        worker.commit()
        thread.join()
    # The writer waits for the worker, and then sees its vector.
    assert work(c) == ["new"]
    check(c)


def test_a_worker_comes_too_late(c: Connection, dsn: str) -> None:
    put(c, ["a", "b"])
    jobs = c.execute("select chunk_id, input from braid.claim_embedding_jobs(collection => 'c')").fetchall()
    with psycopg.connect(dsn) as writer, psycopg.connect(dsn, autocommit=True) as worker:
        put(writer, ["b", "new"])
        stored: list[int] = []
        thread = threading.Thread(
            target=lambda: stored.append(
                one(
                    worker,
                    "select braid.store_embeddings(%s, %s::text[]::vector[], 'c')",
                    [job[0] for job in jobs],
                    [vector(embed(job[1])) for job in jobs],
                )
            )
        )
        thread.start()
        wait_for_lock(c, worker)
        writer.commit()
        thread.join()
    assert stored == [0]
    assert work(c) == ["b", "new"]
    check(c)


def wait_for_lock(db: Connection, waiting: Connection) -> None:
    until(lambda: one(db, "select cardinality(pg_blocking_pids(%s)) > 0", waiting.info.backend_pid))


def test_a_replacement_that_is_rolled_back(c: Connection, dsn: str) -> None:
    put(c, ["a", "b"])
    work(c)
    with psycopg.connect(dsn) as writer:
        put(writer, ["b", "new"])
        writer.rollback()
    check(c)
    assert work(c) == []


@pytest.mark.any_version
def test_the_storage_was_changed_since(c: Connection) -> None:
    put(c, ["a", "b"])
    work(c)
    c.execute("select braid.set_collection('c', '{\"vector_storage\": \"halfvec\"}')")
    put(c, ["a", "c"])
    assert work(c) == ["c"]
    check(c)
