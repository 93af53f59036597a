"""Unusual input gives the right rows, or a documented error with a hint."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from pgbraid.arguments import check_mode
from pgbraid.errors import InvalidArgumentError
from support.calls import full_text, hybrid, named, semantic, upsert, vector
from support.waiting import processor_limit

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
UNIT = [1.0] + [0.0] * 383


DOCUMENTS: list[dict[str, Any]] = [
    {"external_id": "a", "content": "The Who played at Leeds", "embedding": UNIT, "category": "music"},
    {"external_id": "b", "content": "a table of numbers 🎸", "embedding": [0.5, *UNIT[:-1]]},
    {"external_id": "c", "content": "東京都に住んでいる", "embedding": UNIT[::-1]},
]


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    upsert(shared_db, DOCUMENTS)
    return shared_db


def refused(db: Connection, sqlstate: str, function: str, arguments: dict[str, Any]) -> psycopg.Error:
    values = {name: Jsonb(value) if isinstance(value, (dict, list)) else value for name, value in arguments.items()}
    with pytest.raises(psycopg.Error) as raised:
        db.execute(f"select braid.{function}({named(arguments)})", values)
    assert (raised.value.sqlstate, bool(raised.value.diag.message_hint)) == (sqlstate, True), raised.value
    return raised.value


NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("sqlstate", "arguments", "named_in_message"),
    [
        ("22023", {"query_text": None}, "query_text"),
        ("22023", {"query_text": ""}, "query_text"),
        ("22023", {"query_text": "a", "match_count": 0}, "match_count"),
        ("22023", {"query_text": "a", "match_count": -1}, "match_count"),
        ("22023", {"query_text": "a", "match_count": None}, "match_count"),
        ("22023", {"query_text": "a", "match_count": None, "rrf_k": 60.0}, "match_count"),
        ("22023", {"query_text": "a", "match_count": 10_001}, "match_count"),
        ("22023", {"query_text": "a", "match_count": 2**31 - 1}, "match_count"),
        ("22023", {"query_text": "a", "full_text_weight": -0.1}, "full_text_weight"),
        ("22023", {"query_text": "a", "semantic_weight": -1.0}, "semantic_weight"),
        ("22023", {"query_text": "a", "full_text_weight": NAN}, "full_text_weight"),
        ("22023", {"query_text": "a", "semantic_weight": INFINITY}, "semantic_weight"),
        (
            "22023",
            {"query_text": "a", "query_embedding": vector(UNIT), "full_text_weight": 0.0, "semantic_weight": 0.0},
            "weight",
        ),
        ("22023", {"query_text": "a", "rrf_k": -1.0}, "rrf_k"),
        ("22023", {"query_text": "a", "rrf_k": NAN}, "rrf_k"),
        ("22023", {"query_text": "a", "candidate_count": 0}, "candidate_count"),
        ("22023", {"query_text": "a", "candidate_count": 2**31 - 1}, "candidate_count"),
        ("22023", {"query_text": "a", "min_score": NAN}, "min_score"),
        ("22023", {"query_text": "a", "match": "some"}, "match"),
        ("22023", {"query_text": "a", "match": "101%"}, "match"),
        ("22023", {"query_text": "a", "match": None}, "match"),
        ("22023", {"query_text": "a", "fusion": "average"}, "fusion"),
        ("22023", {"query_text": "a", "fusion": ""}, "fusion"),
        ("22023", {"query_text": "a", "fusion": "RRF"}, "fusion"),
        ("22023", {"query_text": "a", "rrf_k": 1e300}, "rrf_k"),
        ("22023", {"query_text": "a", "full_text_weight": 1e-300}, "full_text_weight"),
        ("22023", {"query_text": "a", "semantic_weight": 1e300}, "semantic_weight"),
        ("42704", {"query_text": "a", "collection": "none"}, "none"),
        ("42704", {"query_text": "a", "collection": ""}, "collection"),
        ("42704", {"query_text": "a", "collection": None}, "collection"),
        ("22023", {"query_text": "a", "options": {"rank_by": True}}, "rank_by"),
        ("22023", {"query_text": "a", "options": {"min_scores": {"semantic": "high"}}}, "min_scores: semantic"),
        ("22023", {"query_text": "a", "options": ["semantic_min_score"]}, "options"),
        ("22023", {"query_text": "a", "filters": ["category"]}, "filters"),
        ("22023", {"query_text": "a", "filters": Jsonb('{"category": "music"}')}, "filters"),
        ("22023", {"query_text": "a", "filters": Jsonb(7)}, "filters"),
        ("22023", {"query_text": "a", "filters": {"category": {"$regex": "m.*"}}}, "$regex"),
        ("22023", {"query_text": "a", "filters": {f"k{number}": 1 for number in range(10_000)}}, "filters"),
        ("22023", {"query_embedding": vector([1.0, 2.0])}, "query_embedding"),
        ("22023", {"query_embedding": vector([0.0] * 384)}, "query_embedding"),
    ],
)
def test_a_search_names_what_it_refuses(
    filled: Connection, sqlstate: str, arguments: dict[str, Any], named_in_message: str
) -> None:
    for function in ("hybrid_search", "search_json"):
        error = refused(filled, sqlstate, function, arguments)
        assert named_in_message in (error.diag.message_primary or "")
        # A whole value of 10,000 keys or characters would drown the message.
        assert len(error.diag.message_primary or "") < 1000


@pytest.mark.parametrize("function", ["full_text_search", "semantic_search"])
def test_the_legs_own_functions_refuse_the_same(filled: Connection, function: str) -> None:
    query = {"query_text": "who"} if function == "full_text_search" else {"query_embedding": vector(UNIT)}
    for wrong in ({"match_count": 0}, {"filters": Jsonb("{}")}, {"options": {"x": 1}}, {"min_score": NAN}):
        refused(filled, "22023", function, {**query, **wrong})
    refused(filled, "42704", function, {**query, "collection": "none"})
    refused(filled, "22023", function, dict.fromkeys(query))


def test_a_vector_that_is_no_direction(db: Connection) -> None:
    """A vector whose squared components leave the range of float4 has no cosine that a float4 sum can compute."""
    db.execute("select braid.create_collection('tiny', dimensions => 2, embedding_model => 'test')")
    refused(db, "22023", "upsert_document", {"external_id": "a", "embedding": "[0,0]", "collection": "tiny"})
    upsert(db, [{"external_id": "fine", "content": "x", "embedding": [1, 0]}], "tiny")
    for embedding in ([1e-30, 0], [1e30, 1e30]):
        document = {"external_id": "odd", "content": "x", "embedding": embedding}
        try:
            upsert(db, [document], "tiny")
        except psycopg.Error as error:
            assert (error.sqlstate, bool(error.diag.message_hint)) == ("22023", True)
        # Stored or refused, the vector does not outrank an exact match.
        best = semantic(db, [1, 0], collection="tiny")
        assert best[0] == ("fine", 0, 1.0)
        assert all(score == score for _, _, score in best)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("the", {"a"}),
        ("The Who", {"a"}),
        ("   ", set()),
        ("\n\t", set()),
        ("'; drop table braid_store.chunks; --", {"b"}),
        ('"who', {"a"}),
        ("it's \"un'matched ( [ { table", {"b"}),
        ("%_\\", set()),
        ("$1 %s {} :name table", {"b"}),
        ("a & b | !c <-> d:* table", {"b"}),
        ("🎸", {"b"}),
        ("東京", {"c"}),
        ("都", {"c"}),
        ("\u200b\ufeff\u0301 leeds", {"a"}),
        ("NUL \\u0000 leeds", {"a"}),
        ("who " * 250_000, {"a"}),
        ("x" * 16_000 + " leeds", {"a"}),
        (" ".join(f"w{number}" for number in range(2_700)) + " leeds", {"a"}),
    ],
    ids=lambda value: repr(value)[:24] if isinstance(value, str) else "",
)
def test_any_text_is_a_query(filled: Connection, query: str, expected: set[str]) -> None:
    assert {hit[0] for hit in full_text(filled, query)} == expected
    # A query without words still has the embedding's results.
    found = hybrid(filled, query_text=query, query_embedding=vector(UNIT))
    assert [hit[0] for hit in found][: 1 if expected <= {"a"} else 0] in ([], ["a"])
    assert {hit[0] for hit in found} == {"a", "b", "c"}


def test_a_long_query_is_cut_and_says_so(filled: Connection) -> None:
    words = "leeds " + " ".join(f"w{number}" for number in range(3_000))
    found = filled.execute("select braid.search_json(query_text => %s)", (words,)).fetchone()
    assert found
    assert [row["external_id"] for row in found[0]["results"]] == ["a"]
    assert [warning["code"] for warning in found[0]["warnings"]] == ["query_cut"]
    late = filled.execute("select braid.search_json(query_text => %s)", (words + " guitars table",)).fetchone()
    assert late and late[0]["results"] == found[0]["results"]


@pytest.mark.parametrize(
    ("document", "named_in_message"),
    [
        ({"external_id": "é" * 5_000, "content": "x"}, "10000 bytes"),
        ({"external_id": "x" * 1_025, "content": "x"}, "1025 bytes"),
        ({"external_id": "", "content": "x"}, "external_id"),
        ({"content": "x"}, "external_id"),
        ({"external_id": "a", "text": "x"}, "text"),
        ({"external_id": "a", "content": 7}, "content"),
        ({"external_id": "a", "content": "x", "metadata": "{}"}, "metadata"),
        ({"external_id": "a", "content": "x", "importance": "high"}, "importance"),
        ({"external_id": "a", "content": "x", "occurred_at": "yesterday-ish"}, "occurred_at"),
        ({"external_id": "a", "content": "x", "embedding": [1, 2]}, "embedding"),
        ({"external_id": "a", "content": "x", "embedding": [0] * 384}, "embedding"),
        ({"external_id": "a", "content": "x", "embedding": []}, "embedding"),
        ({"external_id": "a", "content": "x", "embedding": "not a vector"}, "embedding"),
        ({"external_id": "a", "content": "x", "embedding": "[" + "NaN," * 383 + "NaN]"}, "embedding"),
        ({"external_id": "a", "content": "x", "embedding": [1e39] * 384}, "embedding"),
        ({"external_id": "a", "content": "x", "chunks": [{"content": "y"}]}, "chunks"),
        ({"external_id": "a", "chunks": ["y"]}, "chunk"),
        ({"external_id": "a", "chunks": [{"speaker": "y"}]}, "content"),
        ({"external_id": "a", "chunks": [{"content": "y", "title": "t"}]}, "title"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_write_names_what_it_refuses_and_writes_nothing(
    filled: Connection, document: dict[str, Any], named_in_message: str
) -> None:
    error = refused(
        filled, "22023", "upsert_documents", {"documents": [{"external_id": "new", "content": "new"}, document]}
    )
    assert re.search(re.escape(named_in_message), error.diag.message_primary or "")
    assert len(error.diag.message_primary or "") < 1000
    assert full_text(filled, "new") == []
    assert len(full_text(filled, "who leeds table 東京")) == 3


@pytest.mark.parametrize("documents", [{}, None, Jsonb("[]"), ["a"], [None], [[]]])
def test_a_batch_is_an_array_of_objects(shared_db: Connection, documents: Any) -> None:
    refused(shared_db, "22023", "upsert_documents", {"documents": documents})


def test_an_external_id_of_1024_bytes(db: Connection) -> None:
    longest = "é" * 512
    assert upsert(db, [{"external_id": longest, "content": "leeds"}]) == {longest: "inserted"}
    assert [hit[0] for hit in full_text(db, "leeds")] == [longest]
    assert db.execute("select braid.delete_document(%s)", (longest,)).fetchone() == (True,)


def long_words(count: int) -> list[str]:
    return [f"lexeme{number:05}" + "x" * 60 for number in range(count)]


def test_a_document_of_over_a_megabyte_of_lexemes(db: Connection) -> None:
    """A document may have more than a megabyte of lexemes, which is the limit of PostgreSQL's own tsvector."""
    words = long_words(18_000)
    assert upsert(db, [{"external_id": "big", "content": " ".join(words)}]) == {"big": "inserted"}
    for word in (words[0], words[9_000], words[-1]):
        assert {hit[0] for hit in full_text(db, word)} == {"big"}
    assert db.execute("select max(token_count) <= 240 from braid_store.chunks").fetchone() == (True,)


