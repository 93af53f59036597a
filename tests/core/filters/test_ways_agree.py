"""Filters read chunks, the index of declared keys, or the metadata lists that maintain() writes. All three find what
the documentation says, in lists, in lists of objects, by patterns and ranges, and by speakers and days."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support.calls import one, upsert
from support.examples import examples
from support.filter_model import matches
from support.nearest import maintain

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
Json = Any
# Only segments of at least 1,000 chunks get lists.
SIZE = 1200
DECLARED = {"n": "number", "tags": "text", "items.price": "number", "items.sku": "text", "items.parts.id": "number"}
NUMBERS = [0, 1, 2.5, 4, 5, 9, 12, 2**53 + 1]
WORDS = ["a", "b", "B", "é", "x", "xy", "z", ""]


def metadata(number: int) -> dict[str, Json]:
    dice = random.Random(number)

    def some(values: list[Json], most: int = 3) -> Json:
        few = [dice.choice(values) for _ in range(dice.randrange(most + 1))]
        return dice.choice([few, dice.choice(values), dice.choice(values)])

    def part() -> Json:
        return dice.choice([{"id": dice.choice(NUMBERS)}, {"id": None}, {}, [{"id": 1}]])

    def item() -> Json:
        found = {"price": some(NUMBERS), "sku": some(WORDS), "parts": [part() for _ in range(dice.randrange(3))]}
        return dice.choice([{key: value for key, value in found.items() if dice.random() < 0.8}] * 5 + ["loose", None])

    values: dict[str, Json] = {
        "rare": number % 97,
        "n": some([*NUMBERS, "5", None]),
        "tags": some([*WORDS, 5, True, ["a"]]),
    }
    values["items"] = dice.choice([[item() for _ in range(dice.randrange(5))]] * 4 + [{"price": 5, "sku": "x"}, "none"])
    if number % 100 == 0:  # longer than a list may be
        values["items"] = [item() for _ in range(80)]
    if number % 50 == 0:
        values["items.sku"] = dice.choice(WORDS)
    return {key: value for key, value in values.items() if dice.random() < 0.9}


DOCUMENTS = {f"{number:04}": {"external_id": f"{number:04}", "metadata": metadata(number)} for number in range(SIZE)}
numbers = st.sampled_from(NUMBERS)
words = st.sampled_from(WORDS)
operands = st.one_of(numbers, words, st.booleans())
bounds = st.sampled_from([numbers, words]).flatmap(
    lambda kind: st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), kind, min_size=1, max_size=2)
)
operators = st.one_of(
    bounds,
    bounds,
    st.fixed_dictionaries({"$between": st.tuples(numbers, numbers).map(sorted)}),
    st.fixed_dictionaries({"$in": st.lists(operands, max_size=3)}),
    st.fixed_dictionaries({"$all": st.lists(operands, min_size=1, max_size=2)}),
    st.fixed_dictionaries({"$like": st.sampled_from(["x%", "%", "_", "B"])}),
    st.fixed_dictionaries({"$ilike": st.sampled_from(["X%", "b", "É"])}),
    st.fixed_dictionaries({"$eq": operands, "$lt": numbers}),
    st.fixed_dictionaries({"$nin": st.lists(operands, max_size=3)}),
    st.fixed_dictionaries({"$exists": st.booleans()}),
)
condition = st.one_of(operands, operators, operators, st.fixed_dictionaries({"$not": operators}))
KEYS = ["n", "tags", *DECLARED, "items.parts", "items.0.sku", "items.parts.0.id"]
leaves = st.dictionaries(st.sampled_from(KEYS), condition, min_size=1, max_size=2)
filters = st.one_of(
    leaves,
    leaves,
    st.fixed_dictionaries({"$and": st.lists(leaves, min_size=1, max_size=3)}),
    st.fixed_dictionaries({"$or": st.lists(leaves, min_size=1, max_size=2)}),
    st.tuples(st.sampled_from(KEYS), bounds, bounds).map(lambda t: {"$and": [{t[0]: t[1]}, {t[0]: t[2]}]}),
)


@pytest.fixture(scope="module")
def db(shared_db: Connection) -> Connection:
    rows = [{**document, "content": "word"} for document in DOCUMENTS.values()]
    for collection in ("looked_at", "listed", "declared", "declared_later"):
        shared_db.execute("select braid.create_collection(%s, 'simple', 3)", (collection,))
    shared_db.execute("select braid.set_indexed_attributes(%s, 'declared')", (Jsonb(DECLARED),))
    for collection in ("listed", "declared", "declared_later"):
        upsert(shared_db, rows, collection)
    shared_db.execute("select braid.set_indexed_attributes(%s, 'declared_later')", (Jsonb(DECLARED),))
    shared_db.execute("select braid.rebuild_index('listed')")  # makes one segment
    maintain(shared_db)
    # Without maintenance there are no lists.
    upsert(shared_db, rows, "looked_at")
    return shared_db


def found(db: Connection, filters: Json, collection: str) -> list[str]:
    query = "select value #>> '{}', count from braid.facets('{external_id}', null, %s, %s, value_count => 10000)"
    rows = db.execute(query, (Jsonb(filters), collection)).fetchall()
    assert all(count == 1 for _, count in rows)
    return sorted(external_id for external_id, _ in rows)


def lists(db: Connection, key: str) -> int:
    query = """select count(*) from braid_store.metadata_lists l
               join braid_store.collections c on c.id = l.collection_id where c.name = 'listed' and l.key = %s"""
    return int(one(db, query, key))


@settings(
    max_examples=examples(80), deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(each=filters)
def test_all_ways_find_what_is_documented(db: Connection, each: Json) -> None:
    expected = [name for name, document in DOCUMENTS.items() if matches(document, each)]
    for collection in ("looked_at", "listed", "declared", "declared_later"):
        assert found(db, each, collection) == expected, (collection, each)


def test_the_ways_are_three(db: Connection) -> None:
    assert lists(db, "items.price") > 0
    assert lists(db, "items.parts.id") > 0
    of_key = "select braid_store.filter_source(%s, braid.current_tenant_id(), (braid_store.find_collection(%s)).id)"
    assert one(db, of_key, Jsonb({"items.price": {"$gt": 4}}), "declared_later") is not None
    assert one(db, of_key, Jsonb({"items.price": {"$gt": 4}}), "listed") is None
    assert db.execute("select * from braid.check_index('listed')").fetchall() == []


def test_searches_and_warnings_see_what_is_in_lists(db: Connection) -> None:
    for collection in ("looked_at", "listed", "declared"):
        query = "select braid.search_json('word', filters => %s, collection => %s, match_count => 2000)"
        answer = one(db, query, Jsonb({"items.parts.id": 12}), collection)
        expected = [name for name, document in DOCUMENTS.items() if matches(document, {"items.parts.id": 12})]
        assert sorted(row["external_id"] for row in answer["results"]) == expected
        assert [warning["code"] for warning in answer["warnings"]] == []
    answer = one(db, query, Jsonb({"items.parts.name": 12}), "listed")
    assert [warning["code"] for warning in answer["warnings"]] == ["unknown_filter_key"]


def test_facets_count_each_value_of_lists_once_a_chunk(db: Connection) -> None:
    facets = "braid.facets('{items.price}', null, null, 'listed', value_count => 100)"
    row = one(db, f"select jsonb_object_agg(value::text, count) from {facets}")
    counts = {str(number).removesuffix(".0"): 0 for number in NUMBERS}
    for number in NUMBERS:
        counts[str(number)] = sum(matches(document, {"items.price": number}) for document in DOCUMENTS.values())
    assert row == counts


LONG = "N" * 400
TURNS = [{"speaker": ["Ana", "Ben", "Cyd"][number % 3], "text": f"turn {number} word"} for number in range(30)]


@pytest.mark.parametrize("prose", [0, 1500])
def test_a_speaker_is_found_wherever_the_person_speaks(db: Connection, prose: int) -> None:
    """A speaker is found wherever the person speaks, even where more chunks have several speakers than a search
    reads through for one."""
    collection = f"talks{prose}"
    db.execute("select braid.create_collection(%s, 'simple', 3)", (collection,))
    talks: list[dict[str, Json]] = [
        {"external_id": "talk", "turns": TURNS, "chunk_tokens": 32, "overlap_tokens": 0},
        {"external_id": "alone", "turns": [{"speaker": "Ana", "text": "word by word"}]},
        {"external_id": "note", "content": "word", "speaker": "Ana"},
        {"external_id": "none", "content": "word"},
        # The column cuts a long list of names short.
        {
            "external_id": "long",
            "chunks": [{"content": "word", "speaker": LONG[:255] + "…", "metadata": {"speakers": [LONG, "Ana"]}}],
        },
    ]
    talks += [
        {
            "external_id": f"p{n}",
            "chunks": [{"content": "other", "speaker": "Ida, Ivo", "metadata": {"speakers": ["Ida", "Ivo"]}}],
        }
        for n in range(prose)
    ]
    upsert(db, talks, collection)
    listed = """select d.external_id, c.chunk_index, coalesce(c.metadata -> 'speakers', jsonb_build_array(c.speaker))
                from braid_store.chunks c join braid_store.documents d using (tenant_id, collection_id)
                join braid_store.collections k on k.id = c.collection_id
                where d.id = c.document_id and k.name = %s"""
    chunks = [(name, index, speakers) for name, index, speakers in db.execute(listed, (collection,)).fetchall()]

    def chunk_ids(filters: Json) -> list[tuple[str, int]]:
        query = "select external_id, chunk_index from braid.full_text_search('word other', 10000, %s, %s)"
        return sorted((row[0], row[1]) for row in db.execute(query, (Jsonb(filters), collection)).fetchall())

    def expected(wanted: set[str]) -> list[tuple[str, int]]:
        return sorted((name, index) for name, index, speakers in chunks if wanted & set(speakers))

    everything = sorted((name, index) for name, index, _ in chunks)
    assert len(expected({"Ana"})) > 5
    assert any(len(speakers) > 1 for _, _, speakers in chunks)
    for wanted in ({"Ana"}, {"Ben", "Cyd"}, {"Ida"}, {"Nobody"}, {LONG}):
        assert chunk_ids({"speaker": {"$in": sorted(wanted)}}) == expected(wanted)
        assert chunk_ids({"speaker": {"$nin": sorted(wanted)}}) == [
            one for one in everything if one not in expected(wanted)
        ]
        if len(wanted) == 1:
            (name,) = wanted
            assert chunk_ids({"speaker": name}) == expected(wanted)
            assert chunk_ids({"speaker": {"$ne": name}}) == [one for one in everything if one not in expected(wanted)]
    assert chunk_ids({"speaker": {"$gte": "Cyd", "$lte": "Cyd"}}) == expected({"Cyd"})
    assert chunk_ids({"speaker": {"$like": "An_"}}) == expected({"Ana"})
    assert chunk_ids({"speaker": {"$all": ["Ana", "Ben"]}}) == [
        one for one in expected({"Ana"}) if one in expected({"Ben"})
    ]
    facets = db.execute(
        "select value #>> '{}', count from braid.facets('{speaker}', null, null, %s, value_count => 100)", (collection,)
    ).fetchall()
    assert sorted(facets) == sorted(
        (name, len(expected({name}))) for name in {name for _, _, speakers in chunks for name in speakers if name}
    )


def test_a_date_is_its_day_by_index_and_in_the_sessions_zone(db: Connection) -> None:
    db.execute("select braid.create_collection('days', 'simple', 3)")
    times = ["2024-12-30T23:00:00Z", "2024-12-31T00:00:00Z", "2024-12-31T10:00:00Z", "2025-01-01T00:00:00Z"]
    upsert(
        db, [{"external_id": str(n), "content": "word", "occurred_at": time} for n, time in enumerate(times)], "days"
    )
    for zone, day in (("UTC", ["1", "2"]), ("Asia/Tokyo", ["0", "1", "2"])):
        with db.transaction(force_rollback=True):
            db.execute(f"set local timezone = '{zone}'")
            assert found(db, {"occurred_at": "2024-12-31"}, "days") == day
            assert found(db, {"occurred_at": {"$ne": "2024-12-31"}}, "days") == [n for n in "0123" if n not in day]
    with db.transaction(force_rollback=True):
        db.execute("set local timezone = 'UTC'")
        assert found(db, {"occurred_at": {"$in": ["2024-12-31", "2025-01-01", times[2]]}}, "days") == ["1", "2", "3"]
        assert found(db, {"occurred_at": {"$between": ["2024-12-31", "2024-12-31"]}}, "days") == ["1", "2"]
