"""One call runs several queries, and fuses them by their ranks."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, upsert

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]

TEXTS = {
    "both": "A database: PostgreSQL.",
    "database": "A database of addresses.",
    "postgres": "PostgreSQL is old.",
    "other": "A fox and a hen.",
    "twin": "A fox and a hen.",
}
PLACES = {
    "both": [1, 1, 0],
    "database": [1, 0, 0],
    "postgres": [0, 1, 0],
    "other": [0, 0, 1],
    "twin": [0, 0, 1],
}


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    shared_db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    documents = [{"external_id": k, "content": v, "embedding": PLACES[k]} for k, v in TEXTS.items()]
    upsert(shared_db, documents, "small")
    return shared_db


def multi(db: Connection, queries: Any, count: int = 10, options: Any = None, **arguments: Any) -> dict[str, Any]:
    named = "".join(f", {name} => %({name})s" for name in arguments)
    row = db.execute(
        "select braid.multi_search(%(queries)s, %(count)s, collection => 'small', options => %(options)s" + named + ")",
        {
            "queries": Jsonb(queries),
            "count": count,
            "options": None if options is None else Jsonb(options),
            **{name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()},
        },
    ).fetchone()
    assert row is not None
    answer: dict[str, Any] = row[0]
    return answer


def single(db: Connection, query: dict[str, Any], count: int = 50, options: Any = None) -> list[dict[str, Any]]:
    embedding = None if query.get("embedding") is None else str(query["embedding"])
    call = "select braid.search_json(%s, %s::vector, %s, collection => 'small', options => %s) -> 'results'"
    rows: list[dict[str, Any]] = one(
        db,
        call,
        query.get("text"),
        embedding,
        count,
        None if options is None else Jsonb(options),
    )
    return rows


QUERIES: list[dict[str, Any]] = [
    {"text": "database", "embedding": [1, 0, 0]},
    {"text": "PostgreSQL", "embedding": [0, 1, 0], "weight": 0.5},
    {"text": "fox"},
    {"embedding": [0, 0.1, 1], "weight": 3},
]


def test_the_score_is_the_sum_over_the_ranks_to_the_last_bit(
    filled: Connection,
) -> None:
    expected: dict[str, float] = {}
    ranks: dict[str, list[dict[str, Any]]] = {}
    for number, query in enumerate(QUERIES, 1):
        for rank, row in enumerate(single(filled, query), 1):
            name = row["external_id"]
            expected[name] = expected.get(name, 0) + float(query.get("weight", 1)) / (60 + rank)
            ranks.setdefault(name, []).append({"query": number, "rank": rank, "score": row["score"]})
    found = multi(filled, QUERIES)
    assert {row["external_id"]: row["score"] for row in found["results"]} == expected
    assert {row["external_id"]: row["query_ranks"] for row in found["results"]} == ranks
    order = sorted(expected, key=lambda name: (-expected[name], name))
    assert [row["external_id"] for row in found["results"]] == order
    assert [row["external_id"] for row in multi(filled, QUERIES, 2)["results"]] == order[:2]
    assert found["stats"]["total_candidates"] == len(expected)
    assert [stats["mode"] for stats in found["stats"]["queries"]] == [
        "hybrid",
        "hybrid",
        "full_text",
        "semantic",
    ]


def test_the_other_columns_are_of_the_query_that_counts_most(
    filled: Connection,
) -> None:
    rows = {row["external_id"]: row for row in multi(filled, QUERIES[:2])["results"]}
    for name, query in (("database", QUERIES[0]), ("both", QUERIES[0])):
        (alone,) = [row for row in single(filled, query) if row["external_id"] == name]
        both = {key: value for key, value in rows[name].items() if key not in ("score", "query_ranks")}
        assert both == {key: value for key, value in alone.items() if key != "score"}


def test_an_expansion_is_plain_words_and_counts_half(filled: Connection) -> None:
    texts = ["database", '-PostgreSQL "old fox" OR hen*', "addresses"]
    expansions = [{"text": texts[1], "expansion": True}, {"text": texts[2], "expansion": True, "weight": 2}]
    plain: list[dict[str, Any]] = [{"text": texts[1], "weight": 0.5}, {"text": texts[2], "weight": 2}]
    expected: dict[str, float] = {}
    plain.insert(0, {"text": texts[0]})
    for options, query in zip((None, {"operators": False}, None), plain, strict=True):
        for rank, row in enumerate(single(filled, query, options=options), 1):
            name = row["external_id"]
            expected[name] = expected.get(name, 0) + float(query.get("weight", 1)) / (60 + rank)
    found = multi(filled, [texts[0], *expansions])
    assert {row["external_id"]: row["score"] for row in found["results"]} == expected
    assert expected.keys() == TEXTS.keys()
    assert [(stats["text"], stats["weight"]) for stats in found["stats"]["queries"]] == [
        (texts[0], 1),
        (texts[1], 0.5),
        (texts[2], 2),
    ]
    # As a full query, the text demands and excludes words.
    assert "postgres" not in {row["external_id"] for row in multi(filled, [texts[1]])["results"]}
    asked = {"text": texts[1], "expansion": False}
    assert multi(filled, [asked])["results"] == multi(filled, [texts[1]])["results"]


def test_topics_are_found_together(filled: Connection) -> None:
    found = multi(filled, ["database", "PostgreSQL"])["results"]
    assert [row["external_id"] for row in found] == ["both", "database", "postgres"]
    assert multi(filled, ["database", "database"])["results"][0]["score"] == 2 / 61


def test_filters_and_options_hold_for_each_query(filled: Connection) -> None:
    names = [
        row["external_id"]
        for row in multi(filled, ["database", "PostgreSQL"], filters={"external_id": "postgres"})["results"]
    ]
    assert names == ["postgres"]
    unnamed = {"ranking": {"name_weight": 0}}
    assert multi(filled, ["database", "PostgreSQL"], min_score=100, options=unnamed)["results"] == []
    warnings = multi(filled, ["nowhere", "database", "nothing"])["warnings"]
    assert [(warning["code"], warning["queries"]) for warning in warnings] == [("no_query_terms", [1, 3])]


def test_rows_are_shaped_together(filled: Connection) -> None:
    queries = ["fox", {"embedding": [0, 0, 1]}]
    assert len(multi(filled, queries)["results"]) == 5
    rows = multi(filled, queries, options={"collapse": True, "context": {"before": 1}})["results"]
    assert rows[0]["external_id"] == "other" and "twin" not in {row["external_id"] for row in rows}
    assert rows[0]["passage"] == TEXTS["other"] and rows[0]["full_text_rank"] == 1
    assert rows[0]["score"] == 1 / 61 + 1 / 61


@pytest.mark.parametrize(
    ("name", "options"),
    [("grouped", {"group_by": "document"}), ("collapsed", {"collapse": True})],
)
def test_groups_from_beyond_the_best_rows(filled: Connection, name: str, options: dict[str, Any]) -> None:
    filled.execute(
        "select braid.create_collection(%s, dimensions => 3, embedding_model => 'test')",
        [name],
    )
    # The best 60 rows are equal chunks of one document.
    documents: list[dict[str, Any]] = [
        {"external_id": "long", "chunks": [{"content": "harbour harbour harbour"}] * 60},
        *({"external_id": other, "content": f"A harbour with a {other} in it."} for other in ("boat", "crane")),
    ]
    upsert(filled, documents, name)
    found = one(
        filled,
        "select braid.multi_search('[\"harbour\", \"harbour\"]', 3, collection => %s, options => %s) -> 'results'",
        name,
        Jsonb(options),
    )
    assert sorted(row["external_id"] for row in found) == ["boat", "crane", "long"]


def test_it_reads_only(filled: Connection) -> None:
    with filled.transaction():
        filled.execute("set transaction read only")
        assert multi(filled, ["database"])["results"]


@pytest.mark.parametrize(
    ("queries", "arguments", "named"),
    [
        ([], {}, "queries is an array of 0"),
        ({"text": "a"}, {}, "queries is a JSON object"),
        (["a"] * 17, {}, "queries is an array of 17"),
        (["a", 7], {}, "query 2 is a JSON number"),
        ([{"text": 7}], {}, "query 1: text is 7"),
        ([{"txt": "a"}], {}, "query 1: txt is "),
        (["a", {"text": "b", "weight": 0}], {}, "query 2: weight is 0"),
        (["a", {"text": "b", "expansion": 1}], {}, "query 2: expansion is 1"),
        (["a", {"embedding": ["x"]}], {}, "query 2: embedding is no vector"),
        (["a", {"embedding": [1, 2]}], {}, "query 2: query_embedding has 2 dimensions"),
        (["a", ""], {}, "query 2: query_text and query_embedding are both empty"),
        (["a"], {"count": 0}, "match_count is 0"),
        (["a"], {"count": 1001}, "match_count is 1001"),
        (
            ["a"],
            {"options": {"snippet": True}},
            "option snippet has no meaning for multi_search",
        ),
        (["a"], {"options": {"nothing": True}}, "unknown key"),
        (
            ["a"],
            {"options": {"cursor": ""}},
            "option cursor has no meaning for multi_search",
        ),
        (["a", "b"], {"options": {"sparse": {"x": 1}}}, "option sparse is for one"),
    ],
)
def test_bad_input(filled: Connection, queries: Any, arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refused:
        multi(filled, queries, **arguments)
    assert named in str(refused.value) and refused.value.diag.message_hint