def test_a_chunk_of_more_words_than_a_forward_row_counts(db: Connection) -> None:
    words = long_words(18_000)
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        upsert(db, [{"external_id": "big", "chunks": [{"content": " ".join(words[:13_000]), "embedding": UNIT}]}])
    assert "more than 32700" in str(caught.value)
    assert caught.value.diag.message_hint
    assert db.execute("select count(*) from braid_store.documents").fetchone() == (0,)
    chunk = {"content": " ".join(words[:8_000]), "embedding": UNIT}
    assert upsert(db, [{"external_id": "big", "chunks": [chunk]}]) == {"big": "inserted"}
    assert {hit[0] for hit in full_text(db, words[7_999])} == {"big"}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "the and of the",
        "x" * 5_000,
        "é" * 5_000,
        "leeds \u0378\U000e0fff\u0378",
        "leeds 東京都 кошка ไทย مرحبا 한국어 café",
        "1." * 20_000,
        "ab," * 50_000,
        "東" * 20_000,
        "a" + "\u0301" * 20_000,
        " ".join(f"lexeme{number:06}" for number in range(20_000)),
        "the leeds lorem. " * 50_000,
    ],
    ids=lambda content: repr(content)[:24],
)
def test_any_text_is_a_document_and_leaves_the_index_right(filled: Connection, content: str) -> None:
    assert upsert(filled, [{"external_id": "odd", "content": content}]) == {"odd": "inserted"}
    assert ("odd" in {hit[0] for hit in full_text(filled, "leeds")}) == ("leeds" in content)
    assert filled.execute("select * from braid.check_index()").fetchall() == []
    filled.execute("select braid.delete_document('odd')")
    filled.execute("select braid.maintain()")
    assert {hit[0] for hit in full_text(filled, "leeds table 東京")} == {"a", "b", "c"}
    assert filled.execute("select * from braid.check_index()").fetchall() == []


