"""The chunks and documents nearest to a stored one are the nearest by their vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import named, set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
Json = Any
DIMENSIONS = 5


def make_documents(seed: int, count: int) -> list[dict[str, Json]]:
    """Return documents of one to six chunks; every fourth is a cluster of similar chunks."""
    random = np.random.default_rng(seed)
    documents = []
    for number in range(count):
        centre = random.normal(size=DIMENSIONS)
        size = 6 if number % 4 == 0 else 1 + number % 3
        spread = 0.01 if number % 4 == 0 else 0.5
        vectors = [(centre + spread * random.normal(size=DIMENSIONS)) * random.uniform(0.1, 9) for _ in range(size)]
        documents.append(
            {
                "external_id": f"d{number:02}",
                "metadata": {"group": number % 3},
                "chunks": [{"content": f"text {index}", "embedding": list(v)} for index, v in enumerate(vectors)],
            }
        )
    return documents


@pytest.fixture(params=["cosine", "inner_product", "l2"])
def space(request: pytest.FixtureRequest, db: Connection) -> str:
    # Similarity ignores neighbours, whatever the collection's searches do.
    db.execute(
        "select braid.create_collection('s', dimensions => %s, distance => %s, embedding_model => 'test',"
        " ranking => '{\"neighbour_weight\": 0.3}')",
        (DIMENSIONS, request.param),
    )
    return str(request.param)


def similarity(distance: str, query: Any, vector: Any) -> float:
    if distance == "cosine":
        return float(query @ vector / np.linalg.norm(query) / np.linalg.norm(vector))
    return float(query @ vector) if distance == "inner_product" else 1 / (1 + float(np.linalg.norm(query - vector)))


def vectors_of(document: dict[str, Json]) -> list[Any]:
    return [np.array(chunk["embedding"]) for chunk in document["chunks"]]


def call(db: Connection, function: str, **arguments: Any) -> list[tuple[str, int, float]]:
    rows = db.execute(
        "select external_id, chunk_index, score, semantic_score, semantic_normalised_score, semantic_rank,"
        f" full_text_score, full_text_rank from braid.{function}({named(arguments)})",
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()},
    ).fetchall()
    assert [row[5] for row in rows] == list(range(1, len(rows) + 1))
    assert all(row[2:5] == (row[2],) * 3 and row[6:] == (None, None) for row in rows)
    return [row[:3] for row in rows]


def chunk_id(db: Connection, external_id: str, index: int = 0) -> int:
    row = db.execute(
        "select c.id from braid_store.chunks c join braid_store.documents d on d.id = c.document_id"
        " where d.external_id = %s and c.chunk_index = %s",
        (external_id, index),
    ).fetchone()
    assert row
    return int(row[0])


def best(scores: list[float]) -> tuple[int, float]:
    return int(np.argmax(scores)), max(scores)


def assert_same(found: list[tuple[str, int, float]], expected: list[tuple[str, int, float]]) -> None:
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    assert [row[2] for row in found] == pytest.approx([row[2] for row in expected], rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("filters", [None, {"group": 1}, {"$not": {"group": 1}}])
def test_chunks_are_those_nearest_to_the_stored_vector(db: Connection, space: str, filters: Json) -> None:
    documents = make_documents(1, 25)
    upsert(db, documents, "s")
    for external_id, index in [("d04", 3), ("d06", 0), ("d24", 5)]:
        query = vectors_of(next(d for d in documents if d["external_id"] == external_id))[index]
        expected = sorted(
            (
                (d["external_id"], place, similarity(space, query, vector))
                for d in documents
                if filters is None or (d["metadata"]["group"] == 1) == ("group" in filters)
                for place, vector in enumerate(vectors_of(d))
                if (d["external_id"], place) != (external_id, index)
            ),
            key=lambda row: (-row[2], *row[:2]),
        )
        chunk = chunk_id(db, external_id, index)
        assert_same(call(db, "similar_chunks", chunk_id=chunk, match_count=10000, filters=filters), expected)
        assert_same(call(db, "similar_chunks", chunk_id=chunk, match_count=3, filters=filters), expected[:3])
        bound = (expected[1][2] + expected[2][2]) / 2
        assert_same(call(db, "similar_chunks", chunk_id=chunk, filters=filters, min_score=bound), expected[:2])


@pytest.mark.parametrize("filters", [None, {"group": 1}])
def test_documents_are_those_with_the_chunk_nearest_to_the_mean(db: Connection, space: str, filters: Json) -> None:
    documents = make_documents(2, 25)
    upsert(db, documents, "s")
    for external_id in ("d00", "d01", "d05"):
        own = vectors_of(next(d for d in documents if d["external_id"] == external_id))
        query = np.mean([v / np.linalg.norm(v) if space == "cosine" else v for v in own], axis=0)
        expected = sorted(
            (
                (d["external_id"], *best([similarity(space, query, vector) for vector in vectors_of(d)]))
                for d in documents
                if d["external_id"] != external_id and (filters is None or d["metadata"]["group"] == 1)
            ),
            key=lambda row: (-row[2], *row[:2]),
        )
        arguments = {"external_id": external_id, "filters": filters, "collection": "s"}
        # More than match_count × 4 chunks of one document may come before the first chunk of the next document.
        for count in (1, 2, 5, 10000):
            assert_same(call(db, "similar_documents", match_count=count, **arguments), expected[:count])
        bound = (expected[1][2] + expected[2][2]) / 2
        assert_same(call(db, "similar_documents", min_score=bound, **arguments), expected[:2])


def test_a_document_of_many_chunks_does_not_hide_the_next(db: Connection) -> None:
    db.execute("select braid.create_collection('s', dimensions => 2, embedding_model => 'test')")
    crowd = [{"content": f"crowd {n}", "embedding": [1, n / 1000]} for n in range(100)]
    upsert(
        db,
        [
            {"external_id": "it", "content": "it", "embedding": [1, 0]},
            {"external_id": "crowd", "chunks": crowd},
            {"external_id": "far", "content": "far", "embedding": [0, 1]},
        ],
        "s",
    )
    found = call(db, "similar_documents", external_id="it", match_count=2, collection="s")
    assert [row[:2] for row in found] == [("crowd", 0), ("far", 0)]


def test_without_vectors_the_error_says_what_to_do(db: Connection) -> None:
    db.execute("select braid.create_collection('s', dimensions => 2, embedding_model => 'test')")
    chunks = [{"content": "one", "embedding": [1, 0]}, {"content": "two"}]
    upsert(db, [{"external_id": "half", "chunks": chunks}, {"external_id": "none", "content": "three"}], "s")
    assert call(db, "similar_documents", external_id="half", collection="s") == []
    calls: list[tuple[str, dict[str, Any]]] = [
        ("similar_documents", {"external_id": "none", "collection": "s"}),
        ("similar_chunks", {"chunk_id": chunk_id(db, "half", 1)}),
    ]
    for function, arguments in calls:
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="no embedding yet") as error:
            call(db, function, **arguments)
        assert "embed_pending" in str(error.value.diag.message_hint)


def test_vectors_that_cancel_out_have_no_direction(db: Connection) -> None:
    db.execute("select braid.create_collection('s', dimensions => 2, embedding_model => 'test')")
    chunks = [{"content": "a", "embedding": [3, 0]}, {"content": "b", "embedding": [-0.5, 0]}]
    upsert(db, [{"external_id": "both", "chunks": chunks}], "s")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="cancel"):
        call(db, "similar_documents", external_id="both", collection="s")
    assert len(call(db, "similar_chunks", chunk_id=chunk_id(db, "both"))) == 1
    db.execute("select braid.create_collection('l', dimensions => 2, embedding_model => 'test', distance => 'l2')")
    chunks[1]["embedding"] = [-3, 0]
    upsert(db, [{"external_id": "both", "chunks": chunks}, {"external_id": "x", "chunks": chunks}], "l")
    assert call(db, "similar_documents", external_id="both", collection="l") == [("x", 0, 0.25)]


def test_what_is_missing_is_named(db: Connection, space: str) -> None:
    upsert(db, make_documents(3, 2), "s")
    chunk = chunk_id(db, "d00")
    db.execute("select braid.create_tenant('other')")
    cases: list[tuple[str, dict[str, Json], str, str]] = [
        ("similar_chunks", {"chunk_id": 999999999}, "42704", "999999999"),
        ("similar_chunks", {"chunk_id": None}, "42704", "null"),
        ("similar_chunks", {"chunk_id": chunk, "match_count": 0}, "22023", "match_count"),
        ("similar_chunks", {"chunk_id": chunk, "min_score": "NaN"}, "22023", "min_score"),
        ("similar_chunks", {"chunk_id": chunk, "options": {"x": 1}}, "22023", "x"),
        ("similar_chunks", {"chunk_id": chunk, "options": {"boosts": [{"importance": {}}]}}, "22023", "boosts"),
        ("similar_chunks", {"chunk_id": chunk, "options": {"explain": True}}, "22023", "explain"),
        ("similar_documents", {"external_id": "d00", "collection": "s", "options": {"page": True}}, "22023", "page"),
        ("similar_documents", {"external_id": "d77", "collection": "s"}, "42704", '"d77"'),
        ("similar_documents", {"external_id": None, "collection": "s"}, "42704", "null"),
        ("similar_documents", {"external_id": "d00"}, "42704", "default"),
        ("similar_documents", {"external_id": "d00", "collection": "t"}, "42704", '"t"'),
        ("similar_documents", {"external_id": "d00", "collection": "s", "match_count": None}, "22023", "match_count"),
        ("similar_documents", {"external_id": "d00", "collection": "s", "match_count": 10001}, "22023", "10001"),
        ("similar_documents", {"external_id": "d00", "collection": "s", "match_count": 2**31 - 1}, "22023", "21474"),
        ("similar_documents", {"external_id": "d00", "collection": "s", "filters": {"$x": 1}}, "22023", "$x"),
    ]
    for function, arguments, state, said in cases:
        with pytest.raises(psycopg.Error) as error:
            call(db, function, **arguments)
        assert error.value.sqlstate == state and said in str(error.value) and error.value.diag.message_hint
    set_tenant(db, "other")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("similar_chunks", {"chunk_id": chunk}),
        ("similar_documents", {"external_id": "d00", "collection": "s"}),
    ]
    for function, arguments in calls:
        with pytest.raises(psycopg.errors.UndefinedObject):
            call(db, function, **arguments)
