"""All ways to search find what is valid at a time, as an independent model says; exports carry versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support.calls import full_text, hybrid, one, semantic, set_tenant, upsert, vector
from support.validity import (
    COLLECTION,
    INSTANTS,
    Connection,
    expected,
    fact,
    ids,
    make,
    supersede,
    written,
)

SETTINGS = settings(
    deadline=None, suppress_health_check=list(HealthCheck), database=None, max_examples=25, derandomize=True
)


@pytest.fixture(scope="module")
def facts(shared_db: Connection) -> Connection:
    make(shared_db)
    return shared_db


@pytest.fixture
def own(db: Connection) -> Connection:
    make(db)
    return db


def call(db: Connection, query: str, filters: dict[str, Any] | None) -> list[Any]:
    return db.execute(query, {"filters": None if filters is None else Jsonb(filters)}).fetchall()


def pages(db: Connection, filters: dict[str, Any] | None) -> set[str]:
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        rows = db.execute(
            "select external_id, cursor from braid.full_text_search('apple', 2, %s, 'facts', options => %s)",
            (None if filters is None else Jsonb(filters), Jsonb({"cursor": cursor})),
        ).fetchall()
        found += [row[0] for row in rows]
        cursor = rows[-1][1] if rows else None
    assert len(found) == len(set(found))
    return set(found)


def entry_points(db: Connection, filters: dict[str, Any] | None) -> Iterator[tuple[str, set[str]]]:
    """Yield each way to find documents, with the documents that it finds."""
    given: dict[str, Any] = {"collection": COLLECTION, "filters": filters} if filters else {"collection": COLLECTION}
    embedding = [1.0] * 8
    yield "full text", ids(full_text(db, "apple", **given))
    yield "semantic", ids(semantic(db, embedding, **given))
    yield (
        "hybrid",
        ids(hybrid(db, query_text="apple", query_embedding=vector(embedding), match_count=1000, **given)),
    )
    yield (
        "sparse",
        ids(hybrid(db, match_count=1000, options={"sparse": {"fruit": 1}}, **given)),
    )
    yield (
        "grouped",
        ids(full_text(db, "apple", options={"group_by": "document"}, **given)),
    )
    yield "ranked", ids(full_text(db, "apple", options={"rank_by": ["similarity", "recency"]}, **given))
    yield "pages", pages(db, filters)
    queries = {
        "json": "select r ->> 'external_id' from jsonb_array_elements(braid.search_json('apple', match_count => 1000, "
        "filters => %(filters)s, collection => 'facts') -> 'results') r",
        "several": "select r ->> 'external_id' from jsonb_array_elements(braid.multi_search('[\"apple\", \"pear\"]', "
        "match_count => 1000, filters => %(filters)s, collection => 'facts') -> 'results') r",
        "facets": "select value #>> '{}' from braid.facets('{name}', filters => %(filters)s, collection => 'facts', "
        "value_count => 1000)",
        "facets of a query": "select value #>> '{}' from braid.facets('{name}', 'apple', filters => %(filters)s, "
        "collection => 'facts', value_count => 1000)",
        "values": "select v ->> 'value' from braid.list_values('{name}', %(filters)s, 'facts', 1000), "
        "jsonb_array_elements(top_values) v",
        "grep": "select m ->> 'external_id' from jsonb_array_elements(braid.grep('apple', %(filters)s, 'facts', 1000) "
        "-> 'matches') m",
        "documents": "select external_id from braid.list_documents('facts', 1000, filters => %(filters)s)",
        "recall": "select external_id from braid.recall('apple', match_count => 1000, filters => %(filters)s, "
        "collection => 'facts')",
        "timeline": "select external_id from braid.conversation_timeline('apple', match_count => 1000, "
        "filters => %(filters)s, collection => 'facts')",
        "latest": "select external_id from braid.conversation_timeline(match_count => 1000, filters => %(filters)s, "
        "collection => 'facts')",
    }
    for name, query in queries.items():
        yield name, ids(call(db, query, filters))
    words = call(db, "select completion from braid.complete('apple w', %(filters)s, 'facts', 100, '{word}')", filters)
    yield "completion", {f"d{'bcdfghjkl'.index(row[0][-1])}" for row in words}


def pieces(db: Connection, filters: dict[str, Any] | None) -> Iterator[tuple[str, set[str]]]:
    """Yield each way to give filters for one piece of a call, with the documents that it finds."""
    for name, more in (("all", {}), ("chosen", {"name": {"$exists": True}}), ("one", {"$and": [{"talk": "one"}]})):
        for words in ("", "apple"):
            rows = db.execute(
                "select value #>> '{}' from braid.facets(null, %s, %s, 'facts', aggregations => %s) where count > 0",
                (
                    words,
                    None if filters is None else Jsonb(filters),
                    Jsonb({"name": {"values": 1000, "filters": more}, "more": {"key": "none", "values": 1}}),
                ),
            ).fetchall()
            yield f"facets, {name}, '{words}'", ids(rows) - {None}
    rows = call(
        db,
        "select external_id from braid.conversation_timeline('wb', context_before => 100, context_after => 100, "
        "filters => %(filters)s, collection => 'facts', conversation_key => 'talk')",
        filters,
    )
    if rows:
        yield "turns", ids(rows)


TIME = st.sampled_from([*INSTANTS, None, "absent"])


@SETTINGS
@given(
    places=st.lists(st.tuples(TIME, TIME, st.one_of(TIME, st.just("infinity"))), min_size=1, max_size=9),
    as_of=st.sampled_from([*INSTANTS, "now", None, "absent"]),
    form=st.sampled_from(["plain", "and", "or", "not", "or not"]),
)
def test_all_searches_find_what_is_valid(
    facts: Connection, places: list[tuple[Any, Any, Any]], as_of: str | None, form: str
) -> None:
    facts.execute("select braid.clear_collection('facts')")
    documents = written(places)
    upsert(facts, documents, COLLECTION)
    asked: dict[str, Any] | None = None if as_of == "absent" else {"$as_of": as_of}
    filters, wanted = asked, expected(documents, asked)
    at_all_times = wanted
    if asked and form == "and":
        filters = {"$and": [asked, {"name": {"$exists": True}}]}
    elif asked and form == "or":
        # An alternative without a time is about now.
        filters = {"$or": [asked, {"name": "d0"}]}
        now = expected(documents, None)
        wanted, at_all_times = wanted | (now & {"d0"}), wanted | now
    elif asked and form in ("not", "or not"):
        # A document that fails a time and a name together may be of any time.
        at_all_times = expected(documents, {"$as_of": None})
        if form == "not":
            filters, wanted = {"$not": {**asked, "name": "d0"}}, at_all_times - (wanted & {"d0"})
        else:
            filters = {"$or": [asked, {"$not": {"$as_of": INSTANTS[0], "name": "d0"}}]}
            first = expected(documents, {"$as_of": INSTANTS[0]}) & {"d0"}
            wanted = wanted | (at_all_times - first)
    for name, found in entry_points(facts, filters):
        assert found == wanted, name
    for name, found in pieces(facts, filters):
        assert found == at_all_times, name
    every = {"every": {"key": "name", "values": 1000, "filters": {"$as_of": None}}}
    query = "select value #>> '{}' from braid.facets(null, '', %s, 'facts', aggregations => %s)"
    found = ids(facts.execute(query, (None if filters is None else Jsonb(filters), Jsonb(every))).fetchall())
    assert found - {None} == expected(documents, {"$as_of": None})


def test_many_alternatives_without_a_time_share_one(own: Connection) -> None:
    past, future = "2020-01-01T00:00:00Z", "2190-01-01T00:00:00Z"
    places = [(past, future, "absent"), ("absent", past, "absent"), (future, "absent", "absent")]
    upsert(own, written(places), COLLECTION)
    others: list[dict[str, Any]] = [{"name": f"d{number}"} for number in range(900)]
    for asked, found in (("now", {"d0"}), (future, {"d0", "d2"}), ("2000-01-01T00:00:00Z", {"d0", "d1"})):
        query = "select external_id from braid.list_documents('facts', 1000, filters => %(filters)s)"
        assert ids(call(own, query, {"$or": [{"$as_of": asked}, *others]})) == found


def test_turns_are_valid_at_one_of_several_times(own: Connection) -> None:
    times = ["2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"]
    upsert(own, written([*zip(times, times[1:], ["absent"] * 3, strict=False)]), COLLECTION)
    for asked, found in ((times[:2], {"d0", "d1"}), (times[:1], {"d0"}), (times[:3], {"d0", "d1", "d2"})):
        filters = {"$or": [{"$as_of": time, "talk": {"$exists": True}} for time in asked]}
        assert dict(pieces(own, filters))["turns"] == found


def test_an_export_carries_versions_and_settings(own: Connection) -> None:
    own.execute("select braid.set_validity('facts', true, '30 days')")
    supersede(own, fact("apple", "2024-01-01"), fact("pear", "2025-01-01"))
    records = [row[0] for row in own.execute("select * from braid.export_tenant()")]
    own.execute("select braid.drop_collection('facts')")
    own.execute("select braid.create_tenant('copy')")
    set_tenant(own, "copy")
    own.execute("select braid.import_tenant(%s)", (Jsonb(records),))
    stored = one(own, "select parts from braid.collections where name = 'facts'")
    assert (stored["validity"], stored["retention_days"]) == (True, 30)
    assert ids(full_text(own, "apple pear", collection=COLLECTION)) == {"price"}
    then = {"$as_of": "2024-06-01"}
    assert ids(full_text(own, "apple pear", collection=COLLECTION, filters=then)) == {
        "price@2024-01-01T00:00:00.000000Z"
    }


def test_an_import_refuses_times_that_searches_cannot_compare(own: Connection) -> None:
    own.execute("select braid.set_validity('facts', false)")
    upsert(own, [{"external_id": "a", "content": "apple", "metadata": {"valid_until": "2026-01-01"}}], COLLECTION)
    records = [row[0] for row in own.execute("select * from braid.export_tenant()") if "document" in row[0]]
    own.execute("select braid.clear_collection('facts')")
    own.execute("select braid.set_validity('facts', true)")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match='"a" has valid_until in another form') as caught:
        own.execute("select braid.import_tenant(%s)", (Jsonb(records),))
    assert caught.value.diag.message_hint


def test_new_versions_are_for_the_readers_of_the_former_ones(own: Connection) -> None:
    own.execute("select braid.set_permissions('facts', true)")
    supersede(own, {**fact("apple 1", "2024-01-01"), "access": ["group:sales"]})
    supersede(own, fact("apple 3", "2026-01-01"), fact("apple 2", "2025-01-01"))
    everything = {"$as_of": None}
    for principals, count in (('["group:sales"]', 3), ('["group:board"]', 0)):
        with own.transaction():
            own.execute("select set_config('braid.principals', %s, true)", (principals,))
            found = full_text(own, "apple", collection=COLLECTION, filters=everything)
            listed = call(
                own, "select external_id from braid.list_documents('facts', 9, null, %(filters)s)", everything
            )
            assert (len(found), len(listed)) == (count, count)
            then = full_text(own, "apple", collection=COLLECTION, filters={"$as_of": "2025-06-01"})
            assert len(then) == min(count, 1)
    # Only null opens a version to all.
    supersede(own, {**fact("apple 4", "2027-01-01"), "access": None})
    with own.transaction():
        own.execute("select set_config('braid.principals', '[]', true)")
        assert len(full_text(own, "apple", collection=COLLECTION, filters=everything)) == 1


def test_a_limited_session_never_overlaps_a_hidden_version(own: Connection) -> None:
    """A write passes beside a hidden version, and is refused like a hidden id if both would be valid at one time."""
    own.execute("select braid.set_permissions('facts', true)")
    supersede(own, {**fact("apple 1", "2024-01-01"), "access": ["group:board"]})
    supersede(own, {**fact("apple 2", "2025-01-01"), "access": ["group:sales"]})
    hidden = "select metadata from braid.get_document('price@2024-01-01T00:00:00.000000Z', 'facts') g (metadata)"
    before = one(own, hidden)

    def periods() -> list[tuple[Any, ...]]:
        return own.execute(
            "select coalesce(metadata ->> 'valid_from', ''), metadata ->> 'valid_until' from"
            " braid.list_documents('facts', 9, null, '{\"$as_of\": null}') order by 1"
        ).fetchall()

    own.execute("""select set_config('braid.principals', '["group:sales"]', false)""")
    supersede(own, fact("apple 3", "2026-01-01"))
    upsert(own, [{**fact("apple 4", "2026-01-01"), "access": ["group:sales"]}], COLLECTION)
    supersede(own, fact("apple 0", "2023-01-01", valid_until="2024-01-01"))
    upsert(own, [fact("apple 4")], COLLECTION)
    mine = periods()
    supersedes, upserts = "select braid.supersede_documents(%s, 'facts')", "select braid.upsert_documents(%s, 'facts')"
    for query, refused in (
        (supersedes, fact("apple 5", "2024-06-01")),
        (supersedes, fact("apple 5", "2023-06-01")),
        (upserts, fact("apple 5", "2024-06-01")),
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match=r'"price.*" cannot be written') as caught:
            own.execute(query, (Jsonb([refused]),))
        assert caught.value.diag.message_hint
        assert periods() == mine
    own.execute("select set_config('braid.principals', '', false)")
    assert one(own, hidden) == before
    found = periods()
    assert [end for _, end in found[:-1]] == [start for start, _ in found[1:]]