def test_nul_is_refused(filled: Connection) -> None:
    with pytest.raises(psycopg.Error) as raised:
        filled.execute('select braid.upsert_documents(\'[{"external_id": "n", "content": "a\\u0000b"}]\')')
    assert raised.value.sqlstate == "22P05"
    assert len(full_text(filled, "leeds table 東京")) == 3


@pytest.mark.parametrize(
    "demands",
    [
        [f'-"{a} {b}"' for a in ("who", "leeds", "table", "numbers") for b in range(100)],
        [f"-fox{number}*" for number in range(1_200)],
        [f"-fox{number}" for number in range(1_200)],
    ],
    ids=["phrases", "prefixes", "words"],
)
def test_of_very_many_demands_the_first_count(db: Connection, demands: list[str]) -> None:
    """Only the first of very many demanded words count, because each chunk that the search reads is tested for each."""
    upsert(db, DOCUMENTS)
    upsert(db, [{"external_id": f"d{number}", "content": "who leeds table numbers"} for number in range(2_000)])
    asked = "leeds -played " + " ".join(demands)
    with processor_limit(db, 10):
        row = db.execute("select braid.search_json(query_text => %s, match_count => 10000)", (asked,)).fetchone()
    assert row
    assert {result["external_id"] for result in row[0]["results"]} == {f"d{number}" for number in range(2_000)}
    assert [warning["code"] for warning in row[0]["warnings"]] == ["demands_cut"]
    few = db.execute("select braid.search_json(query_text => 'leeds -played')").fetchone()
    assert few and few[0]["warnings"] == []


