"""Facets are exact counts of values over all chunks that a search finds, however many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support.calls import full_text, named, set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
Json = Any

WORDS = ["apple", "pear", "plum", "fig"]
# These documents and the functions below compute independently which values a chunk has, each once.
DOCUMENTS: list[dict[str, Json]] = [
    {
        "external_id": f"d{number:03}",
        "content": " ".join(word for bit, word in enumerate(WORDS) if number >> bit & 1) or "nothing",
        "title": "plum" if number % 5 == 0 else None,
        "speaker": [None, "Ana", "Ben", "ana"][number % 4],
        "importance": [None, 1, 2.5][number % 3],
        "metadata": {
            "year": [2020, 2020.0, "2020", None, True, 2021][number % 6],
            "tags": [["a", "b"], ["a", "a", None], [], "a", [["a"], {"b": 1}], {"a": 1}][number % 6],
            "page": {"number": number % 3},
            "$x": number % 2,
        },
    }
    for number in range(48)
]
KEYS = ["speaker", "importance", "external_id", "year", "tags", "page.number", "metadata.$x", "metadata.speaker"]
SETTINGS = settings(
    deadline=None, suppress_health_check=list(HealthCheck), database=None, max_examples=30, derandomize=True
)


@pytest.fixture
def filled(db: Connection) -> Connection:
    upsert(db, DOCUMENTS)
    return db


def facets(db: Connection, keys: list[str] | None, **arguments: Any) -> dict[str, list[tuple[Json, int]]]:
    arguments = {"keys": keys, **arguments}
    rows = db.execute(
        f"select key, value, count from braid.facets({named(arguments)})",
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()},
    ).fetchall()
    found: dict[str, list[tuple[Json, int]]] = {}
    for key, value, count in rows:
        found.setdefault(key, []).append((value, count))
    return found


def values(document: dict[str, Json], key: str) -> set[tuple[str, Json]]:
    """Return the values of a document's one chunk, with their types, because in Python True equals 1."""
    value = document.get(key)
    if key not in ("speaker", "importance", "external_id"):
        value = document["metadata"]
        for part in key.removeprefix("metadata.").split("."):
            value = value.get(part)
    return {
        (type(v).__name__.replace("float", "int"), v)
        for v in (value if isinstance(value, list) else [value])
        if isinstance(v, (str, int, float))
    }


def expected(ids: set[str], key: str) -> list[tuple[Json, int]]:
    counts: Counter[tuple[str, Json]] = Counter()
    for document in DOCUMENTS:
        if document["external_id"] in ids:
            counts.update(values(document, key))
    order = sorted(
        counts.items(),
        key=lambda c: (-c[1], 0, c[0][1]) if c[0][0] == "int" else (-c[1], 1, str(c[0][1]).replace("True", "true")),
    )
    return [(value, count) for (_, value), count in order]


QUERIES = st.sampled_from(
    [None, "", "apple", "apple fig", '"apple pear"', "+apple -fig", "pl*", "pear OR fig", "the", "zzz", "nothing plum"]
)
FILTERS = st.sampled_from(
    [
        None,
        {},
        {"speaker": "Ana"},
        {"year": 2020},
        {"tags": {"$in": ["a", "b"]}},
        {"year": {"$gte": 2000}, "page.number": {"$ne": 1}},
        {"speaker": "nobody"},
    ]
)


def test_counts_are_those_of_the_chunks_that_a_search_finds(filled: Connection) -> None:
    @SETTINGS
    @given(QUERIES, FILTERS, st.sampled_from(["any", "all", "60%"]), st.sets(st.sampled_from(KEYS), min_size=1))
    def check(query: str | None, filters: Json, match: str, keys: set[str]) -> None:
        arguments = {"filters": filters, "match": match}
        if query:
            ids = {hit[0] for hit in full_text(filled, query, **arguments)}
        else:
            ids = {d["external_id"] for d in DOCUMENTS if filters is None or matches(d, filters)}
        found = facets(filled, sorted(keys), query_text=query, value_count=100, **arguments)
        assert found == {key: rows for key in sorted(keys) if (rows := expected(ids, key))}
        assert list(found) == [key for key in sorted(keys) if key in found]

    check()


def matches(document: dict[str, Json], filters: dict[str, Json]) -> bool:
    """Evaluate one of the filters above."""
    tests: dict[str, Callable[[Any], bool]] = {
        "speaker": lambda v: document["speaker"] == v,
        "year": lambda v: (
            ("int", 2020) in values(document, "year")
            if v == 2020
            else any(kind == "int" and year >= 2000 for kind, year in values(document, "year"))
        ),
        "tags": lambda v: bool(values(document, "tags") & {("str", "a"), ("str", "b")}),
        "page.number": lambda v: document["metadata"]["page"]["number"] != 1,
    }
    return all(tests[key](value) for key, value in filters.items())


