"""The filter language matches what it should, refuses invalid filters, and cannot be used for injection."""

from __future__ import annotations

import json
import re
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support.examples import examples
from support.filter_model import matches

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]
Json = Any
COLLECTION = "shelf"
Strategy = st.SearchStrategy[Any]

DOCUMENTS: dict[str, dict[str, Json]] = {
    "ana": {
        "speaker": "Ana",
        "category": "sales",
        "importance": 1,
        "occurred_at": "2024-01-31T23:30:00Z",
        "language": "en",
        "source_uri": "file:///a.txt",
        "metadata": {"tags": ["a", "b"], "year": 2020, "page": {"number": 3, "section": {"title": "Intro"}}},
    },
    "ben": {
        "speaker": "Ben",
        "importance": 4.5,
        "occurred_at": "2024-02-01T00:30:00+00:00",
        "metadata": {"tags": "a", "year": "2020", "page.number": 7, "page": {"number": 8}, "draft": True},
    },
    "cyd": {
        "category": "Sales",
        "metadata": {
            "tags": [],
            "year": None,
            "draft": False,
            "speaker": "Ana",
            "day": "2024-02-01",
            "$x": 1,
        },
    },
    "eve": {
        "metadata": {
            "items": [
                {"sku": "x", "price": 5, "sizes": ["s", "m"], "parts": [{"id": 7}, {"id": 8}], "note": None},
                {"sku": "y", "price": 9},
                "loose",
            ],
            "grid": [[1, 2], [{"a": 1}]],
        }
    },
    "fay": {"metadata": {"items": [{"sku": ["x", "z"], "price": 8, "sizes": []}]}},
    "dee": {"metadata": {"year": 2020.5, "day": "2024-01-15", "tags": [1, True, "c"], "": "blank"}},
}