ARRAY = '["database", "query performance"]'


@pytest.mark.parametrize(
    "call",
    [
        "full_text_search(%s)",
        "hybrid_search(%s, match_count => 5)",
        "logged_search(%s)",
        "search_json(%s)",
        "explain_search(%s)",
        "assemble_context(%s)",
        "facets('{category}', %s)",
        "highlight(1, %s)",
        "explain_score(%s, '{}')",
        "embedded_text(%s)",
    ],
)
def test_an_array_of_texts_is_no_query(filled: Connection, call: str) -> None:
    assert_array_is_no_query(filled, call)


def assert_array_is_no_query(db: Connection, call: str) -> None:
    # PostgREST turns {"query_text": ["database", "query performance"]} into this text.
    for text, count in ((ARRAY, 2), (' [ "a" ]', 1), ("[]", 0)):
        with pytest.raises(psycopg.Error) as raised:
            db.execute(f"select braid.{call}", (text,))
        assert raised.value.sqlstate == "22023"
        assert raised.value.diag.message_primary == f"query_text is an array of {count} texts"
        assert "multi_search" in (raised.value.diag.message_hint or "")


def test_texts_that_only_look_like_arrays_are_queries(filled: Connection) -> None:
    for text in ("[1, 2] numbers", "[numbers]", '["numbers"', "{numbers,table}", '[["numbers"]]', '["numbers", 1]'):
        assert full_text(filled, text), text
    plain = {"operators": False}
    assert [row[0] for row in full_text(filled, '["numbers"]', options=plain)] == ["b"]


OTHER_NAMES = {
    "semantic": ["vector", "dense", "knn", "Embedding", "similarity", "semantic_search", "vector-search"],
    "full_text": ["fulltext", "full-text", "Full Text", "FTS", "keyword", "bm25", "lexical", "full_text_search"],
    "hybrid": ["HYBRID", "hybrid_search", "both"],
}


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_what_others_call_a_mode_is_refused_with_its_name_here(name: str) -> None:
    for other in OTHER_NAMES[name]:
        with pytest.raises(InvalidArgumentError) as raised:
            check_mode(other)
        assert f"{other!r} elsewhere is {name!r} here" in (raised.value.hint or "")
