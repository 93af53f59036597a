"""Aggregations give what an independent calculation in Python gives for the same documents."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

import pgbraid
from support.calls import full_text, named, set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
Json = Any
SETTINGS = settings(
    deadline=None, suppress_health_check=list(HealthCheck), database=None, max_examples=40, derandomize=True
)
RANDOM = random.Random(7)
ODD = ["12", None, True, {"a": 1}, "", [], ["x", None], "2026-02-30", "yesterday", "2026"]
NUMBERS = [0, 0.3, -0.3, 10, 9.999999, -10, 10.5, 2.5, 1e15 + 0.5, -7]
START = datetime(2025, 10, 1, tzinfo=timezone.utc)
ZONES = ["UTC", "Europe/Berlin", "America/New_York"]


def a_time() -> str:
    moment = START + timedelta(minutes=RANDOM.randrange(500 * 24 * 60))
    return RANDOM.choice(
        [
            moment.isoformat(),
            moment.astimezone(ZoneInfo("Asia/Kolkata")).isoformat(),
            moment.strftime("%Y-%m-%d"),
            moment.strftime("%Y-%m-%dT%H:%M:%S"),
            moment.strftime("%Y-%m-%d %H:%MZ"),
        ]
    )


def a_price() -> Json:
    if RANDOM.random() < 0.25:
        return RANDOM.choice(ODD)
    if RANDOM.random() < 0.25:
        return [RANDOM.choice([*NUMBERS, *ODD]) for _ in range(RANDOM.randrange(4))]
    return RANDOM.choice([*NUMBERS, round(RANDOM.uniform(-50, 50), 2)])


def a_day() -> Json:
    if RANDOM.random() < 0.2:
        return RANDOM.choice([*ODD, 5])
    return [a_time(), a_time()] if RANDOM.random() < 0.2 else a_time()


# Each chunk of a document has metadata of its own.
DOCUMENTS: list[dict[str, Json]] = [
    {
        "external_id": f"d{number:03}",
        "occurred_at": a_time() if number % 4 else None,
        "chunks": [
            {
                "content": RANDOM.choice(["apple pear", "apple", "plum", "fig plum"]) + f" w{number}",
                "importance": RANDOM.choice([None, 1, 2.5, 0.1]),
                "metadata": {
                    key: value for key, value in {"price": a_price(), "day": a_day()}.items() if RANDOM.random() < 0.9
                },
            }
            for _ in range(1 + number % 3)
        ],
    }
    for number in range(60)
]
CHUNKS = [(document, chunk) for document in DOCUMENTS for chunk in document["chunks"]]


@pytest.fixture
def filled(db: Connection) -> Connection:
    db.execute("set timezone = 'UTC'")
    upsert(db, DOCUMENTS)
    return db


def aggregate(db: Connection, aggregations: Json, **arguments: Any) -> dict[str, list[tuple[Json, int]]]:
    arguments = {"aggregations": aggregations, **arguments}
    rows = db.execute(
        f"select key, value, count from braid.facets({named(arguments)})",
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()},
    ).fetchall()
    found: dict[str, list[tuple[Json, int]]] = defaultdict(list)
    for key, value, count in rows:
        found[key].append((value, count))
    return found


def numbers(value: Json) -> set[Fraction]:
    """Return the numbers of a metadata value, each once."""
    elements = value if isinstance(value, list) else [value]
    return {Fraction(str(e)) for e in elements if isinstance(e, (int, float)) and not isinstance(e, bool)}


def times(value: Json, zone: str) -> set[datetime]:
    found = set()
    for element in value if isinstance(value, list) else [value]:
        if isinstance(element, str) and len(element) >= 10:
            try:
                moment = datetime.fromisoformat(element.replace("Z", "+00:00"))
            except ValueError:
                continue
            found.add(moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone)))
    return found


def values_of(key: str, zone: str, by_documents: bool, words: str | None) -> list[set[Any]]:
    """Return the values of each chunk, or of each document, that a search for a word finds."""
    found: dict[Any, set[Any]] = {}
    for place, (document, chunk) in enumerate(CHUNKS):
        if words is None or words in chunk["content"].split():
            value: set[Any]
            if key == "price":
                value = numbers(chunk["metadata"].get("price"))
            elif key == "importance":
                value = numbers(chunk["importance"])
            else:
                # A time without a zone was written in the session's zone.
                value = times(chunk["metadata"].get("day"), zone) if key == "day" else times(document[key], "UTC")
            found.setdefault(document["external_id"] if by_documents else place, set()).update(value)
    return list(found.values())


def counted(values: list[set[Any]], buckets: Iterable[set[Any]]) -> tuple[Counter[Any], int]:
    counts = Counter(bucket for each in buckets for bucket in each)
    return counts, sum(not each for each in values)


def instant(text: str) -> datetime:
    assert text.endswith("Z")
    return datetime.fromisoformat(text[:-1] + "+00:00")


def split(rows: list[tuple[Json, int]]) -> tuple[list[tuple[Json, int]], int]:
    """Return the buckets, and the number of chunks without a value."""
    missing = [count for value, count in rows if value is None]
    assert len(missing) <= 1 and 0 not in missing
    return [row for row in rows if row[0] is not None], sum(missing)


SHARED = {
    "count": st.sampled_from(["chunks", "documents"]),
    "words": st.sampled_from([None, "apple", "plum", "nothing"]),
}


@given(key=st.sampled_from(["price", "importance"]), width=st.sampled_from(["0.1", "1", "2.5", "10", "1000"]), **SHARED)
@SETTINGS
def check_histogram(db: Connection, key: str, width: str, count: str, words: str | None) -> None:
    rows, missing = split(
        aggregate(db, {"x": {"key": key, "interval": float(width), "count": count}}, query_text=words)["x"]
    )
    values = values_of(key, "UTC", count == "documents", words)
    size = Fraction(width)
    counts, absent = counted(values, ({v // size for v in each} for each in values))
    assert missing == absent
    assert [(Fraction(str(v["gte"])), n) for v, n in rows] == [(k * size, n) for k, n in sorted(counts.items())]
    assert all(Fraction(str(v["lt"])) == Fraction(str(v["gte"])) + size for v, _ in rows)


def test_histograms(filled: Connection) -> None:
    check_histogram(filled)


RANGE = st.tuples(st.sampled_from([None, -10, 0, 0.3, 2.5]), st.sampled_from([None, 0.4, 10, 10.5, 100]))


@given(key=st.sampled_from(["price", "importance"]), ranges=st.lists(RANGE, min_size=1, max_size=5), **SHARED)
@SETTINGS
def check_ranges(db: Connection, key: str, ranges: list[tuple[Any, Any]], count: str, words: str | None) -> None:
    asked = [
        {k: v for k, v in {"gte": low, "lt": high, "label": f"r{place}"}.items() if v is not None}
        for place, (low, high) in enumerate(ranges)
        if low is not None or high is not None
    ]
    if not asked or any(r.get("gte", -1000) >= r.get("lt", 1000) for r in asked):
        return
    rows, missing = split(aggregate(db, {key: {"ranges": asked, "count": count}}, query_text=words)[key])
    values = values_of(key, "UTC", count == "documents", words)
    assert missing == sum(not each for each in values)
    assert rows == [
        (
            r,
            sum(
                any(
                    ("gte" not in r or v >= Fraction(str(r["gte"]))) and ("lt" not in r or v < Fraction(str(r["lt"])))
                    for v in each
                )
                for each in values
            ),
        )
        for r in asked
    ]


def test_ranges_are_half_open_and_may_overlap(filled: Connection) -> None:
    check_ranges(filled)


def start_of(moment: datetime, step: str) -> datetime:
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    if step == "week":
        return day - timedelta(days=day.weekday())
    if step == "quarter":
        return day.replace(day=1, month=(day.month - 1) // 3 * 3 + 1)
    return {"day": day, "month": day.replace(day=1), "year": day.replace(day=1, month=1)}[step]


def end_of(start: datetime, step: str) -> datetime:
    days = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}[step]
    return start_of(start + timedelta(days=days, hours=6), step)


LABELS = {"day": "%Y-%m-%d", "week": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}


@given(
    key=st.sampled_from(["day", "occurred_at"]),
    step=st.sampled_from(["day", "week", "month", "quarter", "year"]),
    zone=st.sampled_from(ZONES),
    **SHARED,
)
@SETTINGS
def check_dates(db: Connection, key: str, step: str, zone: str, count: str, words: str | None) -> None:
    asked = {"x": {"key": key, "interval": step, "time_zone": zone, "count": count}}
    rows, missing = split(aggregate(db, asked, query_text=words)["x"])
    values = values_of(key, zone, count == "documents", words)
    there = ZoneInfo(zone)
    counts, absent = counted(values, ({start_of(v.astimezone(there), step) for v in each} for each in values))
    assert missing == absent
    assert [(instant(v["gte"]), n) for v, n in rows] == sorted(
        (start.astimezone(timezone.utc), n) for start, n in counts.items()
    )
    for value, _ in rows:
        start = instant(value["gte"]).astimezone(there)
        assert instant(value["lt"]) == end_of(start, step).astimezone(timezone.utc)
        if step in LABELS:
            assert value["label"] == start.strftime(LABELS[step])


def test_dates_are_those_of_the_time_zone(filled: Connection) -> None:
    check_dates(filled)


@given(key=st.sampled_from(["price", "importance", "day", "occurred_at"]), buckets=st.integers(1, 40), **SHARED)
@SETTINGS
def check_buckets(db: Connection, key: str, buckets: int, count: str, words: str | None) -> None:
    is_time = key in ("day", "occurred_at")
    kind = {"type": "time"} if is_time else {}
    rows, missing = split(aggregate(db, {key: {"buckets": buckets, "count": count, **kind}}, query_text=words)[key])
    values = values_of(key, "UTC", count == "documents", words)
    assert missing == sum(not each for each in values)
    every = sorted({v for each in values for v in each})
    if not every:
        assert rows == []
        return

    def read(value: Json) -> Any:
        return instant(value) if is_time else Fraction(str(value))

    assert 1 <= len(rows) <= buckets
    assert (read(rows[0][0]["gte"]), read(rows[-1][0]["lte"])) == (every[0], every[-1])
    assert [v["lt"] for v, _ in rows[:-1]] == [v["gte"] for v, _ in rows[1:]]
    for value, number in rows:
        low, high = read(value["gte"]), read(value.get("lt", value.get("lte")))
        assert number == sum(any(low <= v < high or (v == high and "lte" in value) for v in each) for each in values)


def test_a_number_of_buckets(filled: Connection) -> None:
    check_buckets(filled)


def percentile(values: list[Any], share: Fraction) -> Any:
    place = share * (len(values) - 1)
    low, high = values[int(place)], values[-int(-place // 1)]
    return low + (high - low) * float(place % 1) if isinstance(low, datetime) else low + (high - low) * (place % 1)


@given(
    key=st.sampled_from(["price", "importance", "day", "occurred_at"]),
    percents=st.lists(st.sampled_from([0, 5, 25, 50, 99.9, 100]), unique=True, max_size=4),
    **SHARED,
)
@SETTINGS
def check_statistics(db: Connection, key: str, percents: list[float], count: str, words: str | None) -> None:
    is_time = key in ("day", "occurred_at")
    asked = {"key": key, "count": count, "statistics": True, "type": "time" if is_time else "number"}
    if percents:
        asked["percentiles"] = percents
    rows, missing = split(aggregate(db, {"x": asked}, query_text=words)["x"])
    values = values_of(key, "UTC", count == "documents", words)
    assert missing == sum(not each for each in values)
    every = sorted(v for each in values for v in each)
    ((found, number),) = rows
    assert number == len(every)
    if not every:
        assert found["min"] is None and found["max"] is None and found["avg"] is None
        return
    if is_time:
        assert (instant(found["min"]), instant(found["max"])) == (every[0], every[-1])
        avg = START + sum(((v - START) for v in every), timedelta()) / len(every)
        assert abs(instant(found["avg"]) - avg) < timedelta(milliseconds=1)
        for percent in percents:
            expected = percentile(every, Fraction(str(percent)) / 100)
            assert abs(instant(found["percentiles"][f"{percent}"]) - expected) < timedelta(milliseconds=1)
    else:
        assert (found["min"], found["max"]) == (float(every[0]), float(every[-1]))
        assert found["sum"] == float(sum(every))
        assert found["avg"] == pytest.approx(float(sum(every) / len(every)), rel=1e-12)
        for percent in percents:
            expected = float(percentile(every, Fraction(str(percent)) / 100))
            assert found["percentiles"][f"{percent}"] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert set(found.get("percentiles", {})) == {f"{percent}" for percent in percents}


def test_statistics_and_percentiles(filled: Connection) -> None:
    check_statistics(filled)


def test_several_at_once_follow_the_query_and_filters_or_not(filled: Connection) -> None:
    asked = {
        "found": {"total": True},
        "every": {"total": True, "query": False, "filters": {}},
        "filtered": {"total": True, "query": False},
        "unfiltered": {"total": True, "filters": {}},
        "price": {"interval": 10},
        "all prices": {"key": "price", "interval": 10, "query": False, "filters": {}},
        "importance": {"values": 5, "filters": {}},
    }
    filters = {"importance": {"$gte": 1}}
    together = aggregate(filled, asked, query_text="plum", filters=filters)
    alone = {
        name: aggregate(filled, {name: each}, query_text="plum", filters=filters)[name] for name, each in asked.items()
    }
    assert together == alone

    def total(matches: Mapping[str, bool]) -> tuple[int, int]:
        chosen = [
            (document["external_id"], chunk)
            for document, chunk in CHUNKS
            if (not matches["query"] or "plum" in chunk["content"].split())
            and (not matches["filters"] or (chunk["importance"] or 0) >= 1)
        ]
        return len(chosen), len({external_id for external_id, _ in chosen})

    for name, query, filtered in (
        ("found", True, True), ("every", False, False), ("filtered", False, True), ("unfiltered", True, False)
    ):  # fmt: skip
        chunks, documents = total({"query": query, "filters": filtered})
        assert together[name] == [
            (
                {
                    "chunks": {"count": chunks, "relation": "equal"},
                    "documents": {"count": documents, "relation": "equal"},
                },
                chunks,
            )
        ]
    assert sum(n for _, n in together["importance"]) == total({"query": True, "filters": False})[0]
    assert sum(n for _, n in alone["all prices"]) > sum(n for _, n in alone["price"])


def test_nulls_in_the_filters_of_an_aggregation_are_conditions(db: Connection) -> None:
    upsert(db, [{"external_id": str(n), "content": "plum", "metadata": {"tag": "a"} if n else {}} for n in range(3)])
    for condition, count in (({"tag": None}, 1), ({"tag": {"$ne": None}}, 2), ({"$not": {"tag": {"$eq": None}}}, 2)):
        found = aggregate(db, {"all": {"total": True, "filters": condition, "count": None}})
        assert found == aggregate(db, {"all": {"total": True}}, filters=condition)
        assert found["all"][0][1] == count


def test_values_beside_keys(filled: Connection) -> None:
    found = aggregate(
        filled, {"again": {"key": "price", "values": 10000}}, keys=["price"], value_count=10000, query_text="plum"
    )
    values, missing = split(found["again"])
    assert values == found["price"]
    assert missing == sum(
        not [e for e in (v if isinstance(v, list) else [v]) if isinstance(e, (str, int, float))]
        for _, chunk in CHUNKS
        if "plum" in chunk["content"].split()
        for v in [chunk["metadata"].get("price")]
    )


def test_huge_and_tiny_numbers_raise_nothing(db: Connection) -> None:
    huge = ["1e400", "-1e400", "1e-400", "9" * 400, "1e308", "-1e308", "0." + "0" * 500 + "1", "1e131000", "5"]
    for place, number in enumerate(huge):
        db.execute(
            "select * from braid.upsert_documents(jsonb_build_array(jsonb_build_object('external_id', %s::text,"
            "'content', 'x', 'metadata', jsonb_build_object('n', %s::numeric))))",
            (str(place), number),
        )
    found = aggregate(
        db,
        {
            "wide": {"key": "n", "interval": 1e300},
            "narrow": {"key": "n", "interval": 1e-300},
            "ranges": {"key": "n", "ranges": [{"lt": 0}, {"gte": 0, "lt": 1}, {"gte": 1}]},
            "buckets": {"key": "n", "buckets": 7},
            "numbers": {"key": "n", "statistics": True, "percentiles": [0, 10, 50, 100]},
            "documents": {"key": "n", "percentiles": [50], "count": "documents"},
        },
    )
    assert [n for _, n in found["ranges"]] == [2, 2, 5]
    for name in ("wide", "narrow", "buckets"):
        assert sum(n for _, n in found[name]) == len(huge)
    ((statistics, count),) = found["numbers"]
    assert (statistics["min"], statistics["max"], count) == (-(10**308), 10**308, len(huge))
    assert statistics["percentiles"]["50"] == 5 == found["documents"][0][0]["percentiles"]["50"]


def test_what_is_computed_is_a_float_and_what_is_stored_stays(client: pgbraid.Client) -> None:
    values = [RANDOM.random() for _ in range(40)] + [RANDOM.randrange(1, 4) / 3 for _ in range(9)] + [2]
    long = Decimal("2.00000000000000000000001")
    for number, value in enumerate([*values, long]):
        client.add_documents([{"external_id": str(number), "content": "x", "metadata": {"n": value}}])
    percentiles = {"statistics": True, "percentiles": [7, 33, 50, 99, 100]}
    rows = client.facets(aggregations={"n": percentiles, "parts": {"key": "n", "buckets": 7}})
    ((statistics, _),) = split([(row.value, row.count) for row in rows["n"]])[0]
    assert statistics["max"] == statistics["percentiles"].pop("100") == long
    computed = [statistics["avg"], statistics["sum"], *statistics["percentiles"].values()]
    for row in rows["parts"]:
        assert isinstance(row.value, dict)
        conditions = {f"${name}": bound for name, bound in row.value.items()}
        assert len(client.search("x", 100, mode="full_text", filters={"n": conditions})) == row.count
        computed += [bound for bound in row.value.values() if bound != long]
    assert {type(number) for number in computed} <= {float, int}
    # Whole numbers keep all of their digits.
    whole = 10**20 + 1
    client.add_documents([{"external_id": f"w{n}", "content": "x", "metadata": {"w": whole}} for n in range(3)])
    (row,) = (row for row in client.facets(aggregations={"w": {"statistics": True}})["w"] if row.value)
    assert isinstance(row.value, dict) and row.value["sum"] == 3 * whole


def test_bounds_between_long_whole_numbers_ascend(db: Connection) -> None:
    """Between neighbours that a float cannot tell apart, each bucket has what its bounds say."""
    first = 2 * 10**16
    upsert(db, [{"external_id": str(n), "content": "x", "metadata": {"n": first + n}} for n in range(4)])
    rows = aggregate(db, {"n": {"buckets": 6}})["n"]
    assert sum(count for _, count in rows) == 4
    for value, count in rows:
        filters = {"n": {f"${name}": bound for name, bound in value.items()}}
        assert aggregate(db, {"total": {"total": True}}, filters=filters)["total"][0][1] == count


def test_a_declared_time_needs_no_type(filled: Connection) -> None:
    filled.execute("""select braid.set_indexed_attributes('{"day": "time"}')""")
    declared = aggregate(filled, {"day": {"statistics": True}})
    assert declared == aggregate(filled, {"day": {"statistics": True, "type": "time"}})
    assert declared["day"][0][1] > 10


def test_buckets_are_filters(filled: Connection) -> None:
    rows, _ = split(aggregate(filled, {"occurred_at": {"interval": "month", "time_zone": "Asia/Tokyo"}})["occurred_at"])
    for value, number in rows:
        filters = {"occurred_at": {"$gte": value["gte"], "$lt": value["lt"]}}
        assert aggregate(filled, {"total": {"total": True}}, filters=filters)["total"][0][1] == number


@pytest.mark.parametrize(
    ("zone", "around"),
    [
        ("America/Sao_Paulo", "2018-11-04T03:00Z"),  # Midnight becomes 1 o'clock.
        ("America/Sao_Paulo", "2018-02-18T02:00Z"),  # Midnight becomes 23 o'clock.
        ("America/Havana", "2018-11-04T05:00Z"),  # 1 o'clock becomes midnight.
        ("Atlantic/Azores", "2026-10-25T01:00Z"),
        ("Australia/Lord_Howe", "2026-04-04T15:00Z"),  # 2 o'clock becomes half past 1.
        ("Australia/Lord_Howe", "2026-10-03T15:30Z"),
        ("Africa/Cairo", "2026-04-23T22:00Z"),
    ],
)
@pytest.mark.parametrize("step", ["hour", "day", "week", "month"])
def test_buckets_are_filters_where_clocks_change(db: Connection, zone: str, around: str, step: str) -> None:
    change = datetime.fromisoformat(around.replace("Z", "+00:00"))
    times = [change + timedelta(minutes=30 * n) for n in range(-60, 60)]
    upsert(
        db, [{"external_id": str(n), "content": "x", "occurred_at": time.isoformat()} for n, time in enumerate(times)]
    )
    rows = aggregate(db, {"occurred_at": {"interval": step, "time_zone": zone}})["occurred_at"]
    for value, number in rows:
        filters = {"occurred_at": {"$gte": value["gte"], "$lt": value["lt"]}}
        assert aggregate(db, {"total": {"total": True}}, filters=filters)["total"][0][1] == number
    assert sum(number for _, number in rows) == len(times)
    assert all(a["lt"] <= b["gte"] for (a, _), (b, _) in pairwise(rows))


def test_times_before_christ_are_none(db: Connection) -> None:
    days = ["4714-11-24 BC", "4713-01-01T00:00:00 bc", "0044-03-15 BC 12:00", "0001-01-01", "9999-12-31T23:00-12:00"]
    upsert(db, [{"external_id": day, "content": "x", "metadata": {"day": day}} for day in days])
    for asked in ({"interval": "week"}, {"interval": "year"}, {"buckets": 3}):
        rows, missing = split(aggregate(db, {"day": {**asked, "type": "time"}})["day"])
        assert (sum(n for _, n in rows), missing) == (2, 3)


def test_chunks_and_documents_have_the_same_far_times(db: Connection) -> None:
    times = ["4000-01-01 BC", "0044-03-15 BC", "0500-06-01", "9999-12-30T23:00Z", "12000-01-01", "infinity"]
    for time in times:
        db.execute("select braid.upsert_document(%s, content => 'x', occurred_at => %s)", (time, time))
    for asked in ({"interval": "week"}, {"interval": "year"}, {"buckets": 2}, {"statistics": True}):
        for count in ("chunks", "documents"):
            rows, missing = split(aggregate(db, {"occurred_at": {**asked, "count": count}})["occurred_at"])
            assert (sum(n for _, n in rows), missing) == (2, 4)


def test_too_many_buckets_are_refused(db: Connection) -> None:
    upsert(
        db, [{"external_id": f"d{n}", "content": "x", "metadata": {"n": list(range(n, 20_000, 4))}} for n in range(4)]
    )
    with pytest.raises(psycopg.Error) as error:
        aggregate(db, {"n": {"interval": 1}})
    assert error.value.sqlstate == "54000" and '"n" makes more than 10000' in str(error.value)
    assert error.value.diag.message_hint
    assert len(aggregate(db, {"n": {"interval": 2}})["n"]) == 10_000


def test_a_tenant_aggregates_its_own(filled: Connection) -> None:
    filled.execute("select braid.create_tenant('other')")
    set_tenant(filled, "other")
    asked = {"total": {"total": True}, "price": {"interval": 1}, "statistics": {"key": "price", "statistics": True}}
    found = aggregate(filled, asked)
    assert found["price"] == [] and found["total"][0][1] == found["statistics"][0][1] == 0
    upsert(filled, [{"external_id": "mine", "content": "apple", "metadata": {"price": 3}}])
    found = aggregate(filled, asked, query_text="apple")
    assert found["price"] == [({"gte": 3, "lt": 4}, 1)] and found["statistics"][0][0]["max"] == 3


def test_a_transaction_that_reads_may_aggregate(filled: Connection) -> None:
    with filled.transaction():
        filled.execute("set transaction read only")
        assert aggregate(filled, {"x": {"key": "price", "buckets": 3}})["x"]


@pytest.mark.parametrize(
    ("aggregation", "said"),
    [
        (5, '"x" is 5'),
        (None, '"x" is null'),
        ({}, '"x" has nothing to count'),
        ({"interval": 5, "values": 3}, '"x" has values and interval'),
        ({"step": 5}, 'unknown field "step"'),
        ({"key": 3, "interval": 5}, 'key of "x" is 3'),
        ({"key": "$x", "interval": 5}, '"$x"'),
        ({"key": "speaker", "interval": 5}, '"speaker" has no number'),
        ({"key": "importance", "interval": "day"}, '"importance" has no time'),
        ({"key": "occurred_at", "values": 5}, "occurred_at"),
        ({"key": "occurred_at", "interval": 5}, "interval of"),
        ({"interval": 0}, "interval of"),
        ({"interval": -1}, 'interval of "x" is -1'),
        ({"interval": "decade"}, "decade"),
        ({"interval": "day", "time_zone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"interval": 5, "type": "text"}, 'type of "x" is "text"'),
        ({"interval": 5, "count": "words"}, "words"),
        ({"interval": 5, "filters": []}, "filters of"),
        ({"interval": 5, "filters": {"$x": 1}}, "$x"),
        ({"interval": 5, "query": 1}, "query of"),
        ({"values": 0}, 'values of "x" is 0'),
        ({"buckets": 1001}, 'buckets of "x" is 1001'),
        ({"buckets": 1.5}, "1.5"),
        ({"statistics": False}, "statistics of"),
        ({"total": "yes"}, "total of"),
        ({"percentiles": [101]}, "[101]"),
        ({"percentiles": []}, "percentiles of"),
        ({"ranges": []}, "ranges of"),
        ({"ranges": [{}]}, "{}"),
        ({"ranges": [{"gte": 3, "lt": 3}]}, '"lt": 3'),
        ({"ranges": [{"gte": "x"}]}, 'gte of a range of "x" is "x"'),
        ({"ranges": [{"gte": 1, "lt": "2026-01-01"}]}, 'lt of a range of "x" is "2026-01-01"'),
        ({"ranges": [{"gte": 1, "to": 5}]}, '"to": 5'),
        ({"ranges": [{"gte": 1, "label": 5}]}, '"label": 5'),
    ],
)
def test_bad_aggregations_are_named(db: Connection, aggregation: Json, said: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        aggregate(db, {"x": aggregation})
    assert error.value.sqlstate == "22023" and said in str(error.value) and error.value.diag.message_hint


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"aggregations": {}}, "0 elements"),
        ({"aggregations": {f"k{n}": {"interval": 1} for n in range(21)}}, "21 elements"),
        ({"aggregations": Jsonb([1])}, "a JSON array"),
        ({"aggregations": {"speaker": {"values": 1}}, "keys": ["speaker"]}, '"speaker", which is in keys'),
        ({"aggregations": {"x": {"total": True, "filters": {}}}, "filters": {"$x": 1}}, "$x"),
    ],
)
def test_bad_arguments_are_named(db: Connection, arguments: dict[str, Json], said: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        aggregate(db, **arguments)
    assert error.value.sqlstate == "22023" and said in str(error.value) and error.value.diag.message_hint


def test_words_of_the_search_are_those_of_full_text(filled: Connection) -> None:
    for query in ("apple plum", '"fig plum"', "+apple -pear", "pl*"):
        number = len(full_text(filled, query))
        assert aggregate(filled, {"x": {"total": True}}, query_text=query)["x"][0][1] == number, query
