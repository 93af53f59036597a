"""conversation_timeline returns recall's results in the order of time, among the turns around them."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import named, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
Turn = dict[str, Any]

START = datetime(2025, 3, 3, 9, tzinfo=timezone.utc)
NEVER = datetime.max.replace(tzinfo=timezone.utc)
COLUMNS = "window_number, is_match, conversation, external_id, chunk_index, content, occurred_at, score"


def timeline(db: Connection, **arguments: Any) -> list[Any]:
    return db.execute(
        f"select {COLUMNS} from braid.conversation_timeline({named(arguments)})",
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()},
    ).fetchall()


def conversations(chance: random.Random, dated: float = 1.0) -> list[list[Turn]]:
    """Return some conversations at the same time, in which some turns mention figs."""
    return [
        [
            {
                "content": f"{'fig' if chance.random() < 0.15 else 'pear'} {number} {turn}",
                "occurred_at": (START + timedelta(minutes=7 * number + 10 * turn)) if chance.random() < dated else None,
            }
            for turn in range(chance.randint(1, 25))
        ]
        for number in range(5)
    ]


def expected(talks: list[list[Turn]], before: int, after: int) -> list[tuple[int, bool, str]]:
    """Return (window, is_match, content) of each turn shown."""
    shown = []
    for number, turns in enumerate(talks):
        matches = [place for place, turn in enumerate(turns) if turn["content"].startswith("fig")]
        near = sorted({p for m in matches for p in range(m - before, m + after + 1) if 0 <= p < len(turns)})
        window: list[int] = []
        for place in near:
            if window and window[-1] != place - 1:
                shown.append((number, window, turns))
                window = []
            window.append(place)
        if window:
            shown.append((number, window, turns))

    rows = []
    for key, (number, window, turns) in enumerate(shown):
        times = [turns[place]["occurred_at"] for place in window]
        known = [time for time in times if time]
        for index, place in enumerate(window):
            # A turn without a time comes after the turn before it, or beside the first turn that has a time.
            passed = [time for time in times[: index + 1] if time]
            at = times[index] or (max(passed) if passed else min(known, default=NEVER))
            rows.append(((at, f"talk{number}", place), key, place in matches_of(turns), turns[place]["content"]))
    rows.sort(key=lambda row: row[0])
    numbers: dict[int, int] = {}
    for _, key, _, _ in rows:
        numbers.setdefault(key, len(numbers) + 1)
    return [(numbers[key], is_match, content) for _, key, is_match, content in rows]


def matches_of(turns: list[Turn]) -> set[int]:
    return {place for place, turn in enumerate(turns) if turn["content"].startswith("fig")}


def written(turn: Turn) -> Turn:
    return {**turn, "occurred_at": turn["occurred_at"] and turn["occurred_at"].isoformat()}


@pytest.mark.parametrize("dated", [1.0, 0.6])
def test_chunks_of_a_document_are_a_conversation(db: Connection, dated: float) -> None:
    chance = random.Random(11)
    for _ in range(4):
        talks = conversations(chance, dated)
        db.execute("select braid.clear_collection()")
        upsert(db, [{"external_id": f"talk{n}", "chunks": [*map(written, talk)]} for n, talk in enumerate(talks)])
        for before, after in ((0, 0), (1, 0), (0, 2), (2, 2), (1000, 1000)):
            rows = timeline(db, topic="fig", context_before=before, context_after=after)
            assert [(row[0], row[1], row[5]) for row in rows] == expected(talks, before, after)
            assert all((row[7] is not None) == row[1] for row in rows)
            assert all(row[2] == row[3] for row in rows)


def test_turns_that_are_documents_of_their_own(db: Connection) -> None:
    chance = random.Random(12)
    for indexed in (False, True):
        if indexed:
            db.execute("""select braid.set_indexed_attributes('{"session.id": "number"}')""")
        talks = conversations(chance)
        db.execute("select braid.clear_collection()")
        turns = [
            {"external_id": f"talk{n}", **written(turn), "metadata": {"session": {"id": n}}}
            for n, talk in enumerate(talks)
            for turn in talk
        ]
        for place, turn in enumerate(turns):
            turn["external_id"] += f"-{place:04}"
        chance.shuffle(turns)
        upsert(db, turns)
        for before, after in ((0, 0), (1, 3), (1000, 1000)):
            rows = timeline(db, topic="fig", context_before=before, context_after=after, conversation_key="session.id")
            assert [(row[0], row[1], row[5]) for row in rows] == expected(talks, before, after)
            assert all(row[2] == row[5].split()[1] for row in rows)
        # Without the key, each document is a conversation of one turn.
        alone = timeline(db, topic="fig")
        assert all(row[1] for row in alone)
        assert [row[6] for row in alone] == sorted(row[6] for row in alone)


def test_turns_without_the_key_are_of_their_document(db: Connection) -> None:
    upsert(
        db,
        [
            {"external_id": "a", "chunks": [{"content": "fig"}, {"content": "pear"}]},
            {"external_id": "b", "content": "plum fig", "metadata": {"session": ["x"]}},
            {"external_id": "c", "content": "cherry", "metadata": {"session": ["x"]}},
        ],
    )
    rows = timeline(db, topic="fig", conversation_key="session")
    assert [(row[1], row[2], row[5]) for row in rows] == [
        (True, "a", "fig"),
        (False, "a", "pear"),
        (True, "b", "plum fig"),
    ]
    assert [row[2:4] for row in timeline(db, topic="fig", conversation_key="speaker")] == [row[2:4] for row in rows]


def test_the_timeframe_and_filters_choose_the_matches_only(db: Connection) -> None:
    turns = [
        {"content": f"fig {day}", "occurred_at": f"2025-03-{day:02}T12:00:00Z", "speaker": "Ana" if day % 2 else "Ben"}
        for day in range(1, 20)
    ]
    upsert(db, [{"external_id": "talk", "chunks": turns}])
    found = timeline(
        db,
        topic="what of fig last week",
        timeframe="auto",
        filters={"speaker": "Ana"},
        reference_time="2025-03-12T00:00:00Z",
        time_zone="UTC",
        context_before=0,
        context_after=1,
    )
    assert [(row[1], row[5]) for row in found] == [(day % 2 == 1, f"fig {day}") for day in range(3, 11)]
    assert {row[0] for row in found} == {1}


def test_without_a_topic_it_is_the_last_turns(db: Connection) -> None:
    turns = [{"content": f"fig {day}", "occurred_at": f"2025-03-{day:02}T12:00:00Z"} for day in range(1, 20)]
    upsert(db, [{"external_id": "talk", "chunks": [*turns, {"content": "undated"}]}])
    found = timeline(db, timeframe="2025-03-05/2025-03-12", match_count=3, context_before=1, context_after=0)
    assert [(row[1], row[5]) for row in found] == [(day > 9, f"fig {day}") for day in (9, 10, 11, 12)]
    everything = timeline(db, topic="in March 2025", timeframe="auto", context_before=0, context_after=0)
    assert [row[5] for row in everything] == [f"fig {day}" for day in range(1, 20)]
    assert len(timeline(db, topic="fig")) == 20
    assert timeline(db, topic="quince") == []
    assert timeline(db, timeframe="2024") == []


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"match_count": 0}, "match_count is '0'"),
    ({"match_count": None}, "match_count is null"),
    ({"context_before": -1}, "context_before is '-1'"),
    ({"context_after": 1001}, "context_after is '1001'"),
    ({"context_after": None}, "context_after is null"),
    ({"conversation_key": ""}, "conversation_key is ''"),
    ({"conversation_key": "occurred_at"}, "conversation_key is 'occurred_at'"),
    ({"strategy": "slow"}, "strategy is 'slow'"),
    ({"timeframe": "soon"}, "timeframe 'soon' is not understood"),
    ({"time_zone": "Mars/Phobos"}, "time_zone is 'Mars/Phobos'"),
    ({"reference_time": "-infinity"}, "reference_time is -infinity"),
    ({"topic": None, "filters": {"$x": 1}}, "filters: unknown operator"),
    ({"topic": None, "options": {"colour": 1}}, "options has an unknown key"),
]


def test_bad_input_is_refused(db: Connection) -> None:
    for arguments, message in REFUSED:
        with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
            timeline(db, **{"topic": "fig", **arguments})
        assert (caught.value.diag.message_primary or "").startswith(message)
        assert caught.value.diag.message_hint


def test_a_collection_that_does_not_exist(db: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedObject):
        timeline(db, topic="fig", collection="nowhere")


def test_without_a_topic_chunks_are_read_in_the_order_of_time(db: Connection) -> None:
    """Without a topic, chunks are read in the order of time. The filter's conditions are not looked up first, which
    would count the chunks of each."""
    turn = {"content": "fig", "speaker": "Ana", "category": "x"}
    upsert(db, [{"external_id": str(n), "occurred_at": f"2025-03-03T09:00:{n:02}Z", **turn} for n in range(20)])
    with db.transaction():
        db.execute("set local track_functions = 'all'")
        filters = {"speaker": "Ana", "category": "x"}
        found = timeline(db, match_count=3, context_before=0, context_after=0, filters=filters)
        calls = dict(
            db.execute(
                "select p.proname, pg_stat_get_xact_function_calls(p.oid) from pg_proc p"
                " where p.pronamespace::regnamespace::text in ('braid_calls', 'braid_store')"
                " and pg_stat_get_xact_function_calls(p.oid) > 0"
            ).fetchall()
        )
    assert [row[3] for row in found] == ["17", "18", "19"]
    assert calls["filter_predicate"] == 1
    assert "condition_source" not in calls
