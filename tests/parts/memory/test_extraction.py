"""Timeframes are extracted from a query text where the words can hardly mean anything else, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from parts.memory.test_timeframes import NOW, parse

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
SETTINGS = settings(
    deadline=None, suppress_health_check=list(HealthCheck), database=None, max_examples=60, derandomize=True
)

# Each text stands beside the remaining text, and the timeframe that was extracted.
TAKEN = {
    "what did we discuss last week about PostgreSQL": ("what did we discuss about PostgreSQL", "last week"),
    "What did we discuss last week?": ("What did we discuss?", "last week"),
    "Last week, what did we discuss": ("what did we discuss", "last week"),
    "what was decided yesterday": ("what was decided", "yesterday"),
    "YESTERDAY what did Ana say": ("what did Ana say", "yesterday"),
    "pricing objections since Monday": ("pricing objections", "since monday"),
    "who called over the last 3 days, and why": ("who called, and why", "the last 3 days"),
    "errors in the past 24 hours": ("errors", "past 24 hours"),
    "two weeks ago Ben told me about k8s": ("Ben told me about k8s", "two weeks ago"),
    "what broke a few days ago": ("what broke", "3 days ago"),
    "what happened in Q4?": ("what happened?", "q4"),
    "what happened in the second quarter of 2024 in sales": ("what happened in sales", "q2 2024"),
    "what did we plan between March and May 2024 for hiring": ("what did we plan for hiring", "2024-03/2024-05"),
    "notes from 2023 about Rust": ("notes about Rust", "2023"),
    "what happened in 2023": ("what happened", "2023"),
    "calls on March 5th, 2025 about pricing": ("calls about pricing", "2025-03-05"),
    "messages before 2025-03-05": ("messages", "before 2025-03-05"),
    "what did she say on Monday morning": ("what did she say", "monday morning"),
    "may I ask what we said in May": ("may I ask what we said", "may"),
    "what was said over the weekend": ("what was said", "the weekend"),
    "what changed last May": ("what changed", "last may"),
    "since march we know of it": ("we know of it", "since march"),
    "calls in May about seats": ("calls about seats", "may"),
    "what may we do, as said in march": ("what may we do, as said", "march"),
    "what did we decide earlier today on auth": ("what did we decide on auth", "earlier today"),
    "talks (last weekend) on Go": ("talks on Go", "last weekend"),
    "compare last week and last month": ("compare", "last week; last month"),
    "until yesterday nobody knew of CVE-2024-1234": ("nobody knew of CVE-2024-1234", "until yesterday"),
    "what was said more than 2 weeks ago": ("what was said", "more than 2 weeks ago"),
    '"last week" the band, heard last month': ('"last week" the band, heard', "last month"),
    "was  Ana\tthere   last night": ("was  Ana\tthere", "last night"),
    "what did we decide in 2023 and 2024?": ("what did we decide?", "2023; 2024"),
    "in June and July, who left": ("who left", "june; july"),
    "what was said in March or May 2024 about seats": ("what was said about seats", "march 2024; may 2024"),
    "who joined on Monday and Tuesday": ("who joined", "monday; tuesday"),
    "in 2023 and in general": ("and in general", "2023"),
    "what was known up to last week": ("what was known", "until last week"),
    "who said so over two weeks ago": ("who said so", "more than two weeks ago"),
    "yesterday": ("", "yesterday"),
    "what happened on Jan. 5, 2025 in sales": ("what happened in sales", "2025-01-05"),
    "calls on Monday, March 3, 2025 about pricing": ("calls about pricing", "2025-03-03"),
    "on Mon, Jan 6 we met": ("we met", "2025-01-06"),
    "what was said from 3-7 March 2025 about seats": ("what was said about seats", "2025-03-03/2025-03-07"),
    "decisions between March 3 and 7 on auth": ("decisions on auth", "2025-03-03/2025-03-07"),
    "what broke on 31/12/2024?": ("what broke?", "2024-12-31"),
    "what broke since 12.31.2024, and why": ("what broke, and why", "since 2024-12-31"),
    "in summer 2024 what did we plan": ("what did we plan", "summer 2024"),
    "what did we plan last summer": ("what did we plan", "summer 2024"),
    "in winter 2023/24 heating": ("heating", "winter 2023"),
    "what did we decide early 2025 about seats": ("what did we decide about seats", "2025-01/2025-04"),
    "in late March 2024 what happened": ("what happened", "2024-03-21/2024-03-31"),
    "at the end of 2024 we moved": ("we moved", "2024-09/2024-12"),
    "in the first half of 2024 revenue": ("revenue", "h1 2024"),
    "in Q1 '25 what": ("what", "q1 2025"),
    "from January – March 2024 sales": ("sales", "2024-01/2024-03"),
    "In 2024.": ("", "2024"),
}
KEPT = [
    "",
    " ",
    "PostgreSQL",
    "may I ask you something",
    "the second attempt may fail",
    "march on",
    "march on Washington",
    "they march past the palace",
    "fall back to defaults",
    "in fall",
    "in spring",
    "winter is coming",
    "spring boot in spring",
    "early days",
    "the middle of the road",
    "start of something",
    "in the end",
    "call 555-123-4567",
    "from 3-7",
    "summer 2024 sales",
    "Jan. sales",
    "second opinion",
    "the last minute changes",
    "in the last second",
    "Q4",
    "error Q4 in module",
    "read Q4.parquet",
    "in Q4_results",
    "sales-Q4-2024",
    "the March release",
    "the 2023 budget",
    "tell me about March",
    "plans for May",
    "in 2000 lines of code",
    "after 2000 ms",
    "in 1024 bytes",
    "in 2023 and 2024 lines of code",
    "since version 17.2",
    "since 17.2.1",
    "port 2024",
    "logs of 2025-03-05",
    "backup_2025-03-05.sql",
    "yesterday's meeting",
    "today's agenda",
    "the last year of college",
    "last week of school",
    "plans for next week",
    "what is due tomorrow",
    "in 5 days",
    "on October 13, 2025",
    "between May 2024 and March 2023",
    "for 3 days",
    "last",
    "the last 3",
    "in the past",
    "a day in the life",
    "week over week growth",
    "Sun and Mars in Jan",
    "on mar",
    '"last week"',
    "“since Monday” song",
    '"what happened yesterday',
    "`git log --since yesterday`",
    "-yesterday foo",
    "+yesterday foo",
    "yesterday* foo",
    "yesterday OR tomorrow",
    "cats OR yesterday",
    "in may be",
    "this may work",
    "the last may fail",
    "what is in may vary",
    "the last march ended",
    "the weekend plans",
    "before may we",
    "from A to B",
    "between us and them",
    "SELECT now() - interval '3 days'",
    "\x01 \u2028 in",
]


def extract(db: Connection, text: str, now: datetime = NOW) -> tuple[str, str | None, list[str]]:
    ((searched, timeframe, phrases),) = db.execute(
        "select searched_text, timeframe::text, phrases from braid.extract_timeframe(%s, 'UTC', %s)", (text, now)
    ).fetchall()
    return searched, timeframe, phrases


@pytest.fixture
def db(shared_db: Connection) -> Iterator[Connection]:
    """Yield one database for all tests, which write nothing."""
    yield shared_db
    shared_db.execute("reset all")


def test_what_is_a_timeframe_is_taken(db: Connection) -> None:
    for text, (rest, meaning) in TAKEN.items():
        searched, timeframe, _ = extract(db, text)
        assert searched == rest
        assert timeframe is not None, text
        assert parse(db, timeframe) == parse(db, meaning), text


def test_what_may_be_something_else_stays(db: Connection) -> None:
    assert {text: extract(db, text) for text in KEPT} == {text: (text, None, []) for text in KEPT}


def test_phrases_are_those_that_were_taken(db: Connection) -> None:
    assert extract(db, "what happened on March 5th, 2025 and since Monday")[2] == ["on march 5th 2025", "since monday"]


def test_a_weekday_after_a_preposition_is_the_last_one(db: Connection) -> None:
    wednesday = datetime(2025, 3, 12, 8, tzinfo=timezone.utc)
    assert extract(db, "what did Ana say on Friday", wednesday)[1] == (
        '{["2025-03-07 00:00:00+00","2025-03-08 00:00:00+00")}'
    )


UNREAD = {
    "what broke on 03/04/2025?": '"03/04/2025"',
    "logs of 3.4.2025": '"3.4.2025"',
    "deadline 3/4/25": '"3/4/25"',
    "on Feb. 30th, 2025 it broke": '"on feb 30th 2025"',
    "since February 30 it breaks": '"since february 30"',
    "on 31/04/2025 and 2025-02-30": '"2025-02-30", "31/04/2025"',
    "in May, not on 03/04/2025": '"03/04/2025"',
    '"03/04/2025"': None,
    "between 31/12/2024 and 5/1/2025": None,
    "version 17.2.1 of 10.0.0.1 on port 2024": None,
    "1/2/3 and 24/7/365": None,
    "on May 5": None,
}


def test_dates_that_cannot_be_read_are_told(db: Connection) -> None:
    found = {}
    for text in UNREAD:
        ((warnings,),) = db.execute(
            "select warnings from braid.extract_timeframe(%s, 'UTC', %s)", (text, NOW)
        ).fetchall()
        found[text] = warnings[0]["message"].split(" cannot be read")[0] if warnings else None
    assert found == UNREAD


NOT_TAKEN = {
    "prices May 2024": '"may 2024"',
    "prices 12-15 May 2024, and Sept. 2024": '"may 2024", "sept 2024"',
    "prices in May 2024": None,
    "between March and May 2024": None,
    "prices 2 May 2024 and in June 2024": '"may 2024"',
    "plans for May 2099": None,
    '"May 2024"': None,
    "may 2024 be better": '"may 2024"',
    "since the 3rd of May 2024": None,
}


def test_months_without_a_preposition_are_told(db: Connection) -> None:
    found = {}
    for text in NOT_TAKEN:
        ((warnings,),) = db.execute(
            "select warnings from braid.extract_timeframe(%s, 'UTC', %s)", (text, NOW)
        ).fetchall()
        codes = {warning["code"]: warning["message"] for warning in warnings}
        assert set(codes) <= {"timeframe_not_taken"}
        found[text] = codes["timeframe_not_taken"].split(" does not")[0] if codes else None
    assert found == NOT_TAKEN


def test_recall_warns_of_a_date_that_it_cannot_read(db: Connection) -> None:
    def warnings(text: str, timeframe: str | None) -> list[dict[str, str]]:
        ((answer,),) = db.execute("select braid.recall_json(%s, timeframe => %s)", (text, timeframe)).fetchall()
        return [w for w in answer["warnings"] if w["code"] == "timeframe_not_read"]

    (warning,) = warnings("prices on 03/04/2025", "auto")
    assert warning["message"] == (
        '"03/04/2025" cannot be read as a date, so it does not limit the time. Write 2025-03-04, or 4 March 2025.'
    )
    assert warnings("prices on 03/04/2025", None) == warnings("prices on 31/12/2025", "auto") == []


PIECES = st.sampled_from(
    ["last week", "yesterday", "since Monday", "in May", "may", "Q4", "postgres", '"', "OR", "and", "(", ")", ",", "?"]
)


@given(text=st.text(max_size=60) | st.lists(PIECES, max_size=9).map(" ".join))
@SETTINGS
def test_any_text_is_read_and_only_shortened(db: Connection, text: str) -> None:
    if "\x00" in text or any("\ud800" <= c <= "\udfff" for c in text):
        return
    searched, timeframe, phrases = extract(db, text)
    if timeframe is None:
        assert (searched, phrases) == (text, [])
    else:
        assert phrases
        left = iter(text)
        assert all(character == " " or character in left for character in searched)


def test_so_many_phrases_are_tried_at_most(db: Connection) -> None:
    db.execute("set track_functions = 'all'")
    texts = ["2 ", "the last ", "between 3 and 7 ", "on the of march on "]
    with db.transaction():
        for text in texts:
            db.execute("select braid.extract_timeframe(%s)", (text * 8000,))
        ((tries,),) = db.execute(
            "select pg_stat_get_xact_function_calls(p.oid) from pg_proc p where p.proname = 'timeframe_phrase'"
        ).fetchall()
    assert 0 < tries < 2014 * len(texts)


def test_a_book_is_read_in_time(db: Connection) -> None:
    book = "in the last of May we march on and on, the 3 of us, at 2 or 3; " * 15_000
    searched, timeframe, _ = extract(db, book)
    assert (timeframe is None) == (searched == book)


def test_at_most_64_are_taken_out_of_a_query(shared_db: Connection) -> None:
    row = shared_db.execute(
        "select searched_text, cardinality(phrases) from braid.extract_timeframe(%s)", ("last week, " * 64 + "leeds",)
    ).fetchone()
    assert row == ("leeds", 64)
    row = shared_db.execute(
        "select searched_text, cardinality(phrases) from braid.extract_timeframe(%s)", ("last week, " * 65 + "leeds",)
    ).fetchone()
    assert row == ("last week, leeds", 64)