MATCHES: list[tuple[Json, str]] = [
    ({}, "ana ben cyd dee eve fay"),
    (None, "ana ben cyd dee eve fay"),
    # These are columns of the chunk.
    ({"speaker": "Ana"}, "ana"),
    ({"speaker": "ana"}, ""),
    ({"speaker": {"$eq": "Ben"}}, "ben"),
    ({"speaker": {"$ne": "Ana"}}, "ben cyd dee eve fay"),
    ({"speaker": {"$in": ["Ana", "Ben", "Zoe"]}}, "ana ben"),
    ({"speaker": {"$in": ["Ana", None]}}, "ana cyd dee eve fay"),
    ({"speaker": {"$in": []}}, ""),
    ({"speaker": {"$nin": []}}, "ana ben cyd dee eve fay"),
    ({"speaker": {"$nin": ["Ana"]}}, "ben cyd dee eve fay"),
    ({"speaker": {"$nin": ["Ana", None]}}, "ben"),
    ({"speaker": None}, "cyd dee eve fay"),
    ({"speaker": {"$ne": None}}, "ana ben"),
    ({"speaker": {"$exists": True}}, "ana ben"),
    ({"speaker": {"$exists": False}}, "cyd dee eve fay"),
    ({"speaker": {"$gt": "Ana"}}, "ben"),
    ({"category": {"$gte": "a"}}, "ana"),
    ({"language": "en"}, "ana"),
    ({"importance": {"$gte": 1, "$lt": 4.5}}, "ana"),
    ({"importance": 4.50}, "ben"),
    ({"importance": {"$nin": [1]}}, "ben cyd dee eve fay"),
    ({"occurred_at": {"$lt": "2024-02-01T00:00:00Z"}}, "ana"),
    ({"occurred_at": {"$gte": "2024-02-01T01:00:00+01:00"}}, "ben"),
    # "ana" occurred in the last half hour of January. A date means the whole day.
    ({"occurred_at": {"$lte": "2024-01-31"}}, "ana"),
    ({"occurred_at": {"$lte": "2024-01-31T00:00:00Z"}}, ""),
    ({"occurred_at": {"$gt": "2024-01-31"}}, "ben"),
    ({"occurred_at": {"$gt": "2024-01-31T00:00:00Z"}}, "ana ben"),
    ({"occurred_at": {"$gte": "2024-01-31"}}, "ana ben"),
    ({"occurred_at": {"$lt": "2024-01-31"}}, ""),
    ({"occurred_at": {"$not": {"$lte": "2024-01-31"}}}, "ben cyd dee eve fay"),
    ({"occurred_at": "2024-02-01 00:30:00Z"}, "ben"),
    ({"occurred_at": "2024-01-31"}, "ana"),
    ({"occurred_at": {"$eq": "2024-02-01"}}, "ben"),
    ({"occurred_at": {"$ne": "2024-01-31"}}, "ben cyd dee eve fay"),
    ({"occurred_at": {"$in": ["2024-01-30", "2024-01-31"]}}, "ana"),
    ({"occurred_at": {"$in": ["2024-01-31", "2024-02-01T00:30:00Z", "2024-01-31T23:30:00Z"]}}, "ana ben"),
    ({"occurred_at": {"$nin": ["2024-01-31", None]}}, "ben"),
    ({"occurred_at": {"$between": ["2024-01-01", "2024-01-31"]}}, "ana"),
    ({"occurred_at": {"$between": ["2024-02-01", "2024-02-01"]}}, "ben"),
    ({"occurred_at": None}, "cyd dee eve fay"),
    # These are columns of the document.
    ({"external_id": "ben"}, "ben"),
    ({"external_id": {"$in": ["ana", "dee", "zoe"]}}, "ana dee"),
    ({"external_id": {"$ne": "ben"}}, "ana cyd dee eve fay"),
    ({"external_id": {"$gte": "cyd"}}, "cyd dee eve fay"),
    ({"source_uri": "file:///a.txt"}, "ana"),
    ({"source_uri": None}, "ben cyd dee eve fay"),
    ({"source_uri": {"$exists": True}}, "ana"),
    ({"source_uri": {"$nin": ["file:///a.txt"]}}, "ben cyd dee eve fay"),
    # metadata: types never mix, and no type fails
    ({"year": 2020}, "ana"),
    ({"year": 2020.0}, "ana"),
    ({"year": "2020"}, "ben"),
    ({"year": {"$gt": 2000}}, "ana dee"),
    ({"year": {"$lte": 2020}}, "ana"),
    ({"year": {"$gt": "2000"}}, "ben"),
    ({"year": {"$in": [2020, "2020"]}}, "ana ben"),
    ({"year": True}, ""),
    ({"draft": True}, "ben"),
    ({"draft": {"$ne": True}}, "ana cyd dee eve fay"),
    ({"day": {"$gte": "2024-01-20", "$lt": "2024-03"}}, "cyd"),
    ({"": "blank"}, "dee"),
    # metadata: null also matches a missing key
    ({"year": None}, "cyd eve fay"),
    ({"year": {"$exists": True}}, "ana ben dee"),
    ({"year": {"$exists": False}}, "cyd eve fay"),
    ({"year": {"$ne": 2020}}, "ben cyd dee eve fay"),
    ({"year": {"$nin": [2020, "2020"]}}, "cyd dee eve fay"),
    ({"nothing": {"$ne": 1}}, "ana ben cyd dee eve fay"),
    ({"nothing": {"$gt": 1}}, ""),
    ({"nothing": {"$in": [1, None]}}, "ana ben cyd dee eve fay"),
    # metadata: an array matches by its elements
    ({"tags": "a"}, "ana ben"),
    ({"tags": {"$ne": "a"}}, "cyd dee eve fay"),
    ({"tags": {"$in": ["b", "c"]}}, "ana dee"),
    ({"tags": {"$nin": ["b", "c"]}}, "ben cyd eve fay"),
    ({"tags": 1}, "dee"),
    ({"tags": True}, "dee"),
    ({"tags": {"$exists": True}}, "ana ben cyd dee"),
    # One element must lie within all bounds.
    ({"tags": {"$gte": "a"}}, "ana ben dee"),
    ({"tags": {"$gt": "a", "$lt": "c"}}, "ana"),
    ({"tags": {"$gte": 0, "$lt": "z"}}, ""),
    ({"$and": [{"tags": {"$gte": 0}}, {"tags": {"$lt": "z"}}]}, "dee"),
    ({"tags": {"$not": {"$gt": "b"}}}, "ana ben cyd eve fay"),
    ({"tags": {"$between": ["b", "c"]}}, "ana dee"),
    ({"tags": {"$between": [1, 2]}}, "dee"),
    ({"tags": {"$all": ["a", "b"]}}, "ana"),
    ({"tags": {"$all": ["a"]}}, "ana ben"),
    ({"tags": {"$all": ["c", 1, True]}}, "dee"),
    ({"tags": {"$all": []}}, ""),
    ({"tags": {"$like": "_"}}, "ana ben dee"),
    ({"year": {"$between": [2020, 2021]}}, "ana dee"),
    # patterns
    ({"page.section.title": {"$like": "In%"}}, "ana"),
    ({"page.section.title": {"$like": "in%"}}, ""),
    ({"page.section.title": {"$ilike": "in%O"}}, "ana"),
    ({"page.section.title": {"$not": {"$like": "In%"}}}, "ben cyd dee eve fay"),
    ({"speaker": {"$ilike": "%n%"}}, "ana ben"),
    ({"source_uri": {"$like": "file:///_.txt"}}, "ana"),
    ({"external_id": {"$like": "%e%"}}, "ben dee eve"),
    ({"year": {"$like": "20%"}}, "ben"),
    # metadata: a path goes into lists of objects
    ({"items.sku": "x"}, "eve fay"),
    ({"items.sku": "z"}, "fay"),
    ({"items.sku": {"$ne": "x"}}, "ana ben cyd dee"),
    ({"items.sku": {"$in": ["y", "z"]}}, "eve fay"),
    ({"items.sku": {"$nin": ["y", "z"]}}, "ana ben cyd dee"),
    ({"items.sku": {"$not": {"$eq": "y"}}}, "ana ben cyd dee fay"),
    ({"items.sku": {"$all": ["x", "y"]}}, "eve"),
    ({"items.sku": {"$like": "x%"}}, "eve fay"),
    ({"items.sku": {"$exists": True}}, "eve fay"),
    ({"items.sku": {"$exists": False}}, "ana ben cyd dee"),
    ({"items.sku": None}, "ana ben cyd dee"),
    ({"items.note": {"$exists": True}}, ""),
    ({"items.price": {"$gt": 4, "$lt": 6}}, "eve"),
    ({"items.price": {"$gt": 6}}, "eve fay"),
    ({"items.price": {"$between": [8, 9]}}, "eve fay"),
    ({"items.price": {"$not": {"$lt": 6}}}, "ana ben cyd dee fay"),
    ({"items.sizes": "m"}, "eve"),
    ({"items.sizes": {"$exists": True}}, "eve fay"),
    ({"items.parts.id": 7}, "eve"),
    ({"items.parts.id": {"$gt": 6}}, "eve"),
    ({"metadata.items.sku": "y"}, "eve"),
    # metadata: a number in a path is a position in a list
    ({"items.0.sku": "x"}, "eve fay"),
    ({"items.1.sku": "x"}, ""),
    ({"items.1.sku": "y"}, "eve"),
    ({"items.sizes.1": "m"}, "eve"),
    ({"items.0.parts.id": 8}, "eve"),
    # metadata: a path does not go into lists within lists
    ({"grid": 1}, ""),
    ({"grid": {"$gt": 0}}, ""),
    ({"grid.a": 1}, ""),
    ({"grid.0": 1}, "eve"),
    # metadata: paths, literal dots, and keys that `metadata.` marks as metadata
    ({"page.section.title": "Intro"}, "ana"),
    ({"page.number": 3}, "ana"),
    ({"page.number": 7}, "ben"),
    ({"page.number": 8}, ""),
    ({"tags.0": "a"}, "ana"),
    ({"page": {"$exists": True}}, "ana ben"),
    ({"page": 3}, ""),
    ({"metadata.speaker": "Ana"}, "cyd"),
    ({"metadata.year": 2020}, "ana"),
    ({"metadata.page.number": 7}, "ben"),
    ({"metadata.$x": 1}, "cyd"),
    # combinations
    ({"speaker": "Ana", "year": 2020}, "ana"),
    ({"speaker": "Ana", "year": 2021}, ""),
    ({"$and": [{"tags": "a"}, {"year": "2020"}]}, "ben"),
    ({"$or": [{"speaker": "Ana"}, {"draft": False}, {"year": 2020.5}]}, "ana cyd dee"),
    ({"$or": [{"speaker": "Ana", "year": 1}, {"tags": "a", "draft": True}]}, "ben"),
    ({"$not": {"speaker": "Ana"}}, "ben cyd dee eve fay"),
    ({"$not": {"year": {"$gt": 2000}}}, "ben cyd eve fay"),
    ({"$not": {"$not": {"year": {"$gt": 2000}}}}, "ana dee"),
    ({"$not": {"$or": [{"year": 2020}, {"draft": True}]}}, "cyd dee eve fay"),
    ({"$not": {}}, ""),
    ({"year": {"$not": {"$gt": 2000}}}, "ben cyd eve fay"),
    ({"year": {"$not": {"$gt": 2000}, "$exists": True}}, "ben"),
    ({"tags": "a", "$or": [{"year": 2020}, {"year": "2020"}], "$not": {"draft": True}}, "ana"),
]

