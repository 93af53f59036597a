"""Words, ISO 8601 and ranges give the periods that an independent model gives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from parts.memory.timeframe_model import (
    Range,
    after,
    before,
    expected,
    iso_periods,
    named_periods,
    since,
    until,
    written_dates,
)

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
PHRASES = named_periods()
WRITTEN = written_dates()
ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Havana",  # its clocks go back from 1:00 to midnight
    "America/Santiago",  # its clocks go forward at midnight
    "Australia/Lord_Howe",  # its clocks move by half an hour
    "Asia/Kathmandu",
    "Pacific/Apia",  # it skipped 30 December 2011
]
# This day is a Wednesday.
NOW = datetime(2025, 3, 12, 14, 30, 45, tzinfo=timezone.utc)
SETTINGS = settings(
    deadline=None, suppress_health_check=list(HealthCheck), database=None, max_examples=100, derandomize=True
)


@pytest.fixture
def db(shared_db: Connection) -> Iterator[Connection]:
    """Yield one database for all tests, which write nothing."""
    yield shared_db
    shared_db.execute("reset all")


def parse(db: Connection, timeframe: str | None, zone: str | None = "UTC", now: datetime | None = NOW) -> list[Range]:
    rows = db.execute(
        "select (extract(epoch from starts_at) * 1000000)::bigint, (extract(epoch from ends_at) * 1000000)::bigint"
        " from braid.parse_timeframe(%s, %s, %s)",
        (timeframe, zone, now and now.isoformat()),
    ).fetchall()
    epoch = utc(1970, 1, 1)
    return [
        tuple(None if b is None else epoch + timedelta(microseconds=b) for b in row)  # type: ignore[misc]
        for row in rows
    ]


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[misc, arg-type]


def refused(db: Connection, timeframe: str | None, zone: str | None = "UTC", now: str | None = None) -> Any:
    with pytest.raises(psycopg.Error) as caught:
        db.execute("select * from braid.parse_timeframe(%s, %s, %s)", (timeframe, zone, now))
    assert caught.value.sqlstate == "22023"
    assert caught.value.diag.message_hint
    return caught.value.diag


times = st.datetimes(datetime(1990, 1, 1), datetime(2035, 1, 1)).map(lambda t: t.replace(tzinfo=timezone.utc))
near_changes = st.builds(
    lambda change, minutes: change + timedelta(minutes=minutes),
    st.sampled_from(
        [
            utc(2025, 3, 30, 1),
            utc(2025, 10, 26, 1),
            utc(2025, 11, 2, 5),
            utc(2025, 3, 9, 5),
            utc(2025, 9, 7, 4),
            utc(2025, 4, 5, 15),
            utc(2011, 12, 30, 10),
            utc(2024, 2, 29),
            utc(2025, 1, 1),
            utc(2024, 12, 30),
        ]
    ),
    st.integers(-3 * 1440, 3 * 1440),
)


@given(phrase=st.sampled_from(sorted(PHRASES)), now=times | near_changes, zone=st.sampled_from(ZONES))
@SETTINGS
@example("yesterday", utc(2025, 11, 2, 12), "America/Havana")
@example("today", utc(2025, 11, 2, 12), "America/Havana")
@example("today", utc(2025, 9, 7, 12), "America/Santiago")
@example("february 29", utc(2025, 2, 28), "UTC")
@example("february 29", utc(1999, 2, 28), "UTC")
def test_phrases_mean_what_the_model_says(db: Connection, phrase: str, now: datetime, zone: str) -> None:
    assert parse(db, phrase, zone, now) == [expected(PHRASES[phrase], now, ZoneInfo(zone))]


def test_every_phrase_is_understood_in_any_case(db: Connection) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    wrong = [
        (phrase, now)
        for now in (NOW, utc(2024, 12, 31, 23, 59, 59), utc(2024, 2, 29, 12))
        for phrase in PHRASES
        if parse(db, phrase.upper(), "Europe/Berlin", now) != [expected(PHRASES[phrase], now, berlin)]
    ]
    assert wrong == []


def test_every_date_as_people_write_it(db: Connection) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    wrong = {
        (phrase, str(now)): (found, meant)
        for now in (NOW, utc(2024, 12, 31, 23, 59, 59))
        for phrase, meaning in WRITTEN.items()
        if (found := parse(db, phrase.upper(), "Europe/Berlin", now)) != (meant := [expected(meaning, now, berlin)])
    }
    assert wrong == {}


@given(phrase=st.sampled_from(sorted(WRITTEN)), now=times | near_changes, zone=st.sampled_from(ZONES))
@settings(SETTINGS, max_examples=60)
@example("beginning of april", utc(2001, 4, 2), "America/Havana")  # this day began at one o'clock
def test_dates_as_people_write_them_in_any_zone(db: Connection, phrase: str, now: datetime, zone: str) -> None:
    assert parse(db, phrase, zone, now) == [expected(WRITTEN[phrase], now, ZoneInfo(zone))]


@given(
    day=st.dates(date(1950, 1, 1), date(2049, 12, 31)),
    sign=st.sampled_from("/.-"),
    form=st.sampled_from(["{1}{0}{2}{0}{3}", "{2}{0}{1}{0}{3}", "{3}{0}{2}{0}{1}"]),
    width=st.integers(1, 2),
)
@settings(SETTINGS, max_examples=60)
@example(date(2024, 2, 29), "/", "{1}{0}{2}{0}{3}", 1)
@example(date(2025, 12, 31), ".", "{2}{0}{1}{0}{3}", 2)
def test_dates_in_numbers(db: Connection, day: date, sign: str, form: str, width: int) -> None:
    text = form.format(sign, f"{day.day:0{width}}", f"{day.month:0{width}}", day.year)
    if day.day > 12 or day.day == day.month or form.startswith("{3}"):
        assert parse(db, text) == [
            (utc(day.year, day.month, day.day), utc(day.year, day.month, day.day) + timedelta(1))
        ]
    else:
        said = refused(db, f"since {text}")
        assert said.message_primary == (
            f"timeframe 'since {text}' is ambiguous: {text} has no sign of which number is the month"
        )
        assert said.message_hint == "Write 2025-03-04, or 4 March 2025."


def test_one_date_tells_the_order_of_the_other(db: Connection) -> None:
    assert parse(db, "between 31/12/2024 and 5/1/2025") == [(utc(2024, 12, 31), utc(2025, 1, 6))]
    assert parse(db, "5/1/2025 - 5/13/2025") == [(utc(2025, 5, 1), utc(2025, 5, 14))]
    refused(db, "from 31/12/2024 to 5/1/2025 or 1/31/2025")


def test_days_that_do_not_exist_are_refused(db: Connection) -> None:
    for text in (
        "31/04/2025",
        "29.2.2025",
        "2025/13/14",
        "Feb. 30",
        "Feb 29, 2025",
        "30-31 April",
        "31/12/25",
        "H3 2025",
    ):
        refused(db, text)


def test_months_and_lists_in_numbers(db: Connection) -> None:
    december = [(utc(2024, 12, 1), utc(2025, 1, 1))]
    assert parse(db, "12/2024") == parse(db, "2024/12") == december
    assert parse(db, "March 3 and 7, 2025") == [(utc(2025, 3, 3), utc(2025, 3, 4)), (utc(2025, 3, 7), utc(2025, 3, 8))]
    assert (
        parse(db, "5 March to 7 April 2024") == parse(db, "Mar. 5–Apr. 7, 2024") == [(utc(2024, 3, 5), utc(2024, 4, 8))]
    )
    assert parse(db, "Dec. 30 – Jan. 2") == [(utc(2024, 12, 30), utc(2025, 1, 3))]
    assert parse(db, "Jan-Mar 2025") == [(utc(2025, 1, 1), utc(2025, 4, 1))]
    assert parse(db, "2021–2023") == [(utc(2021, 1, 1), utc(2024, 1, 1))]
    assert parse(db, "12/2023-1/2024") == [(utc(2023, 12, 1), utc(2024, 2, 1))]
    assert parse(db, "Q1-Q2 2024") == parse(db, "first half of the year 2024") == [(utc(2024, 1, 1), utc(2024, 7, 1))]
    assert parse(db, "late 2023–early 2024") == [(utc(2023, 9, 1), utc(2024, 5, 1))]
    assert parse(db, "end of the month") == [(utc(2025, 3, 21), utc(2025, 4, 1))]
    assert parse(db, "5. March 2025") == parse(db, "20250305") == [(utc(2025, 3, 5), utc(2025, 3, 6))]
    assert parse(db, "5.-7. March 2025") == [(utc(2025, 3, 5), utc(2025, 3, 8))]
    assert parse(db, "by March 2025") == [(None, utc(2025, 4, 1))]
    assert parse(db, "٥ March ٢٠٢٥") == [(utc(2025, 3, 5), utc(2025, 3, 6))]


@given(phrase=st.sampled_from(sorted(PHRASES)), now=times, zone=st.sampled_from(ZONES))
@settings(SETTINGS, max_examples=60)
def test_open_ranges(db: Connection, phrase: str, now: datetime, zone: str) -> None:
    words = {"since": since, "until": until, "up to": until, "before": before, "after": after}
    for word, meaning in words.items():
        assert parse(db, f"{word} {phrase}", zone, now) == [expected(meaning(PHRASES[phrase]), now, ZoneInfo(zone))]
    # "over a year ago" means longer than a year ago.
    for word in ("in", "on", "during", *([] if phrase.endswith(" ago") else ["over"]), "within"):
        assert parse(db, f"{word} {phrase}", zone, now) == [expected(PHRASES[phrase], now, ZoneInfo(zone))]


@given(day=st.dates(date(1990, 1, 1), date(2035, 1, 1)), zone=st.sampled_from(ZONES))
@settings(SETTINGS, max_examples=50)
def test_iso_periods(db: Connection, day: date, zone: str) -> None:
    for text, meaning in iso_periods(day).items():
        assert parse(db, text, zone) == [expected(meaning, NOW, ZoneInfo(zone))]


@given(first=st.dates(date(1990, 1, 1), date(2035, 1, 1)), days=st.integers(0, 800), zone=st.sampled_from(ZONES))
@settings(SETTINGS, max_examples=60)
def test_iso_intervals_include_the_period_they_end_with(db: Connection, first: date, days: int, zone: str) -> None:
    last = first + timedelta(days=days)
    starts, ends = iso_periods(first), iso_periods(last)
    for (start, begin), (stop, end) in zip(starts.items(), ends.items(), strict=True):
        begins = expected(begin, NOW, ZoneInfo(zone))[0]
        finish = expected(end, NOW, ZoneInfo(zone))[1]
        for text in (f"{start}/{stop}", f"from {start} to {stop}", f"between {start} and {stop}", f"{start} - {stop}"):
            assert parse(db, text, zone) == [(begins, finish)]
        assert parse(db, f"{start}/..", zone) == [(begins, None)]
        assert parse(db, f"../{stop}", zone) == [(None, finish)]


def test_what_is_said_in_the_documentation(db: Connection) -> None:
    said: list[tuple[str, list[Range]]] = [
        ("2025-01-01/P1M", [(utc(2025, 1, 1), utc(2025, 2, 1))]),
        ("2025-01-31/p1m", [(utc(2025, 1, 31), utc(2025, 2, 28))]),
        ("P1M/2025-02-01", [(utc(2025, 1, 1), utc(2025, 2, 1))]),
        ("2025-01-01T10:00/PT36H", [(utc(2025, 1, 1, 10), utc(2025, 1, 2, 22))]),
        ("2025-01-01T10:00:00Z/2025-01-01T12:00:00+01:00", [(utc(2025, 1, 1, 10), utc(2025, 1, 1, 11))]),
        ("P7D", [(NOW - timedelta(days=7), NOW)]),
        ("P1Y2M", [(utc(2024, 1, 12, 14, 30, 45), NOW)]),
        ("PT90M", [(NOW - timedelta(minutes=90), NOW)]),
        ("2025-03-05T10", [(utc(2025, 3, 5, 10), utc(2025, 3, 5, 11))]),
        ("2025-03-05 10:15", [(utc(2025, 3, 5, 10, 15), utc(2025, 3, 5, 10, 16))]),
        ("2025-03-05T10:15:30.5Z", [(utc(2025, 3, 5, 10, 15, 30, 500000), utc(2025, 3, 5, 10, 15, 30, 500001))]),
        ("an hour ago", [(utc(2025, 3, 12, 13), utc(2025, 3, 12, 14))]),
        ("the last 90 minutes", [(NOW - timedelta(minutes=90), NOW)]),
        ("last hour", [(NOW - timedelta(hours=1), NOW)]),
        ("this hour", [(utc(2025, 3, 12, 14), utc(2025, 3, 12, 15))]),
        ("next 2 days", [(NOW, NOW + timedelta(days=2))]),
        ("next monday", [(utc(2025, 3, 17), utc(2025, 3, 18))]),
        ("next april", [(utc(2025, 4, 1), utc(2025, 5, 1))]),
        ("last march", [(utc(2024, 3, 1), utc(2024, 4, 1))]),
        ("this may", [(utc(2025, 5, 1), utc(2025, 6, 1))]),
        ("next march", [(utc(2026, 3, 1), utc(2026, 4, 1))]),
        ("the weekend", [(utc(2025, 3, 8), utc(2025, 3, 10))]),
        ("two weekends ago", [(utc(2025, 3, 1), utc(2025, 3, 3))]),
        ("the first quarter of 2024", [(utc(2024, 1, 1), utc(2024, 4, 1))]),
        ("4th quarter last year", [(utc(2024, 10, 1), utc(2025, 1, 1))]),
        ("earlier today", [(utc(2025, 3, 12), NOW)]),
        ("more than two weeks ago", [(None, NOW - timedelta(days=14))]),
        ("over two weeks ago", [(None, NOW - timedelta(days=14))]),
        ("before now", [(None, NOW)]),
        ("from march 2024 until now", [(utc(2024, 3, 1), NOW)]),
        ("less than 3 days ago", [(NOW - timedelta(days=3), NOW)]),
        ("from monday on", [(utc(2025, 3, 10), None)]),
        ("between March and May 2025", [(utc(2025, 3, 1), utc(2025, 6, 1))]),
        ("between November and February 2025", [(utc(2024, 11, 1), utc(2025, 3, 1))]),
        ("from november to february", [(utc(2024, 11, 1), utc(2025, 3, 1))]),
        ("from march 2024 until may", [(utc(2024, 3, 1), utc(2024, 6, 1))]),
        ("monday to friday", [(utc(2025, 3, 10), utc(2025, 3, 15))]),
        ("thursday - monday", [(utc(2025, 3, 6), utc(2025, 3, 11))]),
        ("from last monday to yesterday", [(utc(2025, 3, 10), utc(2025, 3, 12))]),
        ("2021 to 2023", [(utc(2021, 1, 1), utc(2024, 1, 1))]),
        ("  Yesterday.\n", [(utc(2025, 3, 11), utc(2025, 3, 12))]),
        ("[2025-01-01,2025-02-01)", [(utc(2025, 1, 1), utc(2025, 2, 1))]),
        ("[2025-01-01,2025-02-01]", [(utc(2025, 1, 1), utc(2025, 2, 2))]),
        ("(2025-01-01, 2025-02-01]", [(utc(2025, 1, 2), utc(2025, 2, 2))]),
        ("(2025-01-01 00:00, 2025-02-01T10:00Z]", [(utc(2025, 1, 1, 0, 0, 0, 1), utc(2025, 2, 1, 10, 0, 0, 1))]),
        ("[2025-01-01 10:00+02,)", [(utc(2025, 1, 1, 8), None)]),
        ("(-infinity,infinity)", [(None, None)]),
        ("[,2025-02-01)", [(None, utc(2025, 2, 1))]),
    ]
    assert {timeframe: parse(db, timeframe) for timeframe, _ in said} == dict(said)


WEEK = (utc(2025, 3, 3), utc(2025, 3, 10))
YESTERDAY = (utc(2025, 3, 11), utc(2025, 3, 12))


def test_several_ranges(db: Connection) -> None:
    for timeframe in (
        "yesterday; last week",
        "last week and yesterday",
        "yesterday, last week",
        "last week or yesterday",
        '["yesterday", "last week"]',
        '{yesterday,"last week"}',
        "{[2025-03-03,2025-03-10),[2025-03-11,2025-03-12)}",
        "2025-W10; [2025-03-11,2025-03-12)",
        "last week; yesterday; 2025-03-11; ",
    ):
        assert parse(db, timeframe) == [WEEK, YESTERDAY], timeframe


def test_ranges_that_meet_are_one(db: Connection) -> None:
    assert parse(db, "2025-01; 2025-02; 2025-02-20/2025-03-04") == [(utc(2025, 1, 1), utc(2025, 3, 5))]


def test_a_year_is_that_of_the_months_before_it_too(db: Connection) -> None:
    assert parse(db, "in March or May 2024") == [
        (utc(2024, 3, 1), utc(2024, 4, 1)),
        (utc(2024, 5, 1), utc(2024, 6, 1)),
    ]


def test_ranges_as_the_database_writes_them_come_back(db: Connection) -> None:
    db.execute("set timezone = 'Asia/Kathmandu'")
    for bounds in ("[)", "(]", "[]", "()"):
        ((text,),) = db.execute(
            "select tstzrange('1900-01-01 12:00+00', '2025-02-01 10:00:00.25+00', %s)::text", (bounds,)
        ).fetchall()
        ((start, end),) = parse(db, text, "America/New_York")
        micro = timedelta(microseconds=1)
        assert start == utc(1900, 1, 1, 12) + (micro if bounds[0] == "(" else 0 * micro)
        assert end == utc(2025, 2, 1, 10, 0, 0, 250000) + (micro if bounds[1] == "]" else 0 * micro)


def test_the_session_says_the_zone_and_the_clock_the_time_unless_given(db: Connection) -> None:
    db.execute("set timezone = 'Pacific/Kiritimati'")
    today = datetime.now(ZoneInfo("Pacific/Kiritimati")).date()
    ((start, end),) = parse(db, "today", None, None)
    assert start is not None and end is not None
    assert start.astimezone(ZoneInfo("Pacific/Kiritimati")).date() in (today, today + timedelta(days=1))
    assert end - start == timedelta(days=1)
    ((start, end),) = parse(db, "the last 3 hours", None, None)
    assert start is not None and end is not None
    assert end - start == timedelta(hours=3)
    assert timedelta(0) <= datetime.now(timezone.utc) - end < timedelta(minutes=5)


def test_offsets_count_eastwards(db: Connection) -> None:
    hours = {"+02:00": 2, "-0530": -5.5, "UTC+3": 3, "gmt-1": -1, "Etc/GMT+3": -3, "utc": 0, "EST5EDT": -4}
    found = {zone: parse(db, "2025-07-01", zone)[0][0] for zone in hours}
    assert found == {zone: utc(2025, 7, 1) - timedelta(hours=hour) for zone, hour in hours.items()}


def test_settings_of_the_session_change_nothing(db: Connection) -> None:
    for setting in ("datestyle = 'SQL, DMY'", "intervalstyle = 'sql_standard'", "timezone = 'Asia/Tokyo'"):
        db.execute(f"set {setting}")
    assert parse(db, "[2025-01-02,2025-02-03)") == [(utc(2025, 1, 2), utc(2025, 2, 3))]
    assert parse(db, "P7D") == [(NOW - timedelta(days=7), NOW)]
    assert parse(db, "2025-02-03") == [(utc(2025, 2, 3), utc(2025, 2, 4))]


def test_what_is_not_understood_is_refused(db: Connection) -> None:
    for timeframe in (
        "",
        "   ",
        ";",
        "soon",
        "recently",
        "last",
        "last 3",
        "3 days",
        "week",
        "the last weekends",
        "several days ago",
        "2025-02-30",
        "2025-13",
        "2025-W54",
        "2021-W53",
        "0000",
        "february 30",
        "february 29 2023",
        "32nd of march",
        "between march",
        "since",
        "since ever",
        "2025-01-01/",
        "2025-01-01/P",
        "P7D/P7D",
        "../..",
        "P",
        "PT",
        "[yesterday,today)",
        "[2025-01-01,2025-02-01",
        "{[2025-01-01,2025-02-01),nonsense}",
        "[]",
        "{}",
        '["yesterday", ""]',
        '["yesterday", null]',
        "[1, 2]",
        '{"a": 1}',
        "yesterday and soon",
        "the last 999999 years",
        "P999999Y",
        "2025-01-01/P999999Y",
        "yesterday' or 'a'='a",
        "x" * 10001,
    ):
        assert refused(db, timeframe).message_primary.startswith("timeframe ")


def test_the_refusal_lists_what_is_understood(db: Connection) -> None:
    said = refused(db, "sometime")
    assert said.message_primary == "timeframe 'sometime' is not understood"
    # The message quotes the whole timeframe, and not a part that ends in the "or" of "before".
    assert refused(db, "before long").message_primary == "timeframe 'before long' is not understood"
    for words in (
        "yesterday",
        "last 3 days",
        "two weeks ago",
        "Q4 2024",
        "2025-W10",
        "P7D",
        "between ... and ...",
        "auto",
    ):
        assert words in said.message_hint


def test_a_range_that_ends_before_it_begins_is_refused(db: Connection) -> None:
    for timeframe in (
        "[2025-02-01,2025-01-01)",
        "[2025-02-01,2025-02-01)",
        "2025-02-01/2025-01-01",
        "2025-02-01T10:00/2025-02-01T10:00",
        "between May 2025 and March 2025",
        "from 2025 to 2024",
        "last 0 days",
        "yesterday; [2025-02-01,2025-01-01)",
        "{[2025-02-01,2025-01-01)}",
    ):
        assert " it begins: " in refused(db, timeframe).message_primary


def test_time_zones_that_do_not_exist_are_refused(db: Connection) -> None:
    for zone in ("Mars/Phobos", "", "Foo5", "UTC+99", "Europe/Berlin5", "+2:99", "posixrules99", "a'b"):
        assert refused(db, "today", zone).message_primary == f"time_zone is '{zone}'"


def test_reference_times_that_nothing_can_be_reckoned_from_are_refused(db: Connection) -> None:
    for now in ("infinity", "-infinity", "4000-01-01 BC", "10000-01-01"):
        assert refused(db, "today", "UTC", now).message_primary.startswith("reference_time is ")


SOME = [
    "early",
    "summer",
    "3-7",
    "jan.",
    "31/12/2025",
    "'25",
    "–",
    "last",
    "this",
    "next",
    "past",
    "the",
    "3",
    "days",
    "week",
    "ago",
    "since",
    "between",
    "and",
    "march",
    "may",
]
MORE = ["q4", "2025", "2025-03", "P7D", "/", "[", "]", ",", ")", "(", ";", "monday"]
WORDS = st.sampled_from([*SOME, *MORE])


@given(text=st.text(max_size=40) | st.lists(WORDS, max_size=7).map(" ".join))
@settings(SETTINGS, max_examples=80)
def test_any_text_is_ranges_or_one_kind_of_error(db: Connection, text: str) -> None:
    if "\x00" in text or any("\ud800" <= c <= "\udfff" for c in text):
        return
    try:
        ranges = parse(db, text)
    except psycopg.errors.InvalidParameterValue:
        return
    assert ranges
    assert all(start is None or end is None or start < end for start, end in ranges)
