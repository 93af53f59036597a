"""Columns that hold transcripts are split like turns that are written directly or read from files."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from parts.sync.test_synced_tables import apply, in_step, sync

from support.calls import one, upsert
from support.waiting import processor_limit

Connection = psycopg.Connection[Any]
TURNS = [
    {"speaker": "Ana", "start": 0, "end": 4.5, "text": "Shall we talk about the budget?"},
    {"speaker": "Ben", "start": 4.5, "end": 9, "text": "Yes, it is too small."},
    {"speaker": "Ana", "start": 9, "text": "Then we ask for more."},
]
TEXT = """Weekly meeting

Ana: Shall we talk about the budget?
It is due on Friday: all of it.
[00:01:02] Ben Müller: Yes.
Ana (1:30): Then we ask for more, see https://example.org/a: it is there.
Dr. O'Neil 2:05
I agree.
"""


def chunks(db: Connection, external_id: str) -> list[Any]:
    return [
        (c["content"], c["speaker"], c["metadata"].get("speakers"), c["metadata"].get("start"))
        for c in one(db, "select braid.get_document(%s)", external_id)["chunks"]
    ]


@pytest.mark.parametrize("mode", ["deferred", "immediate"])
@pytest.mark.parametrize(("kind", "key"), [("jsonb", "turns"), ("json", "segments")])
def test_a_column_of_turns(db: Connection, mode: str, kind: str, key: str) -> None:
    db.execute(f"create table calls (id text primary key, head text, said {kind})".encode())
    sync(db, "public.calls", content=None, title="head", turns="said", mode=mode)
    in_step(db, "public.calls")
    # Speech recognition writes turns like this: in an object, with more keys.
    more = {"text": "all of it", key: [{**s, "tokens": [1, 2], "avg_logprob": -0.2} for s in TURNS]}
    db.execute("insert into calls values ('a', 'Call', %s), ('b', 'Call', %s)", (json.dumps(TURNS), json.dumps(more)))
    db.execute("insert into calls values ('none', 'Only a title', null)")
    in_step(db, "public.calls")
    upsert(db, [{"external_id": "written", "title": "Call", "turns": TURNS}])
    assert chunks(db, "a") == chunks(db, "b") == chunks(db, "written")
    assert "Ben: Yes" in chunks(db, "a")[0][0]
    assert one(db, "select braid.get_document('none')")["title"] == "Only a title"
    for wrong in ('"text"', "[1]", '[{"speaker": "Ana"}]', '[{"text": "b", "start": 2}, {"text": "a", "start": 1}]'):
        db.execute("insert into calls values ('wrong', null, %s)", (wrong,))
        done = apply(db)
        assert done["failed"] == 1 and "turn" in done["warnings"][0], wrong
        db.execute("delete from calls where id = 'wrong'")
        in_step(db, "public.calls")


def test_a_column_of_text_with_speakers(db: Connection) -> None:
    db.execute("create table calls (id int primary key, said text)")
    db.execute(
        "insert into calls values (1, %s), (2, 'No speaker here, at 10:30: nobody.'), (3, %s)",
        (TEXT, TEXT.replace("\n", "\r\n")),
    )
    sync(db, "public.calls", content=None, turns="said")
    in_step(db, "public.calls")
    ((content, _, speakers, _),) = chunks(db, "1")
    assert speakers == ["Ana", "Ben Müller", "Dr. O'Neil"]
    assert (
        "Weekly meeting" in content
        and "Ana: Shall we talk about the budget? It is due on Friday: all of it." in " ".join(content.split())
    )
    assert "Dr. O'Neil: I agree." in content
    assert chunks(db, "3") == chunks(db, "1")
    assert chunks(db, "2")[0][:3] == ("No speaker here, at 10:30: nobody.", None, None)


@pytest.mark.any_version
def test_what_is_refused(db: Connection) -> None:
    db.execute("create table calls (id int primary key, said jsonb, body text, n int)")
    for arguments, words in (
        ({"turns": "said"}, "content and turns are both given"),
        ({"turns": "n", "content": None}, 'turns names the column "n", which is of type integer'),
    ):
        with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
            sync(db, "public.calls", **arguments)
        assert words in str(raised.value) and raised.value.diag.message_hint


def test_a_turn_of_many_lines_takes_linear_time(db: Connection) -> None:
    call = r"select braid_store.transcript_fields('Ana: x' || repeat(E'\nfoo bar', 200000), false)"
    with processor_limit(db, 20):  # it takes a second; copying the text for each line would take minutes
        (turn,) = one(db, call)["turns"]
    assert turn == {"speaker": "Ana", "text": "x" + "\nfoo bar" * 200000}