# Each refused filter stands beside a word that the message must contain.
REFUSED: list[tuple[Json, str]] = [
    ("{}", "string"),
    ('{"speaker": "Ana"}', "string"),
    ([{"speaker": "Ana"}], "array"),
    (5, "number"),
    (True, "boolean"),
    ({"$foo": 1}, "$foo"),
    ({"$eq": 1}, "$eq"),
    ({"year": {"$regex": "x"}}, "year"),
    ({"year": {"$gt": 1, "x": 2}}, "year"),
    ({"year": {"x": {"$gt": 1}}}, "year"),
    ({"year": {}}, "year"),
    ({"year": [2020]}, "year"),
    ({"year": {"$eq": {"a": 1}}}, "year"),
    ({"year": {"$between": [1]}}, "year"),
    ({"year": {"$between": 5}}, "year"),
    ({"year": {"$between": [1, None]}}, "$lte"),
    ({"year": {"$all": "a"}}, "year"),
    ({"year": {"$all": [[1]]}}, "year"),
    ({"year": {"$all": list(range(2000))}}, "1000 conditions"),
    ({"year": {"$like": 5}}, "year"),
    ({"year": {"$like": "a\\"}}, "year"),
    ({"importance": {"$like": "5%"}}, "importance"),
    ({"occurred_at": {"$ilike": "2024%"}}, "occurred_at"),
    ({"year": {"$ne": [1]}}, "year"),
    ({"year": {"$gt": [1]}}, "year"),
    ({"year": {"$gt": None}}, "year"),
    ({"year": {"$lt": True}}, "year"),
    ({"year": {"$in": 5}}, "year"),
    ({"year": {"$nin": "abc"}}, "year"),
    ({"year": {"$in": [[1]]}}, "year"),
    ({"year": {"$exists": "yes"}}, "year"),
    ({"year": {"$exists": None}}, "year"),
    ({"year": {"$not": 5}}, "year"),
    ({"speaker": 5}, "speaker"),
    ({"speaker": True}, "speaker"),
    ({"category": {"$in": ["a", 1]}}, "category"),
    ({"external_id": {"$gt": 1}}, "external_id"),
    ({"importance": "high"}, "importance"),
    ({"importance": "5"}, "importance"),
    ({"importance": 10**400}, "importance"),
    ({"occurred_at": 1704067200}, "occurred_at"),
    ({"occurred_at": "yesterday"}, "occurred_at"),
    ({"occurred_at": {"$gte": "2024-13-01"}}, "occurred_at"),
    ({"occurred_at": {"$gte": "01/02/2024"}}, "occurred_at"),
    ({"$and": {"year": 1}}, "$and"),
    ({"$or": []}, "$or"),
    ({"$or": ["year"]}, "$or"),
    ({"$not": [{"year": 1}]}, "$not"),
    ({f"key{n}": n for n in range(10_000)}, "1000 conditions"),
    ({"$or": [{"year": n} for n in range(10_000)]}, "1000 conditions"),
    (json.loads('{"$not":' * 300 + "{}" + "}" * 300), "32 deep"),
    (json.loads('{"year": ' + '{"$not":' * 300 + "{}" + "}" * 301), "32 deep"),
    ({"year": "x" * 2_000_000}, "1000000"),
]


