"""With `statistics_scope` "filter", scores equal the scores of a collection that holds only the matching documents."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import full_text, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
WORDS = ["amber", "basket", "candle", "dolphin", "ember", "forest", "garden", "harbor"]
FILTER = {"category": "x"}
SCOPE = {"ranking": {"statistics_scope": "filter"}}


@pytest.fixture
def filled(db: Connection) -> Connection:
    rng = random.Random(3)
    documents = [
        {
            "external_id": f"d{number:03}",
            "title": rng.choice([None, "amber report", "garden"]),
            "chunks": [
                {"content": " ".join(rng.choices(WORDS[: 4 if number % 4 else 8], k=rng.randint(1, 20)))}
                for _ in range(rng.randint(1, 3))
            ],
            "category": "y" if number % 4 else "x",
        }
        for number in range(200)
    ]
    for name, part in (("all", documents), ("x", [one for one in documents if one["category"] == "x"])):
        db.execute("select braid.create_collection(%s, dimensions => 2, ranking => '{\"title_weight\": 2}')", (name,))
        upsert(db, part, name)
    db.execute("select braid.set_synonyms('dolphin', '{harbor}', c) from unnest('{all,x}'::text[]) c")
    db.execute("select braid.set_synonyms('ember', '{candle basket,garden amber}', c) from unnest('{all,x}'::text[]) c")
    return db


@pytest.mark.parametrize("query", ["amber gardne", "gardne amber harbor", "gardne candel amber amber"])
def test_near_words_have_their_weight_among_the_matches(filled: Connection, query: str) -> None:
    expected = full_text(filled, query, collection="x", options={"typos": "auto"})
    found = full_text(filled, query, collection="all", filters=FILTER, options={**SCOPE, "typos": "auto"})
    near: list[Any] = [(name, place, pytest.approx(score, rel=1e-12)) for name, place, score in expected]
    assert found == near
    assert found != full_text(filled, query, collection="all", filters=FILTER, options=SCOPE)


@pytest.mark.parametrize(
    "query", ["amber", "dolphin forest", "amber amber gard*", "nowhere ember", "ember", '"amber report"']
)
def test_scores_are_those_of_the_matches_alone(filled: Connection, query: str) -> None:
    expected = full_text(filled, query, collection="x")
    found = full_text(filled, query, collection="all", filters=FILTER, options=SCOPE)
    near: list[Any] = [(name, place, pytest.approx(score, rel=1e-12)) for name, place, score in expected]
    assert found == near
    assert found
    collection = full_text(
        filled, query, collection="all", filters=FILTER, options={"ranking": {"statistics_scope": "collection"}}
    )
    # An index finds the matches, and they are some hundreds, so the default of a new collection, "auto", uses their
    # statistics.
    assert full_text(filled, query, collection="all", filters=FILTER) == found
    filled.execute("select braid.set_ranking('all', '{\"statistics_scope\": \"collection\"}')")
    assert full_text(filled, query, collection="all", filters=FILTER) == collection
    assert [hit[2] for hit in collection] != [hit[2] for hit in found]


def test_auto_needs_enough_that_match(filled: Connection) -> None:
    """ "auto" needs enough matches: the index knows the category alone, and few chunks of the category pass the rest
    of the filter."""
    few = {"category": "x", "content_is": "rare"}
    filled.execute(
        'update braid_store.chunks set metadata = \'{"content_is": "rare"}\' where id in (select min(id) from'
        " braid_store.chunks where category = 'x' group by document_id order by 1 limit 5)"
    )
    by_default = full_text(filled, "amber", collection="all", filters=few)
    collection = full_text(
        filled, "amber", collection="all", filters=few, options={"ranking": {"statistics_scope": "collection"}}
    )
    assert by_default == collection != []


def test_stats_tell_the_scope(filled: Connection) -> None:
    def stats(filters: Any, options: Any) -> dict[str, Any]:
        row = filled.execute(
            "select braid.search_json('amber', collection => 'all', filters => %s, options => %s) -> 'stats'",
            (Jsonb(filters), Jsonb(options)),
        ).fetchone()
        assert row is not None
        found: dict[str, Any] = row[0]
        return found

    chunks = filled.execute("select count(*) from braid_store.chunks where category = 'x'").fetchone()
    assert chunks is not None
    found = stats(FILTER, SCOPE)
    assert (found["statistics_scope"], found["scope_chunks"]) == ("filter", chunks[0] // 2)
    assert "statistics_scope" not in stats(None, SCOPE)
    frequencies = [
        stats(FILTER, {**options, "explain": True})["term_statistics"][0]["document_frequency"]
        for options in (SCOPE, {"ranking": {"statistics_scope": "collection"}})
    ]
    assert frequencies[0] < frequencies[1]
    nothing = stats({"category": "none"}, SCOPE)
    assert (nothing["statistics_scope"], nothing["scope_chunks"], nothing["returned_results"]) == ("filter", 0, 0)


def test_a_filter_that_matches_too_many_keeps_the_collections_statistics(db: Connection) -> None:
    chunks = [{"content": "amber"}] * 10_001 + [{"content": "basket", "category": "y"}]
    upsert(db, [{"external_id": "large", "category": "x", "chunks": chunks}])
    found = []
    for options in (SCOPE, {}):
        row = db.execute(
            "select braid.search_json('amber', match_count => 3, filters => %s, options => %s)",
            (Jsonb(FILTER), Jsonb(options)),
        ).fetchone()
        assert row is not None
        found.append(row[0])
    scoped, plain = found
    assert [warning["code"] for warning in scoped["warnings"]] == ["statistics_scope_too_large"]
    assert scoped["stats"]["statistics_scope"] == "collection"
    assert scoped["results"] == plain["results"]
    assert plain["warnings"] == []
