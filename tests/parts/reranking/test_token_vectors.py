"""Token vectors come with documents or later, and are deleted with their chunks."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]


@pytest.fixture
def db(db: Connection) -> Connection:
    db.execute("select braid.create_collection('c', dimensions => 2, embedding_model => 'dense')")
    db.execute("select braid.set_token_vectors('c', 'colbert', 3, 3)")
    return db


def document(name: str, *chunks: Any) -> dict[str, Any]:
    return {
        "external_id": name,
        "chunks": [
            {"content": f"{name} text {n}", **({} if tokens is None else {"token_vectors": tokens})}
            for n, tokens in enumerate(chunks)
        ],
    }


def stored(db: Connection) -> dict[str, list[str]]:
    """Return the stored token vectors by the chunk's content."""
    rows = db.execute(
        "select c.content, t.vectors::text[], t.embedding_model, t.dimensions from braid_store.token_vectors t "
        "join braid_store.chunks c using (tenant_id, collection_id) where c.id = t.chunk_id"
    ).fetchall()
    assert {(model, dimensions) for _, _, model, dimensions in rows} <= {("colbert", 3)}
    assert one(db, "select count(*) from braid_store.token_vectors") == len(rows)
    return {content: vectors for content, vectors, _, _ in rows}


def chunk_ids(db: Connection) -> list[int]:
    return list(one(db, "select array(select id from braid_store.chunks order by id)"))


def store(db: Connection, ids: Any, vectors: Any, counts: Any, *more: Any) -> int:
    marks = ", %s" * len(more)
    call = f"select braid.store_token_vectors(%s::bigint[], %s::text[]::halfvec[], %s::int[], 'c'{marks})"
    return int(one(db, call, ids, vectors, counts, *more))


def test_given_with_documents(db: Connection) -> None:
    upsert(db, [document("a", [[2, 0, 0], "[0,3,0]"], None), document("b", [[0, 0, 5]])], "c")
    assert stored(db) == {"a text 0": ["[1,0,0]", "[0,1,0]"], "b text 0": ["[0,0,1]"]}
    whole = {"external_id": "w", "content": "whole", "embedding": [1, 0], "token_vectors": [[0, 1, 0]]}
    assert upsert(db, [whole], "c") == {"w": "inserted"}
    assert stored(db)["whole"] == ["[0,1,0]"]
    assert upsert(db, [whole], "c") == {"w": "unchanged"}
    assert upsert(db, [{**whole, "token_vectors": [[0, 0, 1]]}], "c") == {"w": "replaced"}
    assert stored(db)["whole"] == ["[0,0,1]"]
    assert upsert(db, [{**whole, "content": "another", "token_vectors": None}], "c") == {"w": "replaced"}
    assert not {"whole", "another"} & stored(db).keys()
    db.execute(
        "select braid.upsert_embedded_documents(%s, array['[1,0]']::vector[], 'c')",
        (Jsonb([{**whole, "embedding": 1}]),),
    )
    assert stored(db)["whole"] == ["[0,1,0]"]


def test_a_chunk_whose_text_is_unchanged_keeps_them(db: Connection) -> None:
    tokens = [[1, 0, 0], [0, 1, 0]]
    upsert(db, [document("a", tokens, tokens, tokens)], "c")
    changed = document("a", None, [[0, 0, 1]], None)
    changed["chunks"][2]["content"] = "changed"
    assert upsert(db, [changed], "c") == {"a": "replaced"}
    assert stored(db) == {"a text 0": ["[1,0,0]", "[0,1,0]"], "a text 1": ["[0,0,1]"]}


def test_they_are_content_and_no_attribute(db: Connection) -> None:
    def hashes() -> tuple[bytes, bytes]:
        row = db.execute("select attribute_hash, content_hash from braid_store.documents").fetchone()
        assert row
        return row[0], row[1]

    whole = {"external_id": "w", "content": "whole", "embedding": [1, 0]}
    upsert(db, [whole], "c")
    attributes, content = hashes()
    assert upsert(db, [{**whole, "token_vectors": [[0, 1, 0]]}], "c") == {"w": "replaced"}
    assert hashes()[0] == attributes and hashes()[1] != content


