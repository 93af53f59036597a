"""Declared metadata keys are found by index, and the index never changes what a filter matches."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support.calls import full_text, set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
Json = Any

ATTRIBUTES = {"n": "number", "t": "text", "a.b": "text", "metadata.speaker": "text", "day": "time", "x": "number"}
LONG = "long " * 60
# Some numbers are beyond double precision, and some pairs are equal in double precision. Some strings differ only
# after the indexed prefix.
NUMBERS: list[Json] = ["0", "-0.0", "1", "1.0", "2", "-1.5", "9007199254740993", "9007199254740992", "1e400", "-1e400"]
NUMBERS += ["1e-400", "-1e-400", "1.7976931348623157e308", "1e309", "0.1", "0.10000000000000000555"]
STRINGS = ["", "a", "b", "A", "ä", "1", "2024-02-01", "2024-02-01T10:00:00+02:00", "é" * 150, "𝄞", "'; --"]
STRINGS += [LONG + end for end in ("", "a", "b")] + ["\uffff", "a\\b", '{"', "null"]
SCALARS = [*NUMBERS, *map(json.dumps, STRINGS), "true", "false", "null"]
scalar = st.sampled_from(SCALARS)
KEYS = ["n", "t", "a.b", "metadata.speaker", "speaker", "day", "x", "y", "a", "metadata.n", "external_id", "category"]
operators = st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$not"])


def operands(key: str) -> st.SearchStrategy[Any]:
    """Generate operands mostly of the indexed type, so that an index often serves the filter."""
    kind = ATTRIBUTES.get(key, ATTRIBUTES.get(key.removeprefix("metadata.")))
    typed = scalar if kind is None else st.sampled_from(NUMBERS if kind == "number" else [*map(json.dumps, STRINGS)])
    one = st.one_of(typed, typed, scalar)
    return st.one_of(one, st.dictionaries(operators, one, min_size=1, max_size=2))


SETTINGS = settings(
    deadline=None, suppress_health_check=list(HealthCheck), database=None, max_examples=80, derandomize=True
)


def declare(db: Connection, attributes: Json, collection: str = "default") -> None:
    db.execute("select braid.set_indexed_attributes(%s, %s)", (Jsonb(attributes), collection))


def maintain(db: Connection, budget: str = "30 s") -> dict[str, Any]:
    row = db.execute("select braid.maintain(%s::interval)", (budget,)).fetchone()
    assert row
    return dict(row[0])


def matches(db: Connection, filters: Json, collection: str = "default") -> list[str]:
    """Return the external ids of all documents that have a chunk which a filter matches."""
    text = filters if isinstance(filters, str) else json.dumps(filters)
    rows = db.execute(
        "select value #>> '{}', count from braid.facets('{external_id}', null, %s::jsonb, %s, value_count => 10000)",
        (text, collection),
    ).fetchall()
    assert all(count == 1 for _, count in rows)
    return [external_id for external_id, _ in rows]


def source(db: Connection, filters: Json, collection: str = "default") -> str | None:
    row = db.execute(
        "select braid_store.filter_source(%s, braid.current_tenant_id(), (braid_store.find_collection(%s)).id)",
        (Jsonb(filters), collection),
    ).fetchone()
    assert row
    return None if row[0] is None else str(row[0])


def attribute_rows(db: Connection) -> int:
    row = db.execute("select count(*) from braid_store.chunk_attributes").fetchone()
    assert row
    return int(row[0])


def make_documents(seed: int, count: int) -> list[str]:
    """Return documents as JSON text, because JSON has numbers that Python's types lack."""
    generator = random.Random(seed)

    def metadata() -> str:
        pairs = []
        for key in ("n", "t", "a.b", "speaker", "day", "x", "y"):
            choice = generator.random()
            if choice < 0.55:
                pairs.append(f'"{key}": {generator.choice(SCALARS)}')
            elif choice < 0.8:
                items = [generator.choice(SCALARS) for _ in range(generator.randrange(4))]
                pairs.append(f'"{key}": [{", ".join(items)}]')
        if generator.random() < 0.5:
            pairs.append(f'"a": {{"b": {generator.choice(SCALARS)}}}')
        return "{" + ", ".join(pairs) + "}"

    return [
        f'{{"external_id": "d{number:03}", "content": "word", "category": "{number % 3}", "metadata": {metadata()}}}'
        for number in range(count)
    ]


