"""`braid.grep` finds texts and regular expressions exactly, within bounds, page by page."""

from __future__ import annotations

import random
import re
import threading
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

import pgbraid
from support.calls import upsert

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
COLORS = ("red", "green", "blue")


def grep(db: Connection, pattern: str | None = None, **arguments: Any) -> dict[str, Any]:
    names = ", ".join(["pattern => %(pattern)s", *(f"{name} => %({name})s" for name in arguments)])
    values = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()}
    row = db.execute(f"select braid.grep({names})", {"pattern": pattern, **values}).fetchone()
    assert row is not None
    found: dict[str, Any] = row[0]
    return found


def places(db: Connection, pattern: str | None = None, **arguments: Any) -> list[tuple[str, int]]:
    """Return all matches, page by page."""
    found: list[tuple[str, int]] = []
    after: int | None = None
    while True:
        answer = grep(db, pattern, after=after, **arguments)
        found += [(match["external_id"], match["chunk_index"]) for match in answer["matches"]]
        after = answer["next_after"]
        assert (after is None) == (answer["stopped_by"] is None)
        if after is None:
            return found


@pytest.fixture
def texts(db: Connection) -> dict[tuple[str, int], tuple[str, str]]:
    """Store 240 chunks of few letters, and return the text and color of each."""
    chance = random.Random(5)
    stored: dict[tuple[str, int], tuple[str, str]] = {}
    documents: list[dict[str, Any]] = []
    for number in range(80):
        color = chance.choice(COLORS)
        chunks = ["".join(chance.choices("abAB .\n%", k=chance.randrange(1, 40))) + "!" for _ in range(3)]
        documents.append(
            {"external_id": f"d{number}", "metadata": {"color": color}, "chunks": [{"content": c} for c in chunks]}
        )
        stored |= {(f"d{number}", index): (content, color) for index, content in enumerate(chunks)}
    upsert(db, documents)
    return stored


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_same_as_reading_every_text(
    db: Connection, texts: dict[tuple[str, int], tuple[str, str]], data: st.DataObject
) -> None:
    pattern = data.draw(st.text("abAB .\n%", min_size=1, max_size=4))
    ignore_case, color = data.draw(st.booleans()), data.draw(st.sampled_from([None, *COLORS]))
    count = data.draw(st.sampled_from([1, 7, 1000]))

    def folded(text: str) -> str:
        return text.lower() if ignore_case else text

    expected = [
        place for place, (content, its) in texts.items() if folded(pattern) in folded(content) and color in (None, its)
    ]
    filters = None if color is None else {"color": color}
    assert places(db, pattern, ignore_case=ignore_case, filters=filters, match_count=count) == expected


@pytest.mark.parametrize(
    "pattern", ["a.b", "^a", "[ab]+ [AB]", r"\bab\b", r"a\.", "(a|b){3,5}!", r"\s\S\s", "!$", r"(?i)AA|bb", r"\\"]
)
def test_regular_expressions(db: Connection, texts: dict[tuple[str, int], tuple[str, str]], pattern: str) -> None:
    expected = [place for place, (content, _) in texts.items() if re.search(pattern, content, re.MULTILINE)]
    assert places(db, pattern, regex=True) == expected


def test_excerpts_are_lines(db: Connection) -> None:
    line = "x" * 300 + "needle" + "y" * 300
    upsert(db, [{"external_id": "a", "chunks": [{"content": f"one\ntwo needle, needle\nthree\n{line}\nneedle"}]}])
    (match,) = grep(db, "needle")["matches"]
    first, second, third = match["excerpts"]
    assert first == "two needle, needle" and third == "needle"
    assert second.startswith("…x") and second.endswith("y…") and "needle" in second and len(second) == 202
    (match,) = grep(db, "one$", regex=True)["matches"]
    assert match["excerpts"] == ["one"]
    (match,) = grep(db, "TWO", ignore_case=True)["matches"]
    assert match["excerpts"] == ["two needle, needle"]
    (match,) = grep(db, excerpt_length=20)["matches"]
    assert match["excerpts"] == ["one\ntwo needle, need…"]
    (match,) = grep(db, "two needle, needle\nth")["matches"]
    assert match["excerpts"] == ["two needle, needle\nthree"]


def test_filters_without_a_pattern(db: Connection, texts: dict[tuple[str, int], tuple[str, str]]) -> None:
    expected = [place for place, (_, color) in texts.items() if color == "red"]
    assert places(db, filters={"color": "red"}) == expected == places(db, "", filters={"color": "red"})
    assert places(db, "a", filters={"external_id": "d7"}, regex=True, ignore_case=True) == [
        place for place, (content, _) in texts.items() if place[0] == "d7" and "a" in content.lower()
    ]


def test_an_answer_has_at_most_a_megabyte(db: Connection) -> None:
    chunks = [{"content": "needle " + "é" * 9000} for _ in range(120)]
    upsert(db, [{"external_id": "a", "chunks": chunks}])
    answer = grep(db, "needle", match_count=1000, excerpt_length=10000)
    assert answer["stopped_by"] == "bytes" and 0 < len(answer["matches"]) < 60
    assert places(db, "needle", match_count=1000, excerpt_length=10000) == [("a", index) for index in range(120)]


