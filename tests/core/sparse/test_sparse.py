"""The sparse leg finds and scores what a few lines of Python compute."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as tried
from hypothesis import strategies as st
from pgvector import SparseVector
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

import pgbraid
from pgbraid.errors import InvalidArgumentError
from pgbraid.vectors import sparse_terms
from support.calls import full_text, one, set_tenant, upsert, vector

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
Terms = Mapping[str, float]
VOCABULARY = [f"t{number}" for number in range(60)]
COLLECTION = (
    "select braid.create_collection('s', dimensions => 3, embedding_model => 'test', ranking => '{\"smoothing\": 0}')"
)


def model(documents: Mapping[str, Terms], query: Terms) -> dict[str, float]:
    """Return the score of every document that shares a term, best first; weights are stored in single precision."""
    scores = {}
    for name, terms in documents.items():
        shared = sorted(query.keys() & terms.keys(), key=str.encode)
        if shared:
            score = 0.0
            for term in shared:
                score += query[term] * float(np.float32(terms[term]))
            scores[name] = score
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0].encode())))


def search(db: Connection, query: Terms | None = None, count: int = 10_000, **arguments: Any) -> list[dict[str, Any]]:
    options = {**({} if query is None else {"sparse": query}), **arguments.pop("options", {})}
    arguments = {"collection": "s", "match_count": count, "options": Jsonb(options), **arguments}
    named = ", ".join(f"{name} => %({name})s" for name in arguments)
    return (
        db.cursor(row_factory=dict_row)
        .execute(
            f"select * from braid.hybrid_search({named})",
            {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()},
        )
        .fetchall()
    )


def found(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    return {row["external_id"]: row["score"] for row in rows}


def some_terms(rng: random.Random, most: int) -> dict[str, float]:
    return {term: round(rng.expovariate(1) + 0.001, 4) for term in rng.sample(VOCABULARY, rng.randint(1, most))}


def documents(count: int, seed: int = 1) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    return [
        {
            "external_id": f"d{number:04}",
            "content": f"{rng.choice(['red', 'blue', 'green'])} text number{number}",
            "metadata": {"part": number % 3, "rare": number % 97},
            "embedding": [rng.random(), rng.random(), 1],
            "sparse": some_terms(rng, 20),
        }
        for number in range(count)
    ]


@pytest.fixture
def empty(db: Connection) -> Connection:
    db.execute(COLLECTION)
    return db


@pytest.fixture(scope="module")
def terms_of() -> dict[str, dict[str, float]]:
    return {document["external_id"]: document["sparse"] for document in documents(900)}


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Iterator[Connection]:
    """Fill 900 documents in a segment with long lists, others in a segment with short lists, and rows that no
    segment has yet."""
    shared_db.execute(COLLECTION)
    made = documents(900)
    upsert(shared_db, made[:500], "s")
    upsert(shared_db, made[500:860], "s")
    for document in made[860:]:
        upsert(shared_db, [document], "s")
    yield shared_db


QUERIES = [some_terms(random.Random(seed), 12) for seed in range(100, 108)]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("count", [1, 10, 10_000])
def test_scores_are_exact(filled: Connection, terms_of: Any, query: Terms, count: int) -> None:
    rows = search(filled, query, count)
    expected = list(model(terms_of, query).items())[:count]
    assert [(row["external_id"], row["score"]) for row in rows] == expected
    assert [row["sparse_rank"] for row in rows] == list(range(1, len(rows) + 1))
    assert all(row["sparse_score"] == row["score"] and row["full_text_score"] is None for row in rows)


@pytest.mark.parametrize("part", [{"part": 1}, {"rare": 5}, {"part": 0, "rare": {"$lt": 40}}])
def test_filters_hold(filled: Connection, terms_of: Any, part: Any) -> None:
    def passes(number: int) -> bool:
        values = {"part": number % 3, "rare": number % 97}
        return all(values[k] < v["$lt"] if isinstance(v, dict) else values[k] == v for k, v in part.items())

    kept = {name: terms for name, terms in terms_of.items() if passes(int(name[1:]))}
    for query in QUERIES[:4]:
        expected = list(model(kept, query).items())[:7]
        assert list(found(search(filled, query, 7, filters=part)).items()) == expected


def test_what_the_text_demands_holds(filled: Connection, terms_of: Any) -> None:
    color = {
        row[0]: row[1].split()[0]
        for row in filled.execute(
            "select d.external_id, c.content from braid_store.documents d join braid_store.chunks c"
            " on c.document_id = d.id"
        )
    }
    query = QUERIES[0]
    for text, allowed in (("+red", {"red"}), ("-red", {"blue", "green"}), ('"blue text"', {"blue"})):
        rows = search(filled, query, 900, query_text=text, full_text_weight=0)
        expected = model({name: terms for name, terms in terms_of.items() if color[name] in allowed}, query)
        assert {row["external_id"]: row["sparse_score"] for row in rows if row["sparse_score"]} == expected
        assert {color[row["external_id"]] for row in rows} <= allowed
    for number in (5, 899):
        rows = search(filled, query, query_text=f"+number{number}", query_embedding=vector([1, 0, 0]))
        assert [row["external_id"] for row in rows] == [f"d{number:04}"]


def test_min_scores(filled: Connection, terms_of: Any) -> None:
    expected = model(terms_of, QUERIES[1])
    floor = list(expected.values())[30]
    assert found(search(filled, QUERIES[1], min_score=floor)) == dict(list(expected.items())[:31])
    rows = search(filled, QUERIES[1], 900, query_text="red", options={"min_scores": {"sparse": floor}}, fusion="rrf")
    assert sum(row["sparse_rank"] is not None for row in rows) == 31


def test_pages_go_on_to_the_end(filled: Connection, terms_of: Any) -> None:
    cursor: str | None = ""
    listed: list[str] = []
    while cursor is not None:
        rows = search(filled, QUERIES[2], 60, options={"cursor": cursor})
        listed += [row["external_id"] for row in rows]
        cursor = rows[-1]["cursor"] if rows else None
    assert listed == list(model(terms_of, QUERIES[2]))


def test_pages_are_whole_where_the_leg_has_a_minimum(empty: Connection) -> None:
    """A page is full where the leg has a minimum: three documents reach it, and documents just below it count more
    than full text's first ones."""
    weight = dict.fromkeys(range(3), 5.0) | dict.fromkeys(range(120, 200), 4.9)
    upsert(
        empty,
        [
            {
                "external_id": f"d{number:04}",
                "content": "ship" + " sea" * (number // 5),
                "sparse": {"a": weight[number]} if number in weight else {"b": 1},
            }
            for number in range(200)
        ],
        "s",
    )
    options = {"min_scores": {"sparse": 4.95}, "ranking": {"sparse_weight": 2, "normalisation": "none"}}
    everything = search(empty, {"a": 1}, 1000, query_text="ship", options=options)
    cursor: str | None = ""
    listed: list[tuple[str, float]] = []
    while cursor is not None:
        rows = search(empty, {"a": 1}, 20, query_text="ship", candidate_count=20, options={**options, "cursor": cursor})
        listed += [(row["external_id"], row["score"]) for row in rows]
        cursor = rows[-1]["cursor"] if rows else None
    assert listed == [(row["external_id"], row["score"]) for row in everything]
    assert len(listed) == 200


def test_no_terms_are_told_of(filled: Connection) -> None:
    answer = one(filled, """select braid.search_json('red', collection => 's', options => '{"sparse": {}}')""")
    assert answer["results"]
    told = {warning["code"]: warning["message"] for warning in answer["warnings"]}
    assert "option sparse has no terms" in told["no_sparse_terms"]


@pytest.mark.parametrize("fusion", ["convex", "max", "rrf", "dbsf"])
@pytest.mark.parametrize("legs", ["text", "vector", "all", "sparse"])
def test_explanations_are_exact(filled: Connection, terms_of: Any, fusion: str, legs: str) -> None:
    text = "red number3" if legs in ("text", "all") else None
    embedding = vector([1, 0.5, 0]) if legs in ("vector", "all") else None
    query = QUERIES[3]
    explained = one(
        filled,
        "select braid.explain_search(%s, %s, 12, fusion => %s, collection => 's', options => %s,"
        " external_id => 'd0007')",
        text,
        embedding,
        fusion,
        Jsonb({"sparse": query, "ranking": {"sparse_weight": 0.7}}),
    )
    rows = search(
        filled,
        query,
        12,
        query_text=text,
        query_embedding=embedding,
        fusion=fusion,
        options={"ranking": {"sparse_weight": 0.7}},
    )
    assert len(rows) == 12
    scores = model(terms_of, query)
    for row, why in zip(rows, explained["results"], strict=True):
        assert why["external_id"] == row["external_id"]
        assert eval(why["arithmetic"]) == row["score"] == why["score"]
        if row["sparse_score"] is not None:
            assert row["sparse_score"] == scores.get(row["external_id"], 0)
            ordered = sorted(why["sparse"]["terms"], key=lambda term: term["term"].encode())
            assert sum(term["contribution"] for term in ordered) == row["sparse_score"]
            assert {term["term"]: term["query_weight"] for term in ordered}.items() <= query.items()
        assert (row["semantic_score"] is None) >= (embedding is None)
        assert (row["full_text_score"] is None) >= (text is None)
    assert explained["legs"]["sparse"]["terms"] == query
    assert explained["document"]["chunks"][0]["sparse_score"] == scores.get("d0007")


def test_a_third_leg_has_its_share(filled: Connection, terms_of: Any) -> None:
    """A third leg has its share: with convex fusion and theoretical normalisation, the score is the weighted mean of
    score / best score."""
    query, text = QUERIES[4], "red"
    texts = {name: score for name, _, score in full_text(filled, text, collection="s")}
    scores = model(terms_of, query)
    best_text, best_sparse = max(texts.values()), max(scores.values())
    rows = search(
        filled,
        query,
        900,
        query_text=text,
        full_text_weight=2,
        candidate_count=900,
        options={"ranking": {"sparse_weight": 3, "normalisation": "theoretical"}},
    )
    expected = {
        name: 2 / 5 * (texts.get(name, 0) / best_text) + 3 / 5 * (scores.get(name, 0) / best_sparse)
        for name in texts.keys() | scores.keys()
    }
    assert found(rows) == pytest.approx(expected, rel=1e-12)
    # A chunk that another leg proposed gets its exact sparse score, whatever its rank.
    few = search(filled, query, 5, query_text=text, candidate_count=5)
    assert all(row["sparse_score"] == scores.get(row["external_id"], 0) for row in few)
    assert any(row["sparse_rank"] is None for row in few)


def test_rrf_of_three_legs(filled: Connection, terms_of: Any) -> None:
    query = QUERIES[5]
    ranks = {name: rank for rank, name in enumerate(list(model(terms_of, query))[:50], 1)}
    texts = {name: rank for rank, (name, _, _) in enumerate(full_text(filled, "blue", collection="s")[:50], 1)}
    rows = search(
        filled,
        query,
        100,
        query_text="blue",
        rrf_k=60,
        full_text_weight=1,
        candidate_count=50,
        options={"ranking": {"fusion": "rrf", "sparse_weight": 2}},
    )
    expected = {
        name: (1 / (60 + texts[name]) if name in texts else 0) + (2 / (60 + ranks[name]) if name in ranks else 0)
        for name in ranks.keys() | texts.keys()
    }
    assert found(rows) == pytest.approx(expected, rel=1e-12)


def test_stats_tell_of_the_leg(filled: Connection) -> None:
    answer = one(
        filled, "select braid.search_json('red', collection => 's', options => %s)", Jsonb({"sparse": QUERIES[0]})
    )
    assert answer["stats"]["sparse_candidates"] == 100 and answer["stats"]["sparse_terms"] == len(QUERIES[0])
    assert answer["stats"]["mode"] == "hybrid" and answer["stats"]["semantic_candidates"] == 0
    assert "chunks_not_embedded" not in str(answer["warnings"])
    plain = one(filled, "select braid.search_json('red', collection => 's')")
    assert "sparse_candidates" not in plain["stats"] and plain["stats"]["mode"] == "full_text"


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@tried(data=st.data())
def test_whatever_is_written_is_found(shared_db: Connection, data: Any) -> None:
    shared_db.execute("select braid.create_collection('w', dimensions => 3, embedding_model => 'test')")
    shared_db.execute("select braid.clear_collection('w')")
    weights = st.floats(0.0078125, 128, width=32)
    terms_strategy = st.dictionaries(
        st.sampled_from(["a", "b", "##c", "new york", "É", "~", "t 1"]), weights, max_size=5
    )
    stored: dict[str, Terms] = {}
    given: dict[str, Terms] = {}
    for _ in range(data.draw(st.integers(1, 12))):
        name = f"n{data.draw(st.integers(0, 5))}"
        action = data.draw(st.sampled_from(["upsert", "store", "delete", "maintain", "rebuild"]))
        if action == "upsert":
            terms = data.draw(terms_strategy)
            status = upsert(shared_db, [{"external_id": name, "content": "x", "sparse": terms}], "w")[name]
            assert (status == "unchanged") == (given.get(name) == terms)
            # An unchanged document keeps the terms that were stored since.
            if status != "unchanged":
                stored[name] = given[name] = terms
        elif action == "store" and name in stored:
            terms = data.draw(terms_strategy)
            shared_db.execute(
                "select braid.store_sparse_terms(array(select c.id from braid_store.chunks c join"
                " braid_store.documents d on d.id = c.document_id where d.external_id = %s), %s, 'w')",
                (name, Jsonb([terms])),
            )
            stored[name] = terms
        elif action == "delete":
            shared_db.execute("select braid.delete_document(%s, 'w')", (name,))
            stored.pop(name, None)
            given.pop(name, None)
        elif action == "maintain":
            shared_db.execute("select braid.maintain()")
        else:
            shared_db.execute("select braid.rebuild_index('w')")
        query = data.draw(
            st.dictionaries(st.sampled_from(["a", "b", "##c", "new york", "É", "~"]), weights, min_size=1)
        )
        assert list(found(search(shared_db, query, collection="w")).items()) == list(model(stored, query).items())
    assert shared_db.execute("select * from braid.check_index('w')").fetchall() == []


def chunk_ids(db: Connection) -> list[int]:
    return [row[0] for row in db.execute("select id from braid_store.chunks order by id")]


def store(db: Connection, ids: list[int], terms: list[Any], collection: str = "s") -> int:
    return int(one(db, "select braid.store_sparse_terms(%s::bigint[], %s, %s)", ids, Jsonb(terms), collection))


def test_terms_arrive_late_and_are_replaced(empty: Connection) -> None:
    made = documents(400)
    upsert(empty, [{**document, "sparse": None} for document in made], "s")
    query = {"t1": 1.0, "t2": 0.5}
    assert search(empty, query) == []
    ids = chunk_ids(empty)
    assert store(empty, ids, [document["sparse"] for document in made]) == 400
    names = [document["external_id"] for document in made]
    now = dict(zip(names, [document["sparse"] for document in made], strict=True))
    assert found(search(empty, query)) == model(now, query)
    empty.execute("select braid.maintain()")
    # These weights exceed the segment's bounds; one write makes a segment, and the other does not.
    for first, last in ((0, 300), (390, 400)):
        changed = {name: {"t1": 900.0 + number} for number, name in enumerate(names[first:last])}
        store(empty, ids[first:last], list(changed.values()))
        now |= changed
        assert found(search(empty, query, 20)) == dict(list(model(now, query).items())[:20])
    store(empty, ids[:50], [{}] * 50)
    now = {name: terms for name, terms in now.items() if name not in names[:50]}
    assert found(search(empty, query)) == model(now, query)
    empty.execute("select braid.maintain()")
    assert found(search(empty, query)) == model(now, query)
    assert empty.execute("select * from braid.check_index('s')").fetchall() == []
    # Terms of a deleted chunk are not stored.
    empty.execute("select braid.delete_document(%s, 's')", (names[-1],))
    assert store(empty, ids[-2:], [{"t1": 1}, {"t1": 1}]) == 1
    assert one(empty, "select braid.status('s') #> '{collections,0,chunks_with_sparse_terms}'") == 349


def test_segments_are_merged_and_emptied(empty: Connection) -> None:
    for number in range(9):
        upsert(
            empty,
            [{"external_id": f"{number}-{n}", "content": "x", "sparse": {"a": n + 1, f"b{n}": 1}} for n in range(260)],
            "s",
        )
    segments = "select count(*) from braid_store.segments where collection_id < 0"
    assert one(empty, segments) == 9
    empty.execute("select braid.maintain()")
    assert one(empty, segments) == 1
    assert [row["score"] for row in search(empty, {"a": 1}, 10)] == [260.0] * 9 + [259.0]
    for number in range(6):
        empty.execute(
            "select braid.delete_documents(array(select %s || '-' || n from generate_series(0, 259) n), 's')",
            (str(number),),
        )
    assert len(search(empty, {"a": 1})) == 780
    empty.execute("select braid.maintain()")
    assert empty.execute("select chunk_count from braid_store.segments where collection_id < 0").fetchall() == [(780,)]
    assert empty.execute("select * from braid.check_index('s')").fetchall() == []
    empty.execute("select braid.clear_collection('s')")
    for table in ("sparse_rows", "segments", "segment_chunks", "unindexed_sparse_rows", "postings"):
        assert one(empty, f"select count(*) from braid_store.{table}") == 0


def test_lists_move_to_the_other_table(empty: Connection, dsn: str) -> None:
    upsert(empty, documents(300), "s")
    empty.execute("select braid.maintain()")
    before = found(search(empty, QUERIES[0]))
    every = one(empty, "select count(*) from braid_store.postings_a where collection_id < 0")
    assert every > 50
    moved = "select count(*) from braid_store.postings_b where collection_id < 0"
    move = "select moved_count from braid_store.empty_postings('infinity')"
    empty.execute("update braid_store.posting_tables set active = 'b', left_by = pg_current_xact_id()")
    with psycopg.connect(dsn) as other:
        other.execute("select from braid_store.segments where collection_id < 0 for update")
        empty.execute(move)
        assert one(empty, moved) == 0
    empty.execute(move)
    assert one(empty, moved) == every
    assert found(search(empty, QUERIES[0])) == before
    assert empty.execute("select * from braid.check_index()").fetchall() == []


def test_dropped_collections_leave_nothing(empty: Connection) -> None:
    upsert(empty, documents(300), "s")
    upsert(empty, [{"external_id": "one", "content": "x", "sparse": {"a": 1}}], "s")
    empty.execute("select braid.drop_collection('s')")
    while not one(empty, "select braid.maintain() -> 'complete'"):
        pass
    for table in ("sparse_rows", "segments", "segment_chunks", "unindexed_sparse_rows", "postings"):
        assert one(empty, f"select count(*) from braid_store.{table}") == 0


def test_full_text_stays_as_it_is(empty: Connection) -> None:
    made = documents(300)
    upsert(empty, [{**document, "sparse": None} for document in made], "s")
    before = full_text(empty, "red text number7", collection="s")
    assert len(before) == 300
    store(empty, chunk_ids(empty), [{**document["sparse"], "red": 3, "number7": 9} for document in made])
    assert full_text(empty, "red text number7", collection="s") == before
    assert full_text(empty, "red text n* numbr7", collection="s", options={"typos": "auto"}) != []
    explained = one(empty, "select braid.explain_search('red', collection => 's')")
    assert explained["query"]["terms"][0]["document_frequency"] == sum(
        "red" in document["content"] for document in made
    )


def test_tenants_do_not_meet(empty: Connection) -> None:
    upsert(empty, documents(300), "s")
    empty.execute("select braid.create_tenant('other')")
    set_tenant(empty, "other")
    assert search(empty, {"t1": 1}) == []
    upsert(empty, [{"external_id": "mine", "content": "x", "sparse": {"t1": 1}}], "s")
    assert found(search(empty, {"t1": 2})) == {"mine": 2.0}
    strangers = [row[0] for row in empty.execute("select id from braid_store.chunks order by id limit 3")]
    assert store(empty, strangers, [{"t1": 9}] * 3) == 0
    assert found(search(empty, {"t1": 2})) == {"mine": 2.0}


def test_a_document_with_terms_is_one_chunk_and_changes_with_them(empty: Connection) -> None:
    text = "One sentence more. " * 500
    document = {"external_id": "a", "content": text, "sparse": {"x": 1}}
    assert upsert(empty, [document], "s") == {"a": "inserted"}
    assert len(chunk_ids(empty)) == 1
    assert upsert(empty, [document], "s") == {"a": "unchanged"}
    assert upsert(empty, [{**document, "sparse": {"x": 2}}], "s") == {"a": "replaced"}
    assert found(search(empty, {"x": 1})) == {"a": 2.0}
    assert (
        one(empty, "select (braid.upsert_document('b', 'x', sparse => '{\"x\": 7}', collection => 's')).status")
        == "inserted"
    )
    assert found(search(empty, {"x": 1})) == {"b": 7.0, "a": 2.0}


def test_the_limit_of_a_long_text_names_the_terms(empty: Connection) -> None:
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="40000 words") as caught:
        upsert(empty, [{"external_id": "a", "content": "one " * 40_000, "embedding": None, "sparse": {"x": 1}}], "s")
    assert "embedding and sparse" in str(caught.value.diag.message_hint)