def add(db: Connection, documents: list[str], collection: str) -> None:
    db.execute("select braid.upsert_documents(%s::jsonb, %s)", (f"[{','.join(documents)}]", collection))


@st.composite
def filter_texts(draw: Callable[..., Any], depth: int = 2) -> str:
    parts = []
    for key in draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=2, unique=True)):
        chosen = draw(operands(key))
        if key in ("speaker", "external_id", "category"):
            chosen = draw(st.sampled_from(['"Ana"', '"d001"', '"1"', {"$gte": '"d01"'}, {"$in": '"2"'}]))
        if isinstance(chosen, dict):
            operators = []
            for operator, item in chosen.items():
                if operator in ("$gt", "$gte", "$lt", "$lte") and item in ("true", "false", "null"):
                    item = "1"
                elif operator in ("$in", "$nin"):
                    others = [] if key in ("speaker", "external_id", "category") else draw(st.lists(scalar, max_size=3))
                    item = f"[{', '.join([item, *others][draw(st.integers(0, 1)) :])}]"
                elif operator == "$exists":
                    item = draw(st.sampled_from(["true", "false"]))
                elif operator == "$not":
                    item = f'{{"$eq": {item}}}'
                operators.append(f'"{operator}": {item}')
            chosen = "{" + ", ".join(operators) + "}"
        parts.append(f'"{key}": {chosen}')
    if depth and draw(st.booleans()):
        members = ", ".join(draw(st.lists(filter_texts(depth - 1), min_size=1, max_size=3)))
        group = draw(st.sampled_from(["$and", "$or"]))
        parts.append(f'"{group}": [{members}]')
    if depth and draw(st.integers(0, 4)) == 0:
        parts.append(f'"$not": {draw(filter_texts(depth - 1))}')
    return "{" + ", ".join(parts) + "}"


def test_no_filter_matches_anything_else_on_declared_keys(db: Connection) -> None:
    """On declared keys, a filter matches the same chunks in every collection: keys are declared never, at first,
    later, later with maintenance, or instead of other keys."""
    documents = make_documents(1, 240)
    for name in ("never", "later", "maintained", "changed"):
        db.execute("select braid.create_collection(%s)", (name,))
    db.execute("select braid.create_collection('first', indexed_attributes => %s)", (Jsonb(ATTRIBUTES),))
    declare(db, {"n": "text", "t": "number", "y": "number", "x": "number"}, "changed")
    for name in ("never", "first", "later", "maintained", "changed"):
        # These documents have other metadata at first, and its index rows must go.
        add(db, make_documents(2, 240), name)
        if name in ("later", "changed"):
            add(db, documents[:120], name)
            declare(db, ATTRIBUTES, name)
        add(db, documents[::2], name)
        add(db, documents, name)
        if name == "maintained":
            declare(db, ATTRIBUTES, name)
            assert maintain(db)["chunks_indexed"] >= 240
            declare(db, ATTRIBUTES, "later")  # nothing changes
    indexed = ("first", "later", "maintained", "changed")
    served = []

    @SETTINGS
    @given(filter_texts())
    def check(filters: str) -> None:
        expected = matches(db, filters, "never")
        # A full-text search finds chunks by their words, and tests the filter on each chunk.
        tested = db.execute(
            "select external_id from braid.full_text_search('word', 1000, filters => %s::jsonb, collection => 'never')",
            (filters,),
        ).fetchall()
        assert sorted(external_id for (external_id,) in tested) == sorted(expected)
        assert {name: matches(db, filters, name) for name in indexed} == dict.fromkeys(indexed, expected)
        row = db.execute(
            "select braid_store.filter_source(%s::jsonb, braid.current_tenant_id(),"
            " (braid_store.find_collection('first')).id)",
            (filters,),
        ).fetchone()
        served.append(bool(row and row[0] and "chunk_attributes" in row[0] and expected))

    check()
    assert sum(served) > 10


