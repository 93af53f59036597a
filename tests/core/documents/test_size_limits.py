"""Writing accepts a batch at each limit, and refuses one just past it before any work. The error names the limit."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import full_text, named, upsert, vector

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
UNIT = [1.0] + [0.0] * 383


def too_much(db: Connection, document: dict[str, Any], message: str) -> None:
    """Check that a document is refused at once, and that nothing of its batch is stored."""
    pages = db.execute("select pg_relation_size('braid_store.chunks')").fetchone()
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match=message) as caught:
        upsert(db, [{"external_id": "other", "content": "seats"}, document])
    assert caught.value.diag.message_hint
    assert len(caught.value.diag.message_primary or "") < 300
    assert db.execute("select pg_relation_size('braid_store.chunks')").fetchone() == pages
    assert db.execute("select count(*) from braid_store.documents").fetchone() == (0,)


@pytest.mark.parametrize(
    ("key", "most"), [("title", 4096), ("source_uri", 8192), ("speaker", 1024), ("category", 1024), ("language", 1024)]
)
def test_the_fields_of_a_document(db: Connection, key: str, most: int) -> None:
    too_much(
        db, {"external_id": "a", "content": "x", key: "é" * (most // 2) + "x"}, f'{key} of document "a" has {most + 1}'
    )
    upsert(db, [{"external_id": "a", "content": "leeds", key: "é" * (most // 2)}])
    assert [hit[0] for hit in full_text(db, "leeds")] == ["a"]


def test_a_title_of_many_words(db: Connection) -> None:
    """The error for a title of 32768 words names the title; it once was PostgreSQL's own "smallint out of range"."""
    too_much(db, {"external_id": "a", "title": "x " * 32_768}, "title of document")
    upsert(db, [{"external_id": "a", "title": "x " * 2_048, "content": "leeds"}])
    assert [hit[0] for hit in full_text(db, "x leeds", match="all")] == ["a"]


@pytest.mark.parametrize("key", ["speaker", "category", "language"])
def test_the_fields_of_a_chunk(db: Connection, key: str) -> None:
    chunk = {"content": "leeds", key: "x" * 1024}
    too_much(
        db,
        {"external_id": "a", "chunks": [{"content": "y"}, {**chunk, key: "x" * 1025}]},
        f'{key} of document "a" chunk 2 has 1025 bytes, more than 1024',
    )
    upsert(db, [{"external_id": "a", "chunks": [chunk]}])
    assert [hit[0] for hit in full_text(db, "leeds")] == ["a"]


def test_the_content_of_a_document(db: Connection) -> None:
    line = " " * 999 + "\n"
    too_much(
        db,
        {"external_id": "a", "content": line * 10_000 + "x"},
        "content of document .* 10000001 bytes, more than 10000000",
    )
    upsert(db, [{"external_id": "a", "content": (line * 10_000)[:-5] + "leeds"}])
    assert [hit[0] for hit in full_text(db, "leeds")] == ["a"]


@pytest.mark.parametrize("given", ["chunk", "document"])
def test_the_content_of_one_chunk(db: Connection, given: str) -> None:
    """A document that brings its embedding is one chunk, whose content has a limit."""

    def document(content: str) -> dict[str, Any]:
        chunk = {"content": content, "embedding": UNIT}
        return {"external_id": "a", **chunk} if given == "document" else {"external_id": "a", "chunks": [chunk]}

    too_much(db, document(" " * 1_000_000 + "x"), "1000001 bytes, more than 1000000")
    too_much(db, document("word " * 32_701), "32701 words, more than 32700")
    too_much(db, document("字" * 32_701), "32701 words, more than 32700")
    upsert(db, [document(" " * 999_995 + "leeds")])
    upsert(db, [document("word " * 32_699 + "leeds")])
    assert [hit[0] for hit in full_text(db, "leeds")] == ["a"]


def test_chunks(db: Connection) -> None:
    too_much(
        db,
        {"external_id": "a", "chunks": [{"content": ""}] * 100_001},
        "chunks of .* has 100001 elements, more than 100000",
    )