def test_one_document_has_no_terms_without_weights(empty: Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match='the weight of "b" is null'):
        empty.execute("select braid.upsert_document('a', 'x', sparse => '{\"a\": 1, \"b\": null}', collection => 's')")
    empty.execute("select braid.upsert_document('a', 'x', sparse => 'null', collection => 's')")
    assert one(empty, "select count(*) from braid_store.sparse_rows") == 0


@pytest.mark.parametrize(
    ("terms", "state", "message"),
    [
        ([], "22023", "sparse of document"),
        ({"a": 0}, "22023", 'the weight of "a" is 0'),
        ({"a": -1}, "22023", 'the weight of "a" is -1'),
        ({"a": 1e10}, "22023", 'the weight of "a" is'),
        ({"a": "1"}, "22023", 'the weight of "a" is "1"'),
        ({"a": None}, "22023", 'the weight of "a" is null'),
        ({"": 1}, "22023", "a term of 0 bytes"),
        ({"a\nb": 1}, "22023", "line break"),
        ({"é" * 128: 1}, "22023", "a term of 256 bytes"),
        ({f"t{n}": 1 for n in range(4097)}, "54000", "4097 terms, more than 4096"),
    ],
)
def test_bad_terms(empty: Connection, terms: Any, state: str, message: str) -> None:
    upsert(empty, [{"external_id": "there", "content": "x"}], "s")
    with pytest.raises(psycopg.Error) as caught:
        upsert(
            empty,
            [
                {"external_id": "fine", "content": "x", "sparse": {"a": 1}},
                {"external_id": "bad", "content": "y", "sparse": terms},
            ],
            "s",
        )
    assert caught.value.sqlstate == state and caught.value.diag.message_hint
    if isinstance(terms, dict):
        assert message in str(caught.value) and 'document "bad"' in str(caught.value)
        with pytest.raises(psycopg.Error) as caught:
            upsert(
                empty, [{"external_id": "bad", "chunks": [{"content": "y"}, {"content": "y", "sparse": terms}]}], "s"
            )
        assert message in str(caught.value) and 'document "bad" chunk 2' in str(caught.value)
        with pytest.raises(psycopg.Error) as caught:
            store(empty, chunk_ids(empty), [terms])
        assert message in str(caught.value) and caught.value.sqlstate == state
        if len(terms) < 4097:
            with pytest.raises(psycopg.Error) as caught:
                search(empty, terms)
            assert message in str(caught.value) and "option sparse" in str(caught.value)
    assert one(empty, "select count(*) from braid_store.documents") == 1
    assert one(empty, "select count(*) from braid_store.sparse_rows") == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("braid.store_sparse_terms('{1,2}', '[{\"a\": 1}]', 's')", "chunk_ids has 2 elements, terms 1"),
        ("braid.store_sparse_terms('{1,1}', '[{\"a\": 1}, {\"a\": 1}]', 's')", "each chunk must come once"),
        ("braid.store_sparse_terms('{1}', '{\"a\": 1}', 's')", "terms is a JSON object"),
        ("braid.store_sparse_terms('{1}', null, 's')", "terms is null"),
        ("braid.store_sparse_terms('{1}', '[7]', 's')", "terms of chunk 1 is a JSON number"),
        ("braid.store_sparse_terms('{1}', '[{}]', 'none')", "does not exist"),
        ("braid.hybrid_search('x', collection => 's', options => '{\"sparse\": true}')", "option sparse is true"),
        ("braid.hybrid_search('x', collection => 's', options => '{\"sparse\": [1]}')", "option sparse is [1]"),
        (
            "braid.hybrid_search('x', collection => 's', options => '{\"ranking\": {\"sparse_weight\": -1}}')",
            "ranking: sparse_weight is -1",
        ),
        (
            "braid.hybrid_search(collection => 's',"
            ' options => \'{"sparse": {"a": 1}, "ranking": {"sparse_weight": 0}}\')',
            "there is no other leg",
        ),
        (
            "braid.hybrid_search('x', '[1,0,0]', collection => 's',"
            ' options => \'{"sparse": {"a": 1}, "prefilter": true}\')',
            "do not go together",
        ),
        ("braid.full_text_search('x', collection => 's', options => '{\"sparse\": {\"a\": 1}}')", "has no meaning"),
        (
            "braid.semantic_search('[1,0,0]', collection => 's', options => '{\"sparse\": {\"a\": 1}}')",
            "has no meaning",
        ),
        ('braid.similar_chunks(1, options => \'{"sparse": {"a": 1}}\')', "has no meaning"),
        ("braid.set_ranking('s', '{\"sparse_weight\": -1}')", "ranking: sparse_weight is -1"),
    ],
)
def test_bad_calls(empty: Connection, call: str, message: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        empty.execute(f"select {call}")
    assert message in str(caught.value)
    assert caught.value.sqlstate in ("22023", "42704") and caught.value.diag.message_hint


def test_the_client_stores_terms(dsn: str) -> None:
    with pgbraid.connect(dsn) as client:
        client.create_collection("s", dimensions=3, embedding_model="test", ranking={"sparse_weight": 0.5})
        client.add_documents(
            [{"external_id": "a", "content": "x", "sparse": {"b": 2}}, {"external_id": "c", "content": "y"}],
            collection="s",
        )
        ids = {
            row[0]: row[1]
            for row in client.connection.execute(
                "select d.external_id, c.id from braid_store.documents d join braid_store.chunks c"
                " on c.document_id = d.id"
            )
        }
        terms = sparse_terms(SparseVector({1: 4, 2: -1}, 3), ["a", "b", "c"])
        assert terms == {"b": 4} and sparse_terms(SparseVector({1: 4}, 3), "v") == {"v:1": 4}
        assert client.store_sparse_terms({ids["c"]: terms}, collection="s") == 1
        results = client.search("x", mode="hybrid", embedding=[1, 0, 0], collection="s", options={"sparse": {"b": 1}})
        assert {row.external_id: (row.sparse_score, row.sparse_rank) for row in results} == {"a": (2, 2), "c": (4, 1)}
        assert "sparse #1 (4.000)" in str(results)
        explained = client.explain_search(
            "x", embedding=[1, 0, 0], collection="s", external_id="c", options={"sparse": {"b": 1}}
        )
        assert "sparse" in str(explained)
        with pytest.raises(InvalidArgumentError, match='weight of "b"'):
            client.store_sparse_terms({ids["c"]: {"b": 0}}, collection="s")
        with pytest.raises(InvalidArgumentError, match="vocabulary"):
            sparse_terms(SparseVector({1: 4}, 3), ["a"])