@pytest.mark.parametrize(
    ("filters", "index"),
    [
        ({"n": 1}, "number_value"),
        ({"metadata.n": {"$in": [1, 2.5]}}, "number_value"),
        ({"n": {"$gte": 1, "$lt": 3}}, "number_value"),
        ({"t": "a"}, "text_value"),
        ({"a.b": {"$gt": "a"}}, "text_value"),
        ({"metadata.speaker": "Ana"}, "text_value"),
        ({"day": {"$gte": "2024-01"}}, "text_value"),
        ({"$and": [{"y": 1}, {"$and": [{"t": {"$in": ["a"]}}]}]}, "text_value"),
        ({"y": 1, "n": 2, "$or": [{"n": 1}]}, "number_value"),
        ({"speaker": "Ana"}, "c.speaker"),
        ({"category": {"$in": ["Ana"]}}, "c.category"),
        ({"occurred_at": {"$gte": "2024-01-01"}}, "c.occurred_at"),
        ({"external_id": "a"}, "d.external_id"),
        ({}, None),
        ({"y": 1}, None),
        ({"n": "1"}, None),
        ({"n": None}, None),
        ({"n": {"$in": [1, None]}}, None),
        ({"n": {"$in": [1, "1"]}}, None),
        ({"n": {"$ne": 1}}, None),
        ({"n": {"$not": {"$eq": 1}}}, None),
        ({"n": {"$exists": True}}, None),
        ({"$or": [{"n": 1}, {"n": 2}]}, None),
        ({"$not": {"n": 1}}, None),
        ({"importance": 1}, None),
    ],
)
def test_which_filters_an_index_serves(db: Connection, filters: Json, index: str | None) -> None:
    declare(db, ATTRIBUTES)
    found = source(db, filters)
    assert found is None if index is None else index in str(found)


def test_the_most_selective_condition_is_chosen(db: Connection) -> None:
    declare(db, {"n": "number", "t": "text"})
    upsert(db, [{"external_id": f"d{n}", "content": "w", "metadata": {"n": n, "t": "same"}} for n in range(20)])
    for filters in ({"t": "same", "n": 3}, {"n": 3, "t": "same"}, {"$and": [{"n": {"$lt": 1}}], "t": "same"}):
        assert "number_value" in str(source(db, filters))
    assert "text_value" in str(source(db, {"n": {"$gte": 0}, "t": "other"}))


def test_a_rare_value_is_found_without_reading_the_rest(db: Connection) -> None:
    text = "some words " * 20
    documents = [{"external_id": f"d{n}", "content": f"{text} {n}", "metadata": {"n": n}} for n in range(3000)]
    db.execute("select braid.create_collection('plain')")
    declare(db, {"n": "number"})
    for collection in ("default", "plain"):
        upsert(db, documents, collection)

    def pages(collection: str) -> int:
        statement = 'select * from braid.facets(\'{n}\', null, \'{"n": {"$gt": 100, "$lt": 104}}\', %s)'
        assert len(db.execute(statement, (collection,)).fetchall()) == 3
        row = db.execute(f"explain (analyze, buffers, format json) {statement}", (collection,)).fetchone()
        assert row
        return int(row[0][0]["Plan"]["Shared Hit Blocks"] + row[0][0]["Plan"]["Shared Read Blocks"])

    assert pages("default") < 100 < pages("plain")


