"""The views for analysts agree with counts made in Python."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import datetime, timedelta, timezone
from typing import Any

import psycopg
import pytest
from parts.search_log.logged import Logged, some
from psycopg.rows import dict_row

from support.calls import one
from support.nearest import maintain

pytestmark = pytest.mark.any_version

Connection = psycopg.Connection[Any]
NOW = datetime.now(timezone.utc)


def rows(db: Connection, view: str) -> list[dict[str, Any]]:
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(f"select * from braid.{view}".encode()).fetchall()


@pytest.fixture(params=["new", "counted", "both"])
def searches(request: pytest.FixtureRequest, db: Connection) -> list[Logged]:
    """Write searches, with none, half or all of them before maintain(), which makes no difference."""
    rng = random.Random(11)
    made = some(rng, [NOW - timedelta(hours=rng.uniform(0, 50)) for _ in range(400)])
    for s in made[:200] if request.param == "both" else made:
        s.write(db)
    if request.param != "new":
        maintain(db)
    if request.param == "both":
        for s in made[200:]:
            s.write(db)
    return made


def test_latency(db: Connection, searches: list[Logged]) -> None:
    expected = defaultdict(list)
    for s in searches:
        expected[s.at.date(), s.collection, s.mode, s.semantic_mode].append(s.ms)
    found = {(r["day"], r["collection"], r["mode"], r["semantic_mode"]): r for r in rows(db, "search_latency")}
    assert found.keys() == expected.keys()
    for key, times in expected.items():
        row = found[key]
        times.sort()
        mean = sum(times) / len(times)
        assert row["calls"] == len(times)
        assert row["mean_ms"] == pytest.approx(mean, rel=1e-6)
        assert row["stddev_ms"] == pytest.approx((sum((t - mean) ** 2 for t in times) / len(times)) ** 0.5, rel=1e-4)
        assert (row["min_ms"], row["max_ms"]) == pytest.approx((times[0], times[-1]), rel=1e-6)
        for name, share in (("p50_ms", 0.5), ("p95_ms", 0.95), ("p99_ms", 0.99)):
            # This is the smallest time that this share of the searches took at most.
            exact = next(t for n, t in enumerate(times, 1) if n >= share * len(times) - 1e-9)
            assert row[name] == pytest.approx(exact, rel=0.046), (key, name)


def test_problems(db: Connection, searches: list[Logged]) -> None:
    expected = []
    for s in searches:
        problems = ["zero_hits"] * (s.results == 0 and s.is_first_page) + ["underfilled"] * s.is_underfilled
        if problems or s.warnings:
            expected.append((s.at, s.query, s.results, [*problems, *s.warnings]))
    found = [(r["searched_at"], r["query_text"], r["result_count"], r["problems"]) for r in rows(db, "search_problems")]
    assert sorted(found, key=str) == sorted(expected, key=str)


def test_queries(db: Connection, searches: list[Logged]) -> None:
    expected = defaultdict(list)
    for s in searches:
        expected[None if s.query is None else s.query.strip().lower()].append(s)
    found = {r["query"]: r for r in rows(db, "query_statistics")}
    assert found.keys() == expected.keys() == {"harbour", "ship", None}
    for query, members in expected.items():
        row = found[query]
        assert row["calls"] == len(members)
        assert row["estimated_calls"] == pytest.approx(sum(1 / m.share for m in members))
        assert row["zero_hits"] == sum(m.results == 0 and m.is_first_page for m in members)
        assert row["mean_ms"] == pytest.approx(sum(m.ms for m in members) / len(members), rel=1e-6)
        assert row["max_ms"] == pytest.approx(max(m.ms for m in members), rel=1e-6)
        assert (row["compile_ms"], row["legs_ms"], row["ranking_ms"], row["rows_ms"]) == (1, 2, 3, 4)
        assert (row["first_searched_at"], row["last_searched_at"]) == (
            min(m.at for m in members), max(m.at for m in members)
        )  # fmt: skip


def test_success(db: Connection) -> None:
    rng = random.Random(5)
    made = defaultdict(list)
    for n in range(60):
        ranking = rng.choice(["convex", "rrf"])
        search = Logged(NOW - timedelta(hours=n), ranking=ranking, results=rng.choice([0, 5, 10]))
        search.is_first_page = rng.random() < 0.8
        search_id = search.write(db)
        clicked = sorted(rng.sample(range(1, search.results + 1), rng.randint(0, min(2, search.results))))
        for rank in clicked:
            assert one(db, "select braid.record_feedback(%s, %s, 'click')", search_id, f"d{rank}")
            db.execute("select braid.record_feedback(%s, %s, 'dwell', 9)", (search_id, f"d{rank}"))
        rated = [rng.randint(-5, 5) for _ in range(min(2, search.results) if rng.random() < 0.4 else 0)]
        for rank, rating in enumerate(rated, 1):
            db.execute("select braid.record_feedback(%s, %s, 'rating', %s)", (search_id, f"d{rank}", rating))
        if search.results and search.is_first_page:
            made[ranking].append((clicked, rated))
    maintain(db)
    found = {r["ranking"]: r for r in rows(db, "search_success")}
    assert found.keys() == made.keys() == {"convex", "rrf"}
    for ranking, members in made.items():
        row = found[ranking]
        ranks = [1 / clicked[0] for clicked, _ in members if clicked]
        ratings = [rating for _, rated in members for rating in rated]
        assert (row["searches"], row["clicked_searches"]) == (len(members), len(ranks))
        assert row["click_through_rate"] == pytest.approx(len(ranks) / len(members))
        assert row["mean_reciprocal_rank"] == pytest.approx(sum(ranks) / len(members))
        assert row["clicked_reciprocal_rank"] == pytest.approx(sum(ranks) / len(ranks))
        assert row["mean_rating"] == pytest.approx(sum(ratings) / len(ratings))
        assert row["used_searches"] == 0


def test_queries_that_are_kept_as_hashes_are_told_apart(db: Connection) -> None:
    db.execute("select braid.set_search_log('default', keep_query => 'hash')")
    for text in ("ship", " Ship", "harbour"):
        db.execute("select braid.logged_search(%s)", (text,))
    found = {r["query"]: r["calls"] for r in rows(db, "query_statistics")}
    assert sorted(found.values()) == [1, 2] and all(query.startswith("sha256:") for query in found)


def test_views_are_not_changed_directly(db: Connection) -> None:
    for view in (
        "search_log", "search_feedback", "search_hours", "search_latency", "search_problems", "query_statistics",
        "search_success",
    ):  # fmt: skip
        Logged(NOW).write(db)
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="cannot be changed directly"):
            db.execute(f"insert into braid.{view} (collection) values ('x')".encode())