def ingest(db: Connection, documents: dict[str, dict[str, Json]]) -> None:
    rows = [{"external_id": name, "content": "word", **document} for name, document in documents.items()]
    db.execute("select braid.upsert_documents(%s, %s)", (Jsonb(rows), COLLECTION))


def search(db: Connection, filters: Json) -> list[str]:
    found = db.execute(
        "select external_id from braid.full_text_search('word', 100, filters => %s, collection => %s)",
        (None if filters is None else Jsonb(filters), COLLECTION),
    )
    return sorted(row[0] for row in found)


def counted(db: Connection, filters: Json) -> list[str]:
    """Return the documents that `search` finds, but let facets() find them by the indexes of the filters' keys."""
    found = db.execute(
        "select value #>> '{}' from braid.facets('{external_id}', null, %s, %s)", (Jsonb(filters), COLLECTION)
    )
    return sorted(row[0] for row in found)


@pytest.fixture
def db(db: Connection) -> Connection:
    # An additional collection makes the collection's number differ from its tenant's.
    db.execute("select braid.create_collection('another')")
    db.execute("select braid.create_collection(%s)", (COLLECTION,))
    return db


@pytest.fixture
def library(db: Connection) -> Connection:
    ingest(db, DOCUMENTS)
    return db


def test_what_each_filter_matches(library: Connection) -> None:
    found = [(filters, " ".join(search(library, filters))) for filters, _ in MATCHES]
    assert found == MATCHES
    found = [(filters, " ".join(counted(library, filters))) for filters, _ in MATCHES if filters]
    assert found == [one for one in MATCHES if one[0]]