@pytest.mark.usefixtures("dsn")
def test_maintenance_goes_on_where_it_stopped(db: Connection) -> None:
    upsert(db, [{"external_id": f"d{n}", "content": "w", "metadata": {"n": n % 7}} for n in range(2500)])
    maintain(db)
    declare(db, {"n": "number"})
    expected = sorted(f"d{n}" for n in range(2500) if n % 7 == 3)
    done = []
    while True:
        assert sorted(matches(db, {"n": 3})) == expected
        done.append(maintain(db, "1 microsecond"))
        if done[-1]["complete"]:
            break
        assert 0 < done[-1]["chunks_indexed"] <= 1000
    assert sum(step["chunks_indexed"] for step in done) == 2500 and len(done) >= 3
    assert sorted(matches(db, {"n": 3})) == expected and "chunk_attributes" in str(source(db, {"n": 3}))
    assert maintain(db)["chunks_indexed"] == 0


def test_writers_that_do_not_know_of_a_declaration_yet(dsn: str, db: Connection) -> None:
    """A writer with an old snapshot, or with a statement under way, does not know the declaration. Still no chunk is
    missed before maintenance, nor after it."""
    upsert(db, [{"external_id": "old", "content": "w", "metadata": {"n": 1}}])
    opened = [psycopg.connect(dsn) for _ in range(4)]
    committed, repeatable, changing, reader = opened
    for connection in (repeatable, changing, reader):
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("select 1 from braid_store.chunks")
    upsert(committed, [{"external_id": "committed", "content": "w", "metadata": {"n": 1}}])
    declare(db, {"n": "number"})
    upsert(repeatable, [{"external_id": "repeatable", "content": "w", "metadata": {"n": 1}}])
    changing.execute("select braid.update_metadata('old', '{\"n\": 2}')")
    assert matches(db, {"n": 1}) == ["old"]
    for connection in (committed, repeatable, changing):
        connection.commit()
    assert matches(db, {"n": 1}) == ["committed", "repeatable"]
    assert matches(db, {"n": 2}) == ["old"]
    assert maintain(db)["chunks_indexed"] == 3
    assert matches(db, {"n": 1}) == ["committed", "repeatable"]
    assert matches(db, {"n": 2}) == ["old"]
    db.execute("select braid.delete_document('committed')")
    assert matches(reader, {"n": 1}) == ["old"]
    assert attribute_rows(db) == 2
    for connection in opened:
        connection.close()


def test_a_document_is_found_once_by_several_of_its_elements(db: Connection) -> None:
    declare(db, {"tags": "text"})
    upsert(db, [{"external_id": "d", "content": "w", "metadata": {"tags": ["a", "b", "b", LONG + "x", LONG + "y"]}}])
    for filters in (
        {"tags": {"$in": ["a", "b"]}}, {"tags": LONG + "y"}, {"tags": {"$eq": "a", "$in": ["b"]}},
        {"tags": {"$gte": "a"}}, {"tags": {"$between": ["a", "b"]}},
    ):  # fmt: skip
        assert matches(db, filters) == ["d"]
    for others in ({"tags": LONG + "z"}, {"tags": {"$gt": LONG + "y"}}, {"tags": {"$eq": "a", "$in": ["c"]}}):
        assert matches(db, others) == []


def test_what_is_written_again_needs_no_maintenance(db: Connection) -> None:
    names = ("same", "merged", "updated", "replaced")
    upsert(db, [{"external_id": name, "content": "w", "metadata": {"n": 1}} for name in names])
    declare(db, {"n": "number"})
    db.execute("select braid.update_metadata('merged', '{\"n\": 2}')")
    changed = [
        {"external_id": "updated", "content": "w", "metadata": {"n": 2}},
        {"external_id": "replaced", "content": "v", "metadata": {"n": 2}},
    ]
    assert upsert(db, changed) == {"updated": "updated", "replaced": "replaced"}
    assert matches(db, {"n": 1}) == ["same"] and len(matches(db, {"n": 2})) == 3
    assert maintain(db)["chunks_indexed"] == 1
    assert matches(db, {"n": 1}) == ["same"] and len(matches(db, {"n": 2})) == 3