def test_given_later(db: Connection) -> None:
    upsert(db, [document("a", None, None, None)], "c")
    ids = chunk_ids(db)
    assert store(db, [ids[2], ids[0], 10**15], ["[1,0,0]", "[0,1,0]", "[0,0,1]", "[1,1,0]"], [2, 1, 1]) == 2
    assert stored(db) == {"a text 2": ["[1,0,0]", "[0,1,0]"], "a text 0": ["[0,0,1]"]}
    # The new vectors replace the earlier ones.
    assert store(db, ids[2:], ["[0,0,-2]"], [1], "colbert") == 1
    assert stored(db)["a text 2"] == ["[0,0,-1]"]
    assert store(db, [], [], []) == 0


def test_what_is_missing(db: Connection) -> None:
    upsert(db, [document("a", None, [[1, 0, 0]], None, None)], "c")
    ids = chunk_ids(db)

    def missing(count: int = 64, after: int = 0) -> list[tuple[int, str]]:
        return db.execute("select * from braid.missing_token_vectors(%s, %s, 'c')", (count, after)).fetchall()

    assert missing() == [(ids[0], "a text 0"), (ids[2], "a text 2"), (ids[3], "a text 3")]
    assert missing(1) == [(ids[0], "a text 0")]
    assert missing(1, ids[0]) == [(ids[2], "a text 2")]
    assert missing(5, ids[3]) == []
    # A worker embeds these texts.
    claimed = db.execute("select * from braid.claim_embedding_jobs(collection => 'c')").fetchall()
    assert set(missing()) < set(claimed)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="chunk_count is 0"):
        missing(0)
    db.execute("select braid.set_token_vectors('c', 'another', 3, 3)")
    assert [row[0] for row in missing()] == ids


def test_they_go_with_their_chunks(db: Connection) -> None:
    tokens = [[1, 0, 0]]
    upsert(db, [document(name, tokens, tokens) for name in "abcd"], "c")
    assert len(stored(db)) == 8
    shorter = document("a", tokens, None)
    shorter["chunks"][1]["content"] = "changed"
    upsert(db, [shorter], "c")
    db.execute("select braid.delete_document('b', 'c')")
    db.execute("select braid.delete_documents('{c}', 'c')")
    assert sorted(stored(db)) == ["a text 0", "d text 0", "d text 1"]
    assert one(db, "select braid.status('c') #> '{collections,0,token_vectors}'") == 3
    db.execute("select braid.clear_collection('c')")
    assert stored(db) == {}
    upsert(db, [document("a", tokens)], "c")
    db.execute("select braid.drop_collection('c')")
    db.execute("select braid.maintain()")
    assert one(db, "select count(*) from braid_store.token_vectors") == 0


def test_another_model_is_never_compared(db: Connection) -> None:
    upsert(db, [document("a", [[1, 0, 0]])], "c")

    def similarity(vectors: list[Any]) -> Any:
        option = {"late_interaction": {"vectors": vectors}}
        call = "braid.full_text_search('text', collection => 'c', options => %s)"
        return one(db, f"select boosts -> 0 -> 'value' from {call}", Jsonb(option))

    assert similarity([[1, 0, 0]]) == 1
    db.execute("select braid.set_token_vectors('c', 'another', 3, 3)")
    assert similarity([[1, 0, 0]]) is None
    # The model is the same, but the vectors are cut to other dimensions.
    db.execute("select braid.set_token_vectors('c', 'colbert', 3)")
    assert similarity([[1, 0]]) is None
    db.execute("select braid.set_token_vectors('c', 'colbert', 1, 3)")
    assert similarity([[1, 0, 0]]) == 1
    db.execute("select braid.set_token_vectors('c', null)")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="has no token vectors"):
        similarity([[1, 0, 0]])
    row = db.execute("select parts from braid.collections where name = 'c'").fetchone()
    assert row and [row[0][f"token_vector_{name}"] for name in ("model", "dimensions", "count")] == [None] * 3


