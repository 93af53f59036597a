"""A document whose title or external_id is the query, or a quoted part of it, comes first."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import named, one, set_tenant, upsert, vector

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]

# Many short texts repeat the words of the name, and their vectors are nearer to the query.
NAME = "Falcon X"
QUERY_VECTOR = [1.0, 0.0, 0.0, 0.0]
RIVALS = 150


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    shared_db.execute("select braid.create_collection('names', dimensions => 4)")
    shared_db.execute("select braid.create_collection('others', dimensions => 4)")
    rivals = [
        {
            "external_id": f"rival-{number}",
            "title": f"Falcon X and Falcon X, number {number}",
            "chunks": [{"content": "Falcon X. Falcon X? Falcon X!", "embedding": [1, number / 1000, 0, 0]}],
            "metadata": {"kind": "rival"},
        }
        for number in range(RIVALS)
    ]
    long = "A page about the budget, the people and the plan of a project that has many words to read. " * 3
    named_documents: list[dict[str, Any]] = [
        {
            "external_id": "INV-2024/0113",
            "title": "  falcon   x ",
            "chunks": [
                {"content": long, "embedding": [-1, 0.1, 0, 0]},
                {"content": long + "The owner is Ana.", "embedding": [-1, 0.3, 0, 0], "metadata": {"part": 2}},
            ],
            "metadata": {"kind": "page"},
        },
        {"external_id": "pair-1", "title": "Überblick", "chunks": [{"content": long, "embedding": [-1, 0.2, 0, 0]}]},
        {
            "external_id": "pair-2",
            "title": "überblick",
            "chunks": [{"content": long + "Nearer.", "embedding": [-0.5, 0.9, 0, 0]}],
        },
        {"external_id": "no-vector", "title": "Grey Heron", "chunks": [{"content": "No bird is meant here."}]},
    ]
    upsert(shared_db, [*rivals, *named_documents], "names")
    upsert(shared_db, [{"external_id": "elsewhere", "title": "Falcon X", "content": "Elsewhere."}], "others")
    return shared_db


def search(db: Connection, query: str, name_weight: float | None = None, **arguments: Any) -> list[dict[str, Any]]:
    options = dict(arguments.pop("options", {}))
    if name_weight is not None:
        options["ranking"] = {**options.get("ranking", {}), "name_weight": name_weight}
    function = arguments.pop("function", "hybrid_search")
    asked = {"query_text": query, "collection": "names", "options": options, **arguments}
    if function == "hybrid_search":
        asked = {"query_embedding": vector(QUERY_VECTOR), **asked}
    values = {key: Jsonb(value) if isinstance(value, dict) else value for key, value in asked.items()}
    found = db.execute(f"select to_jsonb(r) from braid.{function}({named(asked)}) r", values).fetchall()
    return [row[0] for row in found]


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["external_id"] for row in rows]


def lifted(rows: list[dict[str, Any]]) -> list[str]:
    return [r["external_id"] for r in rows if any(b["signal"] == "exact_name" for b in r["boosts"] or [])]


@pytest.mark.parametrize(
    "query",
    [
        "Falcon X",
        "falcon x",
        '  "FALCON  X" ',
        "“Falcon X”",
        "'falcon x'",
        "INV-2024/0113",
        "inv-2024/0113",
        '"INV-2024/0113"',
        'budget "Falcon X"',
        "owner of „falcon x“",
    ],
)
@pytest.mark.parametrize("fusion", [None, "convex", "rrf", "dbsf", "max"])
def test_the_name_comes_first(filled: Connection, query: str, fusion: str | None) -> None:
    rows = search(filled, query, fusion=fusion)
    assert ids(rows)[0] == "INV-2024/0113"
    assert lifted(rows) == ["INV-2024/0113"]
    # A phrase is demanded, and no other text has the whole identifier.
    assert len(rows) == (1 if query == '"INV-2024/0113"' else 10)
    assert all(rows[0]["score"] > row["score"] for row in rows[1:])
    # The other rows keep their order and their scores.
    others = [row for row in search(filled, query, 0, fusion=fusion) if row["external_id"] != "INV-2024/0113"]
    if fusion == "rrf" or (fusion in (None, "convex", "max") and "INV" not in query.upper()):
        assert ids(rows)[1:] == ids(others)[: len(rows) - 1]


def test_without_the_setting_it_is_buried(filled: Connection) -> None:
    """A test of the test: the rivals have more of the words, and nearer vectors."""
    assert "INV-2024/0113" not in ids(search(filled, NAME, 0, match_count=100, fusion="rrf"))
    filled.execute("select braid.set_ranking('names', '{\"name_weight\": 0}')")
    try:
        assert lifted(search(filled, NAME)) == []
    finally:
        filled.execute("select braid.set_ranking('names', '{\"name_weight\": 1.1}')")


@pytest.mark.parametrize("query", ["Falcon", "Falcon X Y", 'the "Falcon Y"', "INV-2024/011", "falcon_x", "x" * 201])
def test_other_queries_lift_nothing(filled: Connection, query: str) -> None:
    assert search(filled, query) == search(filled, query, 0)


def test_equal_titles_keep_their_order_by_score(filled: Connection) -> None:
    for query in ("überblick", "ÜBERBLICK"):
        rows = search(filled, query, options={"ranking": {"smoothing": 0}})
        assert lifted(rows) == ids(rows)[:2]
        assert set(lifted(rows)) == {"pair-1", "pair-2"}
        scores = {row["external_id"]: max(row["fused_score"], 0) for row in rows}
        assert scores[ids(rows)[0]] >= scores[ids(rows)[1]]


def test_a_name_of_many_documents_tells_nothing(filled: Connection) -> None:
    for count, expected in ((100, 100), (101, 0)):
        notes = [
            {"external_id": f"note-{n}", "title": "Weekly note", "content": f"Note {n} of a week."}
            for n in range(count)
        ]
        upsert(filled, notes, "others")
        rows = search(filled, "weekly note", collection="others", match_count=200, query_embedding=None)
        assert len(lifted(rows)) == expected


def test_filters_come_before_names(filled: Connection) -> None:
    rows = search(filled, NAME, filters={"kind": "rival"})
    assert rows == search(filled, NAME, 0, filters={"kind": "rival"})
    rows = search(filled, NAME, filters={"kind": "page"})
    assert set(ids(rows)) == {"INV-2024/0113"}
    # The first chunk that passes the filter stands for the document.
    rows = search(filled, NAME, filters={"$or": [{"kind": "rival"}, {"part": 2}]}, fusion="rrf")
    assert (rows[0]["external_id"], rows[0]["chunk_index"]) == ("INV-2024/0113", 1)


def test_names_of_another_tenant_or_collection(filled: Connection) -> None:
    assert ids(search(filled, NAME, collection="others", query_embedding=None))[0] == "elsewhere"
    filled.execute("select braid.create_tenant('stranger')")
    before = set_tenant(filled, "stranger")
    try:
        upsert(filled, [{"external_id": "mine", "title": "Mine", "content": "Falcon X is not here."}], "names")
        rows = search(filled, NAME)
        assert ids(rows) == ["mine"]
        assert lifted(rows) == []
    finally:
        set_tenant(filled, before)


def test_demands_of_a_longer_query(filled: Connection) -> None:
    assert lifted(search(filled, '"Falcon X" budget -owner')) == ["INV-2024/0113"]
    assert search(filled, '"Falcon X" budget -owner')[0]["chunk_index"] == 0
    assert lifted(search(filled, '"Falcon X" +submarine')) == []
    # The name itself needs no words of the text.
    for match in ("any", "all"):
        assert ids(search(filled, '"INV-2024/0113"', match=match))[0] == "INV-2024/0113"


@pytest.mark.parametrize("fusion", ["convex", "rrf"])
def test_min_score_and_min_relevance_keep_the_name(filled: Connection, fusion: str) -> None:
    for given in ({"min_score": 0.01 if fusion == "rrf" else 0.5}, {"options": {"min_relevance": 0.4}}):
        rows = search(filled, "INV-2024/0113", fusion=fusion, **given)
        assert ids(rows)[0] == "INV-2024/0113"
        others = search(filled, "INV-2024/0113", 0, fusion=fusion, **given)
        assert "INV-2024/0113" not in ids(others)
        assert ids(rows)[1:] == ids(others)[: len(rows) - 1]


@pytest.mark.parametrize("normalisation", ["centroid", "minmax"])
@pytest.mark.parametrize("query", [NAME, "INV-2024/0113", "Überblick"])
def test_pages_are_the_one_long_list(filled: Connection, query: str, normalisation: str) -> None:
    ranking = {"normalisation": normalisation, "smoothing": 0}
    options: dict[str, Any] = {"ranking": ranking}
    whole = search(filled, query, options=options, match_count=200)
    paged: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = search(filled, query, options={**options, "cursor": cursor}, match_count=7)
        paged += page
        cursor = page[-1]["cursor"] if page else None
    if normalisation == "centroid":  # other pages end with the first candidates
        assert ids(paged) == ids(whole)
        assert len(paged) == RIVALS + 4
    assert lifted(paged) == lifted(whole)
    assert len({row["chunk_id"] for row in paged}) == len(paged)


@pytest.mark.parametrize(
    "options",
    [
        {"diversify": True},
        {"group_by": "document"},
        {"group_by": {"key": "document", "size": 2, "score": "mixture"}},
        {"collapse": True},
        {"context": {"before": 1, "after": 1}},
        {"snippet": True},
        {"boosts": [{"recency": {"half_life": "30 days"}}, {"filter": {"kind": "page"}, "factor": 0.5}]},
        {"rank_by": ["similarity", "importance"]},
        {"exact": True},
        {"ranking": {"neighbour_weight": 0.2, "document_weight": 0.3}},
        {"ranking": {"fusion": "convex", "normalisation": "zscore"}},
    ],
    ids=str,
)
@pytest.mark.parametrize("query", [NAME, "INV-2024/0113"])
def test_other_options(filled: Connection, query: str, options: dict[str, Any]) -> None:
    rows = search(filled, query, options=options)
    assert ids(rows)[0] == "INV-2024/0113"
    assert lifted(rows) == ["INV-2024/0113"]


@pytest.mark.parametrize(
    "options",
    [{"boosts": [{"filter": {"kind": {"$exists": True}}, "factor": 0}]}, {"rank_by": ["importance"]}],
    ids=str,
)
def test_the_name_comes_first_where_all_scores_are_0(db: Connection, options: dict[str, Any]) -> None:
    db.execute("select braid.create_collection('names', dimensions => 4)")
    documents = [
        {"external_id": f"d{n}", "title": f"Falcon {n}", "content": "falcon", "metadata": {"kind": "a"}}
        for n in range(9)
    ]
    upsert(db, documents, "names")
    rows = search(db, "d7", options=options, function="full_text_search", name_weight=1.1)
    assert lifted(rows) == ["d7"]
    rows = search(db, "Falcon 7", options=options, name_weight=1.1)
    assert ids(rows)[0] == "d7" and lifted(rows) == ["d7"] and {row["score"] for row in rows[1:]} == {0}


@pytest.mark.parametrize("fusion", ["convex", "rrf", "max", "dbsf"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"boosts": [{"filter": {"kind": "rival"}, "factor": 1.5}, {"filter": {"kind": "page"}, "factor": 1.5}]},
        {"rank_by": ["similarity", "importance"]},
    ],
    ids=str,
)
@pytest.mark.parametrize("query", [NAME, "INV-2024/0113", "Grey Heron"])
def test_explanations_give_scores_to_the_last_bit(
    filled: Connection, query: str, fusion: str, options: dict[str, Any]
) -> None:
    explained = one(
        filled,
        "select braid.explain_search(%s, %s::vector, collection => 'names', fusion => %s, options => %s)",
        query,
        vector(QUERY_VECTOR),
        fusion,
        Jsonb(options),
    )
    rows = explained["results"]
    assert [boost["signal"] for boost in rows[0]["boosts"]][-1] == "exact_name"
    assert "boost_" in rows[0]["formula"]
    for row in rows:
        assert eval(row["arithmetic"]) == row["score"], row
    assert [row["chunk_id"] for row in search(filled, query, fusion=fusion, options=options)] == [
        row["chunk_id"] for row in rows
    ]


def test_full_text_search_lifts_only_if_asked(filled: Connection) -> None:
    plain = search(filled, "falcon budget", function="full_text_search")
    assert lifted(search(filled, NAME, function="full_text_search")) == []
    assert search(filled, "falcon budget", 1.1, function="full_text_search") == plain
    rows = search(filled, "INV-2024/0113", 1.1, function="full_text_search")
    assert ids(rows)[0] == "INV-2024/0113"
    assert lifted(search(filled, NAME, 1.1, function="full_text_search")) == ["INV-2024/0113"]
    # Without a vector, hybrid_search is full-text search, with names first.
    assert ids(search(filled, NAME, query_embedding=None))[0] == "INV-2024/0113"


def test_a_document_without_vector(filled: Connection) -> None:
    for fusion in ("convex", "rrf"):
        assert ids(search(filled, "grey heron", fusion=fusion))[0] == "no-vector"


def test_lower_weights_lift_less(filled: Connection) -> None:
    by_weight = {weight: search(filled, NAME, weight, match_count=200) for weight in (0, 0.2, 1.1, 10)}
    scores = {
        weight: next(row["score"] for row in rows if row["external_id"] == "INV-2024/0113")
        for weight, rows in by_weight.items()
    }
    assert sorted(scores.values()) == list(scores.values())
    assert ids(by_weight[0.2])[0] != "INV-2024/0113"
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="name_weight is 11"):
        search(filled, NAME, 11)


def test_names_follow_changes(db: Connection) -> None:
    db.execute("select braid.create_collection('names', dimensions => 4)")
    arguments: dict[str, Any] = {"query_embedding": None}
    upsert(db, [{"external_id": "a", "title": "Old name", "content": "One."}], "names")
    assert lifted(search(db, "old name", **arguments)) == ["a"]
    upsert(db, [{"external_id": "a", "title": "New name", "content": "One."}], "names")
    assert lifted(search(db, "old name", **arguments)) == []
    assert lifted(search(db, "new name", **arguments)) == ["a"]
    upsert(db, [{"external_id": "a", "content": "One."}], "names")
    assert lifted(search(db, "new name", **arguments)) == []
    assert lifted(search(db, "A", **arguments)) == ["a"]
    db.execute("select braid.delete_documents(array['a'], 'names')")
    assert search(db, "A", **arguments) == []


def test_spaces_of_a_title_do_not_depend_on_the_locale(db: Connection) -> None:
    spaces = "\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
    for title in ["Élan  Vital", *(f"Élan{space}{other}Vital" for space in spaces for other in ("", " ", spaces))]:
        for collation in ("C", "default"):
            name = f'braid_store.name_key(%s::text collate "{collation}")'
            assert one(db, f"select {name}", title) == "élan vital", (title, collation)


def test_multi_search(filled: Connection) -> None:
    found = one(
        filled,
        "select braid.multi_search(%s, collection => 'names')",
        Jsonb([{"text": "INV-2024/0113", "embedding": vector(QUERY_VECTOR)}]),
    )
    assert found["results"][0]["external_id"] == "INV-2024/0113"


@pytest.mark.parametrize("query", ["zebra", 'zebra "zebra"', "zébra"])
def test_no_name_costs_look_ups_only(filled: Connection, query: str) -> None:
    """A search that matches no name reads no row of `documents`; other searches read few."""
    read = (
        "select sum(pg_stat_get_xact_tuples_fetched(i.indexrelid) + pg_stat_get_xact_tuples_returned(i.indexrelid)"
        " + pg_stat_get_xact_tuples_returned(i.indrelid)) from pg_index i"
        " where i.indrelid = 'braid_store.documents'::regclass"
    )
    # With statistics the planner could prefer an index that only begins with the same columns.
    filled.execute("analyze braid_store.documents")
    with filled.transaction():
        before = one(filled, read)
        assert search(filled, query, query_embedding=None) == []
        assert one(filled, read) == before
        assert len(search(filled, "grey heron", query_embedding=None)) == 1
        assert before < one(filled, read) < before + 50