def metadata(size: int) -> dict[str, str]:
    """Return an object that takes about `size` bytes as jsonb."""
    return {"key": "x" * (size - 15)}


def test_metadata(db: Connection) -> None:
    too_much(
        db, {"external_id": "a", "metadata": metadata(1_000_010)}, r"metadata of document .* bytes, more than 1000000"
    )
    upsert(db, [{"external_id": "a", "content": "leeds", "metadata": metadata(999_990)}])
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match=r"metadata has \d+ bytes, more than 1000000"):
        db.execute("select braid.update_metadata('a', %s)", (Jsonb(metadata(1_000_010)),))
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match='metadata of document "a" would have'):
        db.execute("select braid.update_metadata('a', %s)", (Jsonb({"other": "x" * 100}),))
    db.execute("select braid.update_metadata('a', %s)", (Jsonb(metadata(999_990)),))


def test_metadata_counts_once_for_each_chunk(db: Connection) -> None:
    """Metadata counts as it is stored, once per chunk: a megabyte in each of 40000 chunks would be 40 GB."""
    too_much(
        db,
        {"external_id": "a", "content": "word " * 60_000, "metadata": metadata(999_990)},
        r'metadata, once for each chunk, of document "a" has [2-5]\d{8} bytes, more than 200000000',
    )
    speakers = ["Ana, who speaks first", "Ben, who always answers"]
    for short in (
        {"turns": [{"speaker": speakers[n % 2], "text": "x"} for n in range(300)]},
        {"content": "word " * 3_000},
    ):
        document = {"external_id": "a", "chunk_tokens": 16, **short}
        too_much(
            db,
            document | {"metadata": metadata(999_990)},
            r'metadata, once for each chunk, of document "a" has [2-9]\d{8} bytes, more than 200000000',
        )
        upsert(db, [document])
        with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="metadata, once for each chunk"):
            upsert(db, [document | {"metadata": metadata(999_990)}])
        db.execute("select braid.delete_document('a')")
    too_much(
        db,
        {"external_id": "a", "chunks": [{"content": "x"}] * 1_001, "metadata": metadata(200_000)},
        "metadata, once for each chunk",
    )
    upsert(db, [{"external_id": "a", "chunks": [{"content": "x"}] * 300}])
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match=r"in its chunks 240\d+"):
        db.execute("select braid.update_metadata('a', %s)", (Jsonb(metadata(800_000)),))


def test_a_batch(db: Connection) -> None:
    batch = [{"external_id": str(number)} for number in range(10_001)]
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="documents has 10001 elements, more than 10000"):
        upsert(db, batch)
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match=r"documents takes .* bytes, more than 64000000"):
        upsert(db, [{"external_id": str(number), "content": "x" * 9_000_000} for number in range(8)])
    assert len(upsert(db, batch[:-1])) == 10_000


def test_lists_of_ids(db: Connection) -> None:
    ids = list(range(10_001))
    vectors = [vector([1.0])] * 10_001
    for function, arguments in (
        ("store_embeddings", {"chunk_ids": ids, "embeddings": vectors}),
        ("fail_embedding_jobs", {"chunk_ids": ids, "error": "x"}),
        ("retry_embedding_jobs", {"chunk_ids": ids}),
        ("drop_embedding_jobs", {"chunk_ids": ids}),
    ):
        call = f"select braid.{function}({named(arguments).replace('%(embeddings)s', '%(embeddings)s::vector[]')})"
        with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="chunk_ids has 10001 elements, more than 10000"):
            db.execute(call, arguments)
    assert db.execute("select braid.fail_embedding_jobs(%s, 'x')", (ids[:-1],)).fetchone() == (0,)
    names = [str(number) for number in range(100_001)]
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="external_ids has 100001 elements, more than 100000"):
        db.execute("select braid.delete_documents(%s)", (names,))
    assert db.execute("select braid.delete_documents(%s)", (names[:-1],)).fetchone() == (0,)


def test_synonyms(db: Connection) -> None:
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="1025 bytes, more than 1024"):
        db.execute("select braid.set_synonyms('car', %s)", (["x" * 1025],))
    db.execute("select braid.set_synonyms('car', %s)", (["x" * 1024],))
