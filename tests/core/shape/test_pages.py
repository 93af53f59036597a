"""The pages of a cursor, put together, equal one large page."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support.arranged import QUERY, QUERY_VECTOR, fill
from support.arranged import search as arranged_search
from support.calls import named, set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
COLUMNS = "external_id, chunk_index, score, group_score, cursor"


def page(db: Connection, cursor: object, options: dict[str, Any] | None = None, **arguments: Any) -> list[Any]:
    arguments = {
        "query_text": QUERY,
        "query_embedding": QUERY_VECTOR,
        "collection": "shapes",
        "options": Jsonb({**(options or {}), "cursor": cursor}),
        **arguments,
    }
    return db.execute(f"select {COLUMNS} from braid.hybrid_search({named(arguments)})", arguments).fetchall()


def pages(db: Connection, sizes: Iterator[int], options: dict[str, Any] | None = None, **arguments: Any) -> list[Any]:
    """Return all pages; only the last row of each page has a cursor, except on the last page."""
    found: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        rows = page(db, cursor, options, match_count=next(sizes), **arguments)
        found.append([row[:4] for row in rows])
        assert all(row[4] is None for row in rows[:-1])
        cursor = rows[-1][4] if rows else None
        assert len(found) < 1000
    return found


def joined(listing: list[Any]) -> list[Any]:
    return [row for rows in listing for row in rows]


def endless(sizes: list[int]) -> Iterator[int]:
    while True:
        yield from sizes


ARRANGEMENTS: list[dict[str, Any]] = [
    {},
    {"collapse": True},
    {"collapse": {"similarity": 0.9}},
    {"group_by": "document"},
    {"group_by": {"key": "document", "size": 3, "score": "sum"}},
    {"group_by": {"key": "team", "size": 2, "score": "mean"}, "collapse": {"similarity": 0.95}},
    {"group_by": {"key": "document", "score": "mixture"}},
    {"context": {"before": 1}},
]
LEGS: list[dict[str, Any]] = [
    {"candidate_count": 1000},
    {"candidate_count": 30},
    {"query_embedding": None},
    {"query_text": None},
]


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    fill(shared_db)
    return shared_db


@pytest.fixture
def shapes(filled: Connection) -> Iterator[Connection]:
    """Yield the database of tests that only read; the others fill their own."""
    yield filled
    filled.execute("reset all")


@given(st.sampled_from(ARRANGEMENTS), st.sampled_from(LEGS), st.lists(st.integers(1, 20), min_size=1, max_size=4))
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_pages_are_the_one_great_page(
    shapes: Connection, options: dict[str, Any], leg: dict[str, Any], sizes: list[int]
) -> None:
    everything = page(shapes, "", options, match_count=1000, **{"candidate_count": 1000, **leg})
    expected = [row[:4] for row in everything]
    assert everything[-1][4] is None and len(expected) > 2
    assert joined(pages(shapes, endless(sizes), options, **leg)) == expected
    if not options:
        assert any(first[2] == second[2] for first, second in pairwise(expected))


def test_a_page_has_match_count_rows_or_groups(shapes: Connection) -> None:
    listing = pages(shapes, endless([4]))
    assert {len(rows) for rows in listing[:-1]} == {4}
    listing = pages(shapes, endless([4]), {"group_by": {"key": "document", "size": 6}})
    assert {len({row[0] for row in rows}) for rows in listing[:-1]} == {4}
    assert max(len(rows) for rows in listing) > 4


def test_pages_end_with_the_candidates_of_the_first_and_say_so(shapes: Connection) -> None:
    arguments = {
        "query_text": QUERY,
        "query_embedding": QUERY_VECTOR,
        "collection": "shapes",
        "candidate_count": 6,
        "fusion": "rrf",
    }
    one = shapes.execute(
        f"select count(*) from braid.hybrid_search({named(arguments)}, match_count => 100)", arguments
    ).fetchone()
    assert one is not None
    cursor: str | None = ""
    count = 0
    while cursor is not None:
        answer = shapes.execute(
            f"select braid.search_json({named(arguments)}, match_count => 2, options => %(options)s)",
            {**arguments, "options": Jsonb({"cursor": cursor})},
        ).fetchone()
        assert answer is not None
        found = answer[0]
        count += len(found["results"])
        cursor = found["stats"]["next_cursor"]
        assert found["results"][-1]["cursor"] == cursor
        codes = [warning["code"] for warning in found["warnings"]]
        assert ("listing_cut" in codes) == (cursor is None)
    assert count == one[0]


def test_a_leg_alone_goes_on_beyond_its_candidates(shapes: Connection) -> None:
    everything = page(shapes, "", match_count=1000, query_text=None)
    assert len(everything) > 60
    listing = pages(shapes, endless([1]), query_text=None, candidate_count=1)
    assert joined(listing) == [row[:4] for row in everything]


@pytest.mark.parametrize("embedded", [1, 0.7])
@pytest.mark.parametrize("normalisation", ["theoretical", "centroid", "saturate", "none"])
def test_fusions_of_absolute_scores_go_on_beyond_their_candidates(
    db: Connection, normalisation: str, embedded: float
) -> None:
    fill(db, 5, 40, embedded=embedded)
    for fusion in ("convex", "max"):
        for arrangement in ({}, {"collapse": True}, {"group_by": {"key": "document", "size": 2}}):
            options = {"ranking": {"normalisation": normalisation}, **arrangement}
            everything = page(db, "", options, match_count=1000, candidate_count=1000, fusion=fusion)
            expected = [(*row[:2], pytest.approx(row[2], rel=1e-9)) for row in everything]
            assert len(expected) > 20
            listing = joined(pages(db, endless([7, 19]), options, candidate_count=5, fusion=fusion))
            if "group_by" in options:
                # A group shows only its rows found until its page: its best row, in order.
                firsts = [row for number, row in enumerate(listing) if row[0] not in {r[0] for r in listing[:number]}]
                assert [row[0] for row in firsts] == list(dict.fromkeys(row[0] for row in expected))
                assert [row[:3] for row in firsts] == [row for row in expected if row[:2] in {r[:2] for r in firsts}]
            else:
                assert [row[:3] for row in listing] == expected


@pytest.mark.parametrize("fusion", ["convex", "max"])
@pytest.mark.parametrize("normalisation", ["theoretical", "centroid", "saturate", "none"])
def test_pages_go_on_where_a_leg_has_a_minimum(db: Connection, normalisation: str, fusion: str) -> None:
    """Pages continue where a leg has a minimum: a leg that ends at its minimum may give an unfound chunk more than
    any found chunk."""
    fill(db, 5, 40, embedded=0.7)
    scores = sorted(row[0] for row in arranged_search(db, "full_text_score", query_embedding=None))
    similarities = sorted(row[0] for row in arranged_search(db, "semantic_score", query_text=None))
    for options, weights in (
        ({"min_scores": {"full_text": scores[-2]}}, {"full_text_weight": 2, "semantic_weight": 0.1}),
        ({"min_scores": {"semantic": similarities[-2]}}, {"full_text_weight": 0.1, "semantic_weight": 2}),
        ({"min_scores": {"full_text": 1000}}, {"full_text_weight": 2, "semantic_weight": 1}),
        ({"min_scores": {"semantic": 0.999999}}, {"full_text_weight": 1, "semantic_weight": 2}),
    ):
        arguments = {"fusion": fusion, **weights}
        options = {"ranking": {"normalisation": normalisation}, **options}
        everything = page(db, "", options, match_count=1000, candidate_count=1000, **arguments)
        expected = [(*row[:2], pytest.approx(row[2], rel=1e-9)) for row in everything]
        assert len(expected) > 20
        listing = joined(pages(db, endless([3, 8]), options, candidate_count=5, **arguments))
        assert [row[:3] for row in listing] == expected


def test_inserts_and_deletions_between_pages(db: Connection) -> None:
    """Inserts and deletes between pages do not move similarities: each lasting row is shown once, even if the
    cursor's row is deleted."""
    fill(db)
    semantic: dict[str, Any] = {"query_text": None, "match_count": 7}
    before = [row[:2] for row in page(db, "", query_text=None, match_count=1000)]
    found: list[Any] = []
    cursor: str | None = ""
    number = 0
    removed: set[str] = set()
    while cursor is not None:
        rows = page(db, cursor, **semantic)
        found += [row[:2] for row in rows]
        cursor = rows[-1][4] if rows else None
        number += 1
        if number == 2 or number == 4:
            removed.add(rows[-1][0])
            db.execute("select braid.delete_document(%s, 'shapes')", (rows[-1][0],))
        upsert(
            db,
            [
                {"external_id": f"new{number}-{place}", "content": "amber", "embedding": embedding}
                for place, embedding in enumerate([[2, 1, 0, -1], [1, 1, 0, 0], [1, -2, 1, 2]] * 5)
            ],
            "shapes",
        )
    assert len(found) == len(set(found))
    kept = [key for key in before if key[0] not in removed]
    assert [key for key in found if key in set(kept)] == kept
    assert removed and any(key[0].startswith("new") for key in found)