def test_another_collection_and_a_standby(db: Connection) -> None:
    db.execute("select braid.create_collection('other')")
    upsert(db, [{"external_id": "a", "content": "needle"}])
    upsert(db, [{"external_id": "b", "content": "needle"}], "other")
    with db.transaction():
        db.execute("set transaction read only")
        assert places(db, "needle") == [("a", 0)]
        assert places(db, "needle", collection="other") == [("b", 0)]


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"pattern": "x" * 501}, "54000", "501 characters"),
    ({"pattern": "(a", "regex": True}, "2201B", "parentheses"),
    ({"pattern": "a{1,50000}", "regex": True}, "2201B", "repetition"),
    ({"pattern": "((a{1,255}){1,255}){1,255}", "regex": True}, "2201B", "too complex"),
    ({"pattern": "(a{1,200}){1,200}", "regex": True}, "2201B", "memory"),
    ({"pattern": "(a{1,200}){1,200}", "regex": True, "ignore_case": True}, "2201B", "memory"),
    ({"pattern": r"(a+)\1", "regex": True}, "22023", "backreference"),
    ({"pattern": "(?=a)b", "regex": True}, "22023", "lookaround"),
    ({"pattern": "(?<!a)b", "regex": True}, "22023", "lookaround"),
    ({"pattern": "***=a", "regex": True}, "22023", r"\*\*\*"),
    ({"pattern": "a", "match_count": 0}, "22023", "match_count is 0"),
    ({"pattern": "a", "match_count": 1001}, "22023", "match_count is 1001"),
    ({"pattern": "a", "match_count": None}, "22023", "match_count is null"),
    ({"pattern": "a", "regex": None}, "22023", "regex is null"),
    ({"pattern": "a", "ignore_case": None}, "22023", "ignore_case is null"),
    ({"pattern": "a", "excerpt_length": 10001}, "22023", "excerpt_length is 10001"),
    ({"pattern": "a", "filters": {"speaker": {"$near": 1}}}, "22023", "near"),
    ({"pattern": "a", "collection": "none"}, "42704", "none"),
]


@pytest.mark.parametrize(("arguments", "sqlstate", "message"), BAD)
def test_bad_arguments(db: Connection, arguments: dict[str, Any], sqlstate: str, message: str) -> None:
    with pytest.raises(psycopg.Error, match=message) as caught:
        grep(db, **arguments)
    assert (caught.value.sqlstate, bool(caught.value.diag.message_hint)) == (sqlstate, True)


def test_hostile_texts_are_only_texts(db: Connection) -> None:
    upsert(db, [{"external_id": "a", "content": r"(a)\1 *** ((("}])
    assert places(db, r"(a)\1 *** (((") == [("a", 0)]
    assert places(db, r"(A)\1 *** (((", ignore_case=True) == [("a", 0)]
    assert places(db, r"\*{3} \({3}", regex=True) == [("a", 0)]
    assert places(db, r"\(a\)\\1 [*]\B", regex=True) == [("a", 0)]
    upsert(db, [{"external_id": "b", "content": "x\x01y (?=z)"}, {"external_id": "c", "content": r"b\b"}])
    assert places(db, "(b)\\\x011", regex=True) == []  # An escaped character is no backslash.
    assert places(db, "x\x01y", regex=True) == places(db, r"\by \(?.=z\)", regex=True) == [("b", 0)]


def test_the_statements_time_holds(db: Connection) -> None:
    """A pattern with many states takes seconds over this text, and ends with the statement's time."""
    db.execute(
        "select from braid.upsert_documents((select jsonb_agg(jsonb_build_object('external_id', 'd' || n, 'chunks', "
        "jsonb_build_array(jsonb_build_object('content', (select string_agg(md5(i || ' ' || n), ' ') "
        "from generate_series(1, 700) i))))) from generate_series(1, 4) n))"
    )
    db.execute("set statement_timeout = '100 ms'")
    with pytest.raises(psycopg.errors.QueryCanceled):
        grep(db, f"([0-7]{'.{255}' * 4}|[8-f]{'.{254}' * 5})x", regex=True)
    db.execute("reset statement_timeout")


def test_slow_excerpts_end_a_call(db: Connection) -> None:
    """The excerpts of a chunk take some 100 ms: the call returns what it has after five seconds."""
    text = "".join(random.Random(1).choices("ab", k=7000))
    upsert(db, [{"external_id": "a", "chunks": [{"content": text}] * 500}])
    found = grep(db, "a.{120}a.*?b.{120}b", regex=True, match_count=1000)
    assert found["stopped_by"] == "time" and 0 < len(found["matches"]) < 500
    assert found["next_after"] == found["matches"][-1]["chunk_id"]


def test_a_call_ends_after_five_seconds(db: Connection, client: pgbraid.Client, dsn: str) -> None:
    """A lock makes the first batch last longer than that: the call says where to go on."""
    upsert(db, [{"external_id": "a", "chunks": [{"content": f"needle {number}"} for number in range(300)]}])
    with psycopg.connect(dsn) as locking:
        locking.execute("lock table braid_store.chunks in access exclusive mode")
        ending = threading.Timer(5.5, locking.commit)
        ending.start()
        found = client.grep("needle", match_count=1000)
        ending.join()
    assert found.stopped_by == "time" and 0 < found.scanned_count < 300 and len(found.matches) == found.scanned_count
    rest = client.grep("needle", match_count=1000, after=found.next_after)
    indexes = [match.chunk_index for match in [*found.matches, *rest.matches]]
    assert (indexes, rest.stopped_by, rest.next_after) == (list(range(300)), None, None)