def test_a_title_that_is_not_ranked_finds_nothing(filled: Connection) -> None:
    filled.execute("select braid.set_ranking('default', '{\"title_weight\": 0}')")
    ids = {hit[0] for hit in full_text(filled, "plum")}
    assert ids and ids < {d["external_id"] for d in DOCUMENTS if "plum" in (d["title"], *d["content"].split())}
    counted = facets(filled, ["external_id"], query_text="plum", value_count=100)
    assert dict(counted["external_id"]) == dict.fromkeys(ids, 1)


def test_options_are_those_of_the_search(filled: Connection) -> None:
    def ids(query: str, options: dict[str, Json]) -> set[str]:
        found = {hit[0] for hit in full_text(filled, query, options=options)}
        counted = facets(filled, ["external_id"], query_text=query, value_count=100, options=options)
        assert {value for value, _ in counted.get("external_id", [])} == found
        return found

    assert ids("appel", {}) == set() < ids("appel", {"typos": "auto"})
    assert ids("+apple -fig", {}) < ids("+apple -fig", {"operators": False})
    assert ids("apple fig", {"min_scores": {"full_text": 1.0}}) < ids("apple fig", {})
    assert ids("apples", {"language": "simple"}) < ids("apples", {})


def test_a_long_list_of_matches_is_counted_to_the_last(db: Connection) -> None:
    documents = [
        {"external_id": f"x{n}", "content": f"common word{n}", "category": "even" if n % 2 == 0 else "odd"}
        for n in range(901)
    ]
    upsert(db, documents)
    upsert(db, [{"external_id": "other", "content": "different", "category": "odd"}])
    db.execute("select braid.delete_document('x0')")
    assert facets(db, ["category"], query_text="common") == {"category": [("even", 450), ("odd", 450)]}
    assert facets(db, ["category"]) == {"category": [("odd", 451), ("even", 450)]}
    assert facets(db, ["category"], query_text="common -word7") == {"category": [("even", 450), ("odd", 449)]}


def test_the_commonest_values_come_first(filled: Connection) -> None:
    every = facets(filled, ["speaker"], value_count=10)["speaker"]
    assert every == [("Ana", 12), ("Ben", 12), ("ana", 12)]
    assert facets(filled, ["speaker"], value_count=2)["speaker"] == every[:2]
    ties = facets(filled, ["page.number"], value_count=1, filters={"page.number": {"$gte": 1}})
    assert ties == {"page.number": [(1, 16)]}


def test_a_tenant_counts_its_own(filled: Connection) -> None:
    filled.execute("select braid.create_tenant('other')")
    set_tenant(filled, "other")
    assert facets(filled, ["speaker", "year"]) == {}
    upsert(filled, [{"external_id": "mine", "content": "apple", "speaker": "Zoe"}])
    assert facets(filled, ["speaker"], query_text="apple") == {"speaker": [("Zoe", 1)]}


@pytest.mark.parametrize(
    ("arguments", "state", "said"),
    [
        ({"keys": None}, "22023", "keys is null"),
        ({"keys": []}, "22023", "keys"),
        ({"keys": ["a", None]}, "22023", "null"),
        ({"keys": ["a", "b", "a"]}, "22023", '"a" twice'),
        ({"keys": [f"k{n}" for n in range(21)]}, "22023", "21"),
        ({"keys": ["occurred_at"]}, "22023", "occurred_at"),
        ({"keys": ["$x"]}, "22023", '"$x"'),
        ({"keys": ["a"], "value_count": 0}, "22023", "value_count is 0"),
        ({"keys": ["a"], "value_count": 10001}, "22023", "value_count is 10001"),
        ({"keys": ["a"], "value_count": None}, "22023", "value_count is null"),
        ({"keys": ["a"], "match": "some"}, "22023", "match"),
        ({"keys": ["a"], "collection": "none"}, "42704", "none"),
        ({"keys": ["a"], "filters": {"$x": 1}}, "22023", "$x"),
        ({"keys": ["a"], "options": {"x": 1}}, "22023", "x"),
    ],
)
def test_bad_arguments_are_named(db: Connection, arguments: dict[str, Json], state: str, said: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        facets(db, **{"keys": None, **arguments})
    assert error.value.sqlstate == state and said in str(error.value) and error.value.diag.message_hint