BAD_DOCUMENTS: list[tuple[dict[str, Any], str]] = [
    (document("a", [[1, 0]]), 'vector 1 of token_vectors of document "a" chunk 1 has 2 dimensions'),
    (document("a", [[1, 0, 0]], [[0, 0, 0]]), 'token_vectors of document "a" chunk 2 is a zero vector'),
    (document("a", [[1, 0, 0]] * 4), "has 4 elements"),
    (document("a", []), "has 0 elements"),
    (document("a", [1, 0, 0]), "is not a vector"),
    (document("a", [None]), "is null"),
    (document("a", "x"), "token_vectors"),
    ({"external_id": "a", "content": "x", "token_vectors": [[1, 0, 0]]}, "has token_vectors but no embedding"),
    ({**document("a", None), "token_vectors": [[1, 0, 0]]}, "has chunks and also"),
]


@pytest.mark.parametrize(("wrong", "said"), BAD_DOCUMENTS, ids=range(len(BAD_DOCUMENTS)))
def test_bad_documents_leave_nothing(db: Connection, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refused:
        upsert(db, [document("good", [[1, 0, 0]]), wrong], "c")
    assert said in str(refused.value.diag.message_primary)
    assert refused.value.diag.message_hint
    assert one(db, "select count(*) from braid_store.documents") == 0


@pytest.mark.parametrize(
    ("ids", "vectors", "counts", "more", "said"),
    [
        ([1], ["[1,0,0]"], [2], [], "with the sum 2"),
        ([1, 1], ["[1,0,0]", "[1,0,0]"], [1, 1], [], "each chunk must come once"),
        ([1, 2], ["[1,0,0]"], [1, 0], [], "element 2 of vector_counts is 0"),
        ([1, 2], ["[1,0,0]"], [2, -1], [], "element 2 of vector_counts is -1"),
        ([1], ["[1,0,0]"] * 4, [4], [], "element 1 of vector_counts is 4"),
        ([1], ["[1,0,0]", None], [2], [], "vector 2 of vectors is null"),
        ([1], ["[1,0,0,0]"], [1], [], "has 4 dimensions"),
        ([1], ["[0,0,0]"], [1], [], "zero vector"),
        ([1], ["[1,0,0]"], [1], ["another"], "'another'"),
        (None, ["[1,0,0]"], [1], [], "chunk_ids has 0 elements"),
        ([1], None, [1], [], "vectors 0"),
    ],
)
def test_bad_calls(db: Connection, ids: Any, vectors: Any, counts: Any, more: list[str], said: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refused:
        store(db, ids, vectors, counts, *more)
    assert said in str(refused.value.diag.message_primary)
    assert refused.value.diag.message_hint


def test_limits(db: Connection) -> None:
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="10001"):
        store(db, list(range(10001)), [], [0] * 10001)
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="100001"):
        many = "array_fill('[1]'::halfvec, array[100001])"
        db.execute(f"select braid.store_token_vectors('{{1}}', {many}, '{{100001}}', 'c')")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("''",), "embedding_model is ''"),
        (("'m'", "0"), "vector_count is '0'"),
        (("'m'", "513"), "vector_count is '513'"),
        (("'m'", "null"), "vector_count is null"),
        (("'m'", "1", "0"), "dimensions is '0'"),
        (("'m'", "1", "4097"), "dimensions is '4097'"),
    ],
)
def test_bad_settings(db: Connection, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refused:
        db.execute(f"select braid.set_token_vectors('c', {', '.join(arguments)})")
    assert said in str(refused.value.diag.message_primary)
    with pytest.raises(psycopg.errors.UndefinedObject):
        db.execute("select braid.set_token_vectors('nothing', 'm')")


def test_what_is_missing_where_there_are_none(db: Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refused:
        db.execute("select braid.missing_token_vectors(collection => 'default')")
    assert refused.value.diag.message_primary == 'collection "default" has no token vectors'