def test_a_cursor_of_another_query_is_refused(shapes: Connection) -> None:
    cursor = page(shapes, "", match_count=3)[-1][4]
    assert page(shapes, cursor, match_count=5)
    others: list[dict[str, Any]] = [
        {"query_text": "amber"},
        {"query_embedding": "[1,0,0,0]"},
        {"query_embedding": None},
        {"filters": Jsonb({"speaker": "Ana"})},
        {"full_text_weight": 2},
        {"rrf_k": 1},
        {"min_score": 0},
        {"match": "all"},
        {"candidate_count": 17},
        {"options": {"group_by": "document"}},
        {"collection": "default", "query_embedding": None},
    ]
    for other in others:
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="belongs to another query") as error:
            page(shapes, cursor, **other)
        assert error.value.diag.message_hint
    shapes.execute("select braid.create_tenant('other')")
    set_tenant(shapes, "other")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="belongs to another query"):
        page(shapes, cursor)


def forge(parts: object) -> str:
    """Return a cursor with a valid checksum."""
    data = parts if isinstance(parts, bytes) else json.dumps(parts).encode()
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()[:8] + data).decode().rstrip("=")


def test_a_tampered_cursor_is_refused(shapes: Connection) -> None:
    cursor = page(shapes, "", match_count=3)[-1][4]
    data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    parts = json.loads(data[8:])
    assert forge(data[8:]) == cursor
    wrong_values: dict[str, list[Any]] = {
        "n": [0, -5, 2**40, "x"],
        "w": [0, 1e300],
        "s": ["NaN", "1e999", []],
        "c": ["abc", 10**30],
        "i": [1.5, {}],
    }
    wrong = [
        *(cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :] for place in range(0, 140, 9)),
        *(cursor[:length] for length in (1, 2, 3, 4, 11, 50, len(cursor) - 1)),
        cursor + "A",
        cursor + "=",
        cursor * 200,
        "x",
        "start",
        " ",
        "é",
        "'",
        "====",
        *(forge({**parts, key: None}) for key in parts),
        *(forge({key: value for key, value in parts.items() if key != missing}) for missing in parts),
        *(forge({**parts, key: value}) for key, values in wrong_values.items() for value in values),
        *map(forge, ([], [1], "text", 1, b"", b"{", b"\xff\xfe", b'{"f": "\\u0000"}', b"[" * 9000)),
    ]
    for value in wrong:
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="cursor") as error:
            page(shapes, value, match_count=3)
        assert error.value.diag.message_hint
    of_other_types: list[Any] = [1, True, [], {}]
    for number in of_other_types:
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="cursor"):
            page(shapes, number)


def test_a_forged_place_or_window_stays_within_bounds(shapes: Connection) -> None:
    cursor = page(shapes, "", match_count=3)[-1][4]
    parts = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))[8:])
    expected = [row[:4] for row in page(shapes, cursor, match_count=3)]
    for change in ({"n": 1000000}, {"w": 100000}):
        assert [row[:4] for row in page(shapes, forge({**parts, **change}), match_count=3)] == expected
    for change in ({"n": 1000001}, {"w": 100001}):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="cursor"):
            page(shapes, forge({**parts, **change}), match_count=3)


def test_variety_has_no_pages(shapes: Connection) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="cursor and diversify") as error:
        page(shapes, "", {"diversify": True})
    assert error.value.diag.message_hint