def test_an_old_snapshot_keeps_its_answer(dsn: str, db: Connection) -> None:
    declare(db, {"n": "number"})
    upsert(db, [{"external_id": f"d{n}", "content": "w", "metadata": {"n": n % 2}} for n in range(6)])
    with psycopg.connect(dsn) as reader:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        before = matches(reader, {"n": 1})
        assert before == ["d1", "d3", "d5"]
        declare(db, {"n": "text"})
        maintain(db)
        declare(db, {})
        upsert(db, [{"external_id": "d0", "content": "w", "metadata": {"n": 1}}])
        db.execute("select braid.delete_document('d1')")
        maintain(db)
        assert attribute_rows(db) == 0
        assert matches(reader, {"n": 1}) == before
        assert "chunk_attributes" in str(source(reader, {"n": 1}))
    assert matches(db, {"n": 1}) == ["d0", "d3", "d5"]


def test_answers_are_exact_while_writers_write_and_maintenance_runs(dsn: str, db: Connection) -> None:
    upsert(db, [{"external_id": f"d{n:03}", "content": "w", "metadata": {"n": n % 5}} for n in range(300)])
    stop = threading.Event()
    failures: list[BaseException] = []

    def guarded(work: Callable[[Connection], None]) -> threading.Thread:
        def run() -> None:
            try:
                with psycopg.connect(dsn, autocommit=True) as connection:
                    while not stop.is_set():
                        work(connection)
            except BaseException as error:
                failures.append(error)
                stop.set()

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    generator = random.Random(3)

    def write(connection: Connection) -> None:
        with connection.transaction():
            for _ in range(generator.randrange(1, 4)):
                name = f"d{generator.randrange(320):03}"
                metadata = {"n": generator.randrange(5)}
                choice = generator.random()
                if choice < 0.3:
                    connection.execute("select braid.delete_document(%s)", (name,))
                elif choice < 0.6:
                    connection.execute("select braid.update_metadata(%s, %s)", (name, Jsonb(metadata)))
                else:
                    content = generator.choice(["w", "v"])
                    upsert(connection, [{"external_id": name, "content": content, "metadata": metadata}])

    read = 0

    def check(connection: Connection) -> None:
        nonlocal read
        with connection.transaction():
            connection.execute("set transaction isolation level repeatable read")
            for _ in range(3):
                expected = connection.execute(
                    "select d.external_id from braid_store.chunks c"
                    " join braid_store.documents d on d.id = c.document_id"
                    ' where c.metadata @> \'{"n": 3}\' order by d.external_id collate "C"'
                ).fetchall()
                assert matches(connection, {"n": 3}) == [external_id for (external_id,) in expected]
                read += 1

    threads = [guarded(write), guarded(check)]
    try:
        for attributes in [{"n": "number"}, {}, {"n": "text"}, {"n": "number", "m": "text"}] * 4:
            declare(db, attributes)
            for _ in range(5):
                maintain(db, "20 ms")
            if stop.is_set():
                break
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert failures == []
    assert read > 20
    maintain(db)
    rows = db.execute("select c.id, 0, (c.metadata ->> 'n')::float8 from braid_store.chunks c order by 1").fetchall()
    stored = db.execute("select chunk_id, element, number_value from braid_store.chunk_attributes order by 1")
    assert stored.fetchall() == rows


