"""The option rank_by combines similarity, importance and recency, each scaled to 0..1 before it is weighted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import upsert, vector

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]

ALL = ["similarity", "importance", "recency"]


@pytest.fixture
def filled(db: Connection) -> Connection:
    """Fill documents with similarities 1, .5, .049 and 0, importances up to 10, and ages in weeks."""
    db.execute("select braid.create_collection('small', dimensions => 2, distance => 'inner_product')")
    week = "select to_json(now() - %s * interval '7 days') #>> '{}'"
    upsert(
        db,
        [
            {
                "external_id": name,
                "content": f"text {name}",
                "embedding": [similarity, 1],
                **({} if importance is None else {"importance": importance}),
                **({} if age is None else {"occurred_at": db.execute(week, (age,)).fetchall()[0][0]}),
            }
            for name, similarity, importance, age in (
                ("near", 1.0, 3, 2),
                ("half", 0.5, None, None),
                ("loud", 0.049, 10, 1),
                ("new", 0.0, 0, 0),
            )
        ],
        "small",
    )
    return db


def search(db: Connection, options: Mapping[str, Any], function: str = "semantic_search") -> dict[str, Any]:
    rows = db.execute(
        f"select external_id, to_jsonb(s) from braid.{function}(query_embedding => %s::vector, collection => 'small', "
        "options => %s) s",
        (vector([1, 0]), Jsonb(options)),
    ).fetchall()
    return dict(rows)


def scores(db: Connection, rank_by: Any, **options: Any) -> dict[str, float]:
    return {name: row["score"] for name, row in search(db, {"rank_by": rank_by, **options}).items()}


def test_importance_does_not_drown_relevance(filled: Connection) -> None:
    found = scores(filled, ["similarity", "importance"])
    assert list(found) == ["near", "loud", "half", "new"]
    # A text without importance gets the mean of the others, 13 / 3.
    assert found == pytest.approx(
        {"near": (1 + 0.3) / 2, "loud": (0.049 + 1) / 2, "half": (0.5 + 13 / 30) / 2, "new": 0}
    )


def test_weights_and_subsets(filled: Connection) -> None:
    assert scores(filled, {"similarity": 3, "importance": 1}) == pytest.approx(
        {"near": 0.75 + 0.075, "half": 0.375 + 13 / 120, "loud": 0.03675 + 0.25, "new": 0}
    )
    assert scores(filled, ["importance"]) == pytest.approx({"loud": 1, "half": 13 / 30, "near": 0.3, "new": 0})
    # Recency halves each week: 1, .5 and .25 are scaled to 1, 1/3 and 0.
    assert scores(filled, ["recency"]) == pytest.approx({"new": 1, "half": 4 / 9, "loud": 1 / 3, "near": 0}, abs=1e-4)
    assert scores(filled, {"recency": 5, "importance": 0}) == pytest.approx(scores(filled, ["recency"]), abs=1e-4)
    every = scores(filled, ALL)
    assert every["loud"] == pytest.approx((0.049 + 1 + 1 / 3) / 3, abs=1e-4)
    # Similarity alone keeps the order and scores of the search.
    assert scores(filled, ["similarity"]) == scores(filled, None)


def test_the_older_name(filled: Connection) -> None:
    assert list(search(filled, {"rank_by": ALL})) == list(scores(filled, ALL))
    assert search(filled, {"rank_by": ["similarity"]})["near"]["score"] == 1


def test_signals_that_are_equal_or_missing_change_no_order(filled: Connection) -> None:
    filled.execute("update braid_store.chunks set importance = 5, occurred_at = null")
    assert list(scores(filled, ALL)) == ["near", "half", "loud", "new"]


def test_what_rows_tell(filled: Connection) -> None:
    row = search(filled, {"rank_by": {"similarity": 3, "importance": 1}})["half"]
    assert row["fused_score"] == 0.5
    assert row["boosts"] == [
        {"signal": "similarity", "value": 0.5, "normalised_value": 0.5, "weight": 0.75},
        {"signal": "importance", "value": None, "normalised_value": pytest.approx(13 / 30), "weight": 0.25},
    ]


def test_boosts_come_after(filled: Connection) -> None:
    plain = scores(filled, ALL)
    boosted = search(filled, {"rank_by": ALL, "boosts": [{"filter": {"external_id": "new"}, "factor": 3}]})
    assert boosted["new"]["score"] == pytest.approx(3 * plain["new"], rel=1e-4)
    assert [boost["signal"] for boost in boosted["new"]["boosts"]] == [*ALL, "filter"]
    assert boosted["near"]["score"] == pytest.approx(plain["near"], rel=1e-4)


def test_pages_show_every_row_once(filled: Connection) -> None:
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = filled.execute(
            "select external_id, cursor from braid.semantic_search(query_embedding => %s::vector, match_count => 3, "
            "collection => 'small', options => %s)",
            (vector([1, 0]), Jsonb({"rank_by": ["similarity", "importance"], "cursor": cursor})),
        ).fetchall()
        seen += [name for name, _ in page]
        cursor = page[-1][1]
    assert seen == ["near", "loud", "half", "new"]


BAD: Sequence[tuple[dict[str, Any], str]] = [
    ({"rank_by": []}, "rank_by is []"),
    ({"rank_by": {}}, "rank_by is {}"),
    ({"rank_by": "recency"}, "rank_by"),
    ({"rank_by": ["similarity", "speed"]}, "speed"),
    ({"rank_by": ["recency", "recency"]}, "recency"),
    ({"rank_by": ["similarity", None]}, "rank_by"),
    ({"rank_by": {"similarity": -1}}, "-1"),
    ({"rank_by": {"similarity": "1"}}, "rank_by"),
    ({"rank_by": {"similarity": 1e-10}}, "rank_by"),
    ({"rank_by": {"similarity": 0, "recency": 0}}, "rank_by"),
    ({"rank_by": {"speed": 1}}, "speed"),
]


@pytest.mark.parametrize(("options", "named"), BAD, ids=lambda value: str(value)[:60])
def test_bad_input(shared_db: Connection, options: dict[str, Any], named: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        shared_db.execute("select braid.full_text_search('a', options => %s)", (Jsonb(options),))
    assert named in (raised.value.diag.message_primary or "")
    assert raised.value.diag.message_hint