@pytest.mark.not_pglite("PGlite's stack is smaller than max_stack_depth says: 30 levels of a filter crash it")
def test_what_is_refused_names_the_key_and_says_what_to_do(library: Connection) -> None:
    for filters, named in REFUSED:
        with pytest.raises(psycopg.errors.InvalidParameterValue, match=re.escape(named)) as error:
            search(library, filters)
        assert error.value.diag.message_hint, filters
        assert len(str(error.value.diag.message_primary)) < 400


def test_a_thousand_conditions_and_long_lists_are_fine(library: Connection) -> None:
    assert search(library, {"$or": [{"year": n} for n in range(1500, 2400)]}) == ["ana"]
    assert search(library, {"year": {"$in": list(range(50_000))}}) == ["ana"]
    assert search(library, {"speaker": {"$nin": [str(n) for n in range(50_000)]}}) == sorted(DOCUMENTS)


def test_timestamps_without_a_zone_are_in_the_sessions(library: Connection) -> None:
    library.execute("set timezone = 'Asia/Tokyo'")
    assert search(library, {"occurred_at": {"$lt": "2024-02-01T09:00:00"}}) == ["ana"]
    library.execute("set datestyle = 'SQL, DMY'")
    assert search(library, {"occurred_at": {"$lt": "2024-02-01T09:00:00"}}) == ["ana"]


def test_columns_are_compared_in_a_form_that_indexes_serve(db: Connection) -> None:
    db.execute("create temp table copy (like braid_store.chunks)")
    db.execute("create index on copy (category)")
    db.execute("create index on copy (occurred_at)")
    db.execute("set enable_seqscan = off")
    for filters, condition in [
        ({"category": "sales"}, "category = "),
        ({"category": {"$in": ["sales", "bug"]}}, "category = ANY"),
        ({"occurred_at": {"$gte": "2024-01-01"}}, "occurred_at >= "),
    ]:
        row = db.execute("select braid_store.filter_predicate(%s, 1, 1)", (Jsonb(filters),)).fetchone()
        assert row
        plan = db.execute("explain select from copy c where " + row[0]).fetchall()
        assert any("Index Cond" in line and condition in line for (line,) in plan), plan


@pytest.mark.parametrize("filters", [{"external_id": {"$gte": "d"}}, {"source_uri": {"$exists": False}}])
def test_a_chunk_is_tested_by_its_own_document(db: Connection, filters: Json) -> None:
    ingest(db, {f"d{number}": {} for number in range(1000)})

    def documents_read() -> int:
        db.execute("select pg_stat_force_next_flush()")
        row = db.execute(
            "select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) from pg_stat_user_tables "
            "where relname = 'documents'"
        ).fetchone()
        assert row
        return int(row[0])

    before = documents_read()
    assert len(search(db, filters)) > 0
    # Without a test of its own document, each chunk would be tested by all documents that match.
    assert documents_read() - before < 20_000