def test_rows_go_with_their_chunks(db: Connection) -> None:
    db.execute('select braid.create_collection(\'c\', indexed_attributes => \'{"n": "number", "t": "text"}\')')
    metadata = {"n": [1, 1.0, 2, "x"], "t": "a"}
    upsert(db, [{"external_id": name, "content": "w", "metadata": metadata} for name in ("a", "b", "c")], "c")
    assert attribute_rows(db) == 9
    db.execute("select braid.delete_document('a', 'c')")
    assert attribute_rows(db) == 6
    db.execute("select braid.update_metadata('b', '{\"n\": null}', collection => 'c')")
    assert attribute_rows(db) == 4
    upsert(db, [{"external_id": "b", "content": "w", "metadata": {"n": 5}}], "c")
    assert attribute_rows(db) == 4 and matches(db, {"n": 5}, "c") == ["b"] and matches(db, {"t": "a"}, "c") == ["c"]
    upsert(db, [{"external_id": "c", "content": "other", "metadata": {}}], "c")
    assert attribute_rows(db) == 1
    db.execute("select braid.clear_collection('c')")
    assert attribute_rows(db) == 0
    upsert(db, [{"external_id": "a", "content": "w", "metadata": metadata}], "c")
    db.execute("select braid.drop_collection('c')")
    db.execute("select braid.maintain()")
    assert attribute_rows(db) == 0


def test_tenants_share_a_declaration_and_nothing_else(db: Connection) -> None:
    declare(db, {"n": "number"})
    upsert(db, [{"external_id": "mine", "content": "w", "metadata": {"n": 1}}])
    db.execute("select braid.create_tenant('other')")
    set_tenant(db, "other")
    assert matches(db, {"n": 1}) == []
    upsert(db, [{"external_id": "theirs", "content": "w", "metadata": {"n": 1}}])
    assert matches(db, {"n": 1}) == ["theirs"]
    assert [hit[0] for hit in full_text(db, "w", filters={"n": 1})] == ["theirs"]


def test_a_full_text_search_begins_with_a_selective_filter(db: Connection) -> None:
    declare(db, {"n": "number"})
    documents = [{"external_id": f"d{n:04}", "content": "common", "metadata": {"n": n}} for n in range(2000)]
    upsert(db, documents)
    filters = {"n": {"$in": [7, 1999, 5000]}}
    assert [hit[0] for hit in full_text(db, "common", filters=filters)] == ["d0007", "d1999"]


@pytest.mark.usefixtures("dsn")
def test_declarations_are_shown_and_replaced(db: Connection) -> None:
    def shown() -> Json:
        row = db.execute("select indexed_attributes from braid.collections where name = 'default'").fetchone()
        return row and row[0]

    assert shown() == {}
    declare(db, {"metadata.year": "number", "a.b": "text"})
    assert shown() == {"year": "number", "a.b": "text"}
    upsert(db, [{"external_id": "d", "content": "w", "metadata": {"year": 1, "team": "x"}}])
    declare(db, {"year": "number", "team": "text"})
    assert shown() == {"year": "number", "team": "text"}
    assert attribute_rows(db) == 1
    maintain(db)
    assert attribute_rows(db) == 2
    declare(db, {})
    assert shown() == {} and maintain(db)["complete"] and attribute_rows(db) == 0


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        (None, "null"),
        ([], "array"),
        ("{}", "string"),
        ({"year": "integer"}, '"year"'),
        ({"year": None}, '"year"'),
        ({"year": ["number"]}, '"year"'),
        ({"speaker": "text"}, '"speaker"'),
        ({"occurred_at": "time"}, '"occurred_at"'),
        ({"$x": "text"}, '"$x"'),
        ({"x": "text", "metadata.x": "number"}, '"metadata.x"'),
        ({"x" * 256: "text"}, "xxx"),
        ({f"k{n}": "text" for n in range(33)}, "32"),
    ],
)
def test_what_cannot_be_declared(db: Connection, attributes: Json, said: str) -> None:
    for statement in (
        "select braid.set_indexed_attributes(%s)",
        "select braid.create_collection('c', indexed_attributes => %s)",
    ):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="indexed_attributes") as error:
            db.execute(statement, (None if attributes is None else Jsonb(attributes),))
        assert said in str(error.value) and error.value.diag.message_hint
    with pytest.raises(psycopg.errors.UndefinedObject):
        declare(db, {}, "nowhere")
