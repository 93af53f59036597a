"""Documents of upsert_embedded_documents refer to their vectors by position."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, semantic, upsert, vector

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
X, Y, Z = ([float(place == axis) for place in range(384)] for axis in range(3))
CALL = "select external_id, status from braid.upsert_embedded_documents(%s, %s::text[]::vector[])"


def upsert_embedded(db: Connection, documents: list[dict[str, Any]], *embeddings: list[float]) -> dict[str, str]:
    return dict(db.execute(CALL, (Jsonb(documents), list(map(vector, embeddings)))).fetchall())


def filled(first: int, second: int, third: int) -> list[dict[str, Any]]:
    return [
        {"external_id": "a", "content": "amber river", "embedding": first},
        {"external_id": "b", "content": "basket"},
        {
            "external_id": "c",
            "chunks": [
                {"content": "candle one", "embedding": second},
                {"content": "candle two", "embedding": None},
                {"content": "candle three", "embedding": third},
            ],
        },
    ]


def nearest(db: Connection) -> list[tuple[str, int]]:
    return [semantic(db, axis)[0][:2] for axis in (X, Y, Z)]


def test_documents_and_chunks_get_the_vectors_that_they_name(db: Connection) -> None:
    assert upsert_embedded(db, filled(2, 3, 1), Z, X, Y) == dict.fromkeys("abc", "inserted")
    assert nearest(db) == [("a", 0), ("c", 0), ("c", 2)]
    assert one(db, "select count(*) from braid_store.embedding_jobs") == 2


def test_a_document_is_unchanged_wherever_its_vector_stands(db: Connection) -> None:
    upsert_embedded(db, filled(1, 2, 3), X, Y, Z)
    assert upsert_embedded(db, filled(3, 2, 1), Z, Y, X) == dict.fromkeys("abc", "unchanged")
    assert upsert_embedded(db, filled(1, 3, 2), X, Y, Z) == {"a": "unchanged", "b": "unchanged", "c": "replaced"}
    assert nearest(db) == [("a", 0), ("c", 2), ("c", 0)]
    assert upsert_embedded(db, filled(1, 2, 3)[:1], Y) == {"a": "replaced"}


def test_the_vector_of_an_earlier_document_of_the_same_id_is_left_out(db: Connection) -> None:
    documents = [{"external_id": "a", "content": "a", "embedding": place} for place in (1, 2)]
    upsert_embedded(db, documents, X, Y)
    assert one(db, "select count(*) from braid_store.chunk_vectors") == 1
    assert semantic(db, Y)[0][2] == pytest.approx(1)


@pytest.mark.parametrize(
    ("embedding", "message"),
    [
        (0, 'embedding of document "a" is 0, but embeddings has 2 elements'),
        (3, 'embedding of document "a" is 3, but embeddings has 2 elements'),
        (1.5, 'embedding of document "a" is 1.5, but embeddings has 2 elements'),
        (1e300, "embeddings has 2 elements"),
        ("[1,0,0]", 'embedding of document "a" is a JSON string'),
        ([1, 0, 0], 'embedding of document "a" is a JSON array'),
    ],
)
@pytest.mark.parametrize("is_chunk", [False, True])
def test_what_is_no_place_is_refused(db: Connection, embedding: Any, message: str, is_chunk: bool) -> None:
    part = {"content": "x", "embedding": embedding}
    document = {"external_id": "a", "chunks": [{"content": "y"}, part]} if is_chunk else {"external_id": "a", **part}
    if is_chunk:
        message = message.replace('document "a" is a', 'document "a" chunk 2 is a')
    with pytest.raises(psycopg.Error) as caught:
        upsert_embedded(db, [document], X, Y)
    assert caught.value.sqlstate == "22023"
    assert message in str(caught.value)
    assert caught.value.diag.message_hint
    assert one(db, "select count(*) from braid_store.documents") == 0


def test_a_vector_that_cannot_be_stored_is_refused(db: Connection) -> None:
    document = {"external_id": "a", "content": "x", "embedding": 1}
    for wrong in ("array[null]::vector[]", "array['[1,2]']::vector[]", "null", "'{}'"):
        with pytest.raises(psycopg.Error) as caught:
            db.execute(f"select braid.upsert_embedded_documents(%s, {wrong})".encode(), (Jsonb([document]),))
        assert caught.value.sqlstate == "22023"
    assert upsert(db, [{"external_id": "a", "content": "x"}]) == {"a": "inserted"}


def test_null_in_place_of_a_vector_is_refused_even_where_none_was_before(db: Connection) -> None:
    call = "select status from braid.upsert_embedded_documents(%s, array[null, %s]::vector[])"
    for place, status in ((None, "inserted"), (1, None), (None, "unchanged")):
        documents = Jsonb([{"external_id": "a", "chunks": [{"content": "x", "embedding": place}]}])
        if status is not None:
            assert db.execute(call, (documents, vector(X))).fetchall() == [(status,)]
            continue
        with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
            db.execute(call, (documents, vector(X)))
        assert str(caught.value).startswith('embedding of document "a" is 1, but element 1 of embeddings is null')
        assert caught.value.diag.message_hint


@pytest.mark.parametrize(
    ("embeddings", "message"),
    [
        ('[0:1]={"[1,1]","[2,2]"}', "embeddings begins at 0"),
        ('[2:3]={"[1,1]","[2,2]"}', "embeddings begins at 2"),
        ('{{"[1,1]"},{"[2,2]"}}', "embeddings has 2 dimensions"),
    ],
)
def test_an_array_that_does_not_count_from_one_is_refused(db: Connection, embeddings: str, message: str) -> None:
    db.execute("select braid.create_collection('two', dimensions => 2, embedding_model => 'm')")
    document = {"external_id": "a", "content": "x", "embedding": 1}
    with pytest.raises(psycopg.Error) as caught:
        db.execute(
            "select braid.upsert_embedded_documents(%s, %s::text::vector[], 'two')", (Jsonb([document]), embeddings)
        )
    assert caught.value.sqlstate == "22023"
    assert caught.value.diag.message_primary == message
    assert caught.value.diag.message_hint


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ({"content": "x", "embedding": 1}, 'document "b"'),
        ({"chunks": [{"content": "x"}, {"content": "y", "embedding": 1}]}, 'document "b" chunk 2'),
    ],
)
@pytest.mark.parametrize(
    ("wrong", "message"), [([1.0, 2.0], "has 2 dimensions, collection"), ([0.0] * 384, "is a zero vector")]
)
def test_the_document_of_a_wrong_vector_is_named(
    db: Connection, part: dict[str, Any], name: str, wrong: list[float], message: str
) -> None:
    documents = [{"external_id": "a", "content": "a", "embedding": 2}, {"external_id": "b", **part}]
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        upsert_embedded(db, documents, wrong, X)
    assert (caught.value.diag.message_primary or "").startswith(f"embedding of {name} {message}")


def test_a_place_may_be_written_with_a_point(db: Connection) -> None:
    call = "select status from braid.upsert_embedded_documents(%s::jsonb, %s::text[]::vector[])"
    documents = """[{"external_id": "a", "content": "x", "embedding": %s},
                    {"external_id": "b", "chunks": [{"content": "y", "embedding": %s}]}]"""
    for places, status in ((("1.0", "2.00"), "inserted"), (("1", "2"), "unchanged")):
        found = db.execute(call, (documents % places, [vector(X), vector(Y)])).fetchall()
        assert found == [(status,), (status,)]
    assert semantic(db, Y)[0][0] == "b"


def test_a_document_of_no_chunks_is_unchanged_with_vectors_and_without(db: Connection) -> None:
    document = {"external_id": "a", "title": "empty", "chunks": []}
    assert upsert(db, [document]) == {"a": "inserted"}
    assert upsert_embedded(db, [document]) == {"a": "unchanged"}