WORDS = st.sampled_from(["a", "B", "b", "é", "10", "9", "", "2024-01-01", "it's", "\\", "%s"])
NUMBERS = st.integers(-3, 3) | st.sampled_from([0.5, 1.0, -2.5, 10, 9])
TIMES = st.sampled_from([f"2024-0{month}-01T{hour:02}:00:00+00:00" for month in range(1, 4) for hour in (0, 23)])
DAYS = st.sampled_from(["2023-12-31", "2024-01-01", "2024-02-01", "2024-02-29"])
PATTERNS = st.sampled_from(["%", "a", "A%", "_", "%0%", "2024-%", "\\\\", "\\%s", "%'s", "É"])
SCALARS = WORDS | NUMBERS | st.booleans()
KEYS = st.sampled_from(["a", "b", "c", "speaker", "a.b", "x y", "0"])
VALUES = st.recursive(
    SCALARS | st.none(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)
STORED = st.fixed_dictionaries(
    {"metadata": st.dictionaries(KEYS, VALUES, max_size=5)},
    optional={
        "speaker": WORDS.filter(bool),
        "importance": NUMBERS,
        "occurred_at": TIMES,
        "source_uri": WORDS.filter(bool),
    },
)


def conditions(operands: Strategy, ordered: Strategy, patterns: Strategy | None = None) -> Strategy:
    nullable = operands | st.none()
    operators = st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(["$eq", "$ne"], nullable),
            **dict.fromkeys(["$gt", "$gte", "$lt", "$lte"], ordered),
            **dict.fromkeys(["$in", "$nin", "$all"], st.lists(nullable, max_size=3)),
            "$between": st.lists(ordered, min_size=2, max_size=2),
            **({"$like": patterns, "$ilike": patterns} if patterns is not None else {}),
            "$exists": st.booleans(),
        },
    ).filter(bool)
    return nullable | operators | st.fixed_dictionaries({"$not": operators})


METADATA_KEYS = ["a", "b", "c", "a.b", "a.b.c", "x y", "metadata.a", "metadata.speaker", "metadata.a.b"]
METADATA_KEYS += ["a.0", "a.0.b", "a.b.1", "a.0.b.c", "b.a.b.c", "a.x y"]
LEAVES = st.one_of(
    st.dictionaries(
        st.sampled_from(METADATA_KEYS), conditions(SCALARS, WORDS | NUMBERS, PATTERNS), min_size=1, max_size=2
    ),
    st.fixed_dictionaries({"speaker": conditions(WORDS, WORDS, PATTERNS)}),
    st.fixed_dictionaries({"importance": conditions(NUMBERS, NUMBERS)}),
    st.fixed_dictionaries({"occurred_at": conditions(TIMES | DAYS, TIMES | DAYS)}),
    st.fixed_dictionaries({"source_uri": conditions(WORDS, WORDS, PATTERNS)}),
    st.fixed_dictionaries({"external_id": conditions(st.sampled_from("012"), st.sampled_from("012"))}),
)
FILTERS: st.SearchStrategy[dict[str, Json]] = st.recursive(
    LEAVES | st.just({}),
    lambda inner: (
        st.fixed_dictionaries({"$and": st.lists(inner, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"$or": st.lists(inner, min_size=1, max_size=3)})
        | st.fixed_dictionaries({"$not": inner})
        | st.tuples(LEAVES, inner).map(lambda pair: {**pair[0], **pair[1]})
    ),
    max_leaves=6,
)

in_one_database = settings(
    max_examples=examples(80),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@in_one_database
@given(documents=st.lists(STORED, min_size=1, max_size=4), filters=st.lists(FILTERS, min_size=1, max_size=8))
def test_filters_mean_what_is_documented(
    db: Connection, documents: list[dict[str, Json]], filters: list[dict[str, Json]]
) -> None:
    named = {str(number): document for number, document in enumerate(documents)}
    db.execute("select braid.clear_collection(%s)", (COLLECTION,))
    db.execute("set timezone = 'UTC'")
    ingest(db, named)
    for each in filters:
        expected = [name for name, document in named.items() if matches({**document, "external_id": name}, each)]
        assert search(db, each) == expected, each
        assert counted(db, each) == expected, each


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
HOSTILE = TEXT | st.sampled_from(
    [
        "'",
        "\\'",
        "'; drop table braid_store.chunks; --",
        "$$",
        "$1",
        "%L",
        "%1$s",
        '"',
        "{}",
        "a.b",
        "\\",
        "E'\\''",
    ]
)


@in_one_database
@given(key=HOSTILE, value=HOSTILE)
def test_no_text_breaks_out_of_its_quotes(db: Connection, key: str, value: str) -> None:
    db.execute("select braid.clear_collection(%s)", (COLLECTION,))
    ingest(db, {"it": {"metadata": {key: value}, "source_uri": value}})
    path = "metadata." + key
    for filters in (
        {path: value},
        {path: {"$in": [value, "other"]}},
        {path: {"$gte": value, "$lte": value}},
        {path: {"$exists": True}},
        {"source_uri": value},
        {"source_uri": {"$nin": ["other", value + "x"]}},
    ):
        assert search(db, filters) == ["it"], filters
    for filters in ({path: value + "x"}, {path: {"$ne": value}}, {"speaker": value}, {path + "x": value}):
        assert search(db, filters) == [], filters
