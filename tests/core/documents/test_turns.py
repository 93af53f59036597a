"""Documents given as turns are split into whole turns or sentences, and each chunk keeps its speakers and times."""

from __future__ import annotations

import re
import uuid
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from typing import Any, NamedTuple

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support.calls import full_text, one, upsert
from support.waiting import processor_limit

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
OCCURRED_AT = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)
in_one_database = settings(
    derandomize=True,
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


class Chunk(NamedTuple):
    content: str
    token_count: int
    speaker: str | None
    occurred_at: datetime | None
    metadata: dict[str, Any]


def write(db: Connection, turns: list[dict[str, Any]], **fields: Any) -> list[Chunk]:
    upsert(db, [{"external_id": "d", "turns": turns, **fields}])
    return chunks_of(db, "d")


def chunks_of(db: Connection, external_id: str) -> list[Chunk]:
    rows = db.execute(
        "select c.chunk_index, c.content, c.token_count, c.speaker, c.occurred_at, c.metadata"
        " from braid_store.chunks c join braid_store.documents d on d.id = c.document_id"
        " where d.external_id = %s order by c.chunk_index",
        (external_id,),
    ).fetchall()
    assert [row[0] for row in rows] == list(range(len(rows)))
    return [Chunk(*row[1:]) for row in rows]


def said(*turns: tuple[str | None, str], seconds: int = 10) -> list[dict[str, Any]]:
    """Return consecutive turns of some seconds each."""
    return [
        {
            "speaker": speaker,
            "start": n * seconds,
            "end": (n + 1) * seconds,
            "text": text,
        }
        for n, (speaker, text) in enumerate(turns)
    ]


def sentences(first: int, count: int) -> str:
    return " ".join(f"Sentence number {n} says something about {n * 7}." for n in range(first, first + count))


def test_a_chunk_of_one_speaker(db: Connection) -> None:
    turns = [
        {"speaker": "Ana", "start": 1.5, "end": 3, "text": " We accept "},
        {"speaker": "Ana", "start": 3, "end": 4.25, "text": "the new price."},
    ]
    (chunk,) = write(db, turns, occurred_at=OCCURRED_AT.isoformat(), metadata={"call": 7})
    assert (chunk.content, chunk.speaker) == ("We accept the new price.", "Ana")
    assert chunk.metadata == {"call": 7, "start": 1.5, "end": 4.25, "speakers": ["Ana"]}
    assert chunk.occurred_at == OCCURRED_AT + timedelta(seconds=1.5)
    row = db.execute("select speaker, metadata, occurred_at from braid.full_text_search('price')").fetchone()
    assert row == (chunk.speaker, chunk.metadata, chunk.occurred_at)


def test_a_chunk_of_several_speakers_tells_who_says_what(db: Connection) -> None:
    turns = [
        ("Ana", "Is it ready?"),
        ("Ben", "Nearly.\nOn Monday."),
        (None, "Good."),
        ("Ana", "Fine."),
    ]
    (chunk,) = write(db, said(*turns))
    assert chunk.content == "Ana: Is it ready?\nBen: Nearly.\nOn Monday.\n?: Good.\nAna: Fine."
    assert chunk.speaker == "Ana, Ben"
    assert chunk.metadata == {"start": 0, "end": 40, "speakers": ["Ana", "Ben"]}
    assert chunk.occurred_at is None
    assert full_text(db, "monday", filters={"speakers": "Ben"})
    assert not full_text(db, "monday", filters={"speakers": "Cid"})


def test_the_speaker_of_the_document_says_what_no_one_else_says(db: Connection) -> None:
    (chunk,) = write(db, [{"text": "One."}, {"text": "Two.", "speaker": " "}], speaker="Ana")
    assert (chunk.content, chunk.speaker, chunk.metadata) == (
        "One. Two.",
        "Ana",
        {"speakers": ["Ana"]},
    )


def test_a_number_is_a_speaker(db: Connection) -> None:
    assert write(db, [{"text": "One.", "speaker": 1}, {"text": "Two.", "speaker": 2}])[0].content == "1: One.\n2: Two."


def test_turns_that_fit_stay_whole(db: Connection) -> None:
    turns = [("Ana" if n % 2 else "Ben", sentences(n * 10, 5)) for n in range(12)]
    chunks = write(db, said(*turns), chunk_tokens=200)
    assert len(chunks) > 3
    for _, text in turns:
        assert any(text in chunk.content for chunk in chunks)
    assert all(chunk.token_count <= 200 for chunk in chunks)


def test_long_speeches_are_cut_between_sentences_that_go_over_turns(
    db: Connection,
) -> None:
    words = sentences(0, 120).split()
    # Speech recognition ends a turn anywhere, even within a sentence.
    parts = [" ".join(words[n : n + 9]) for n in range(0, len(words), 9)]
    chunks = write(db, said(*(("Ana", part) for part in parts)), overlap_tokens=0)
    assert len(chunks) > 4
    assert all(chunk.content.endswith(".") and chunk.content.startswith("Sentence") for chunk in chunks)
    assert " ".join(chunk.content for chunk in chunks) == " ".join(words)
    # A turn in which one chunk ends and the next begins counts for both.
    for before, after in pairwise(chunks):
        assert after.metadata["start"] in (
            before.metadata["end"],
            before.metadata["end"] - 10,
        )
        assert after.metadata["start"] < after.metadata["end"]


def test_a_short_question_stays_with_the_beginning_of_a_long_answer(
    db: Connection,
) -> None:
    chunks = write(db, said(("Ana", "What happened?"), ("Ben", sentences(0, 60))))
    assert chunks[0].content.startswith("Ana: What happened?\nBen: Sentence number 0 ")
    assert chunks[1].speaker == "Ben"


@pytest.mark.parametrize(("overlap_tokens", "most"), [(0, 0), (None, 1), (60, 4)])
def test_overlap(db: Connection, overlap_tokens: int | None, most: int) -> None:
    for chunks in (
        write(
            db,
            said(("Ana", sentences(0, 60))),
            chunk_tokens=200,
            overlap_tokens=overlap_tokens,
        ),
        write_text(db, sentences(0, 60), chunk_tokens=200, overlap_tokens=overlap_tokens),
    ):
        told = [re.findall(r"Sentence number (\d+) ", chunk.content) for chunk in chunks]
        assert len(told) > 3
        for before, after in pairwise(told):
            shared = [number for number in after if number in before]
            assert shared == (before[-len(shared) :] if shared else [])
            assert min(most, 1) <= len(shared) <= most


LONG_TITLE = "a title of many words " * 40


@pytest.mark.parametrize("kind", ["text", "one speaker", "long names"])
def test_at_most_half_of_a_chunk_is_repeated(db: Connection, kind: str) -> None:
    """At most half of a chunk repeats the chunk before, even where the title or speakers' names use up chunk_tokens."""
    numbers = range(1_000, 1_120)
    if kind == "text":
        content = " ".join(f"Word{n} here." for n in numbers)
        chunks = write_text(db, content, title=LONG_TITLE, chunk_tokens=100, overlap_tokens=50)
    elif kind == "one speaker":
        content = " ".join(f"Word{n} here." for n in numbers)
        chunks = write(db, said(("Ana", content)), title=LONG_TITLE, chunk_tokens=100, overlap_tokens=50)
    else:
        turns = [(("Ana Maria of the north" if n % 2 else "Ben Jon of the south"), f"Word{n}.") for n in numbers]
        chunks = write(db, said(*turns), chunk_tokens=100, overlap_tokens=50)
    told = [re.findall(r"Word(\d+)", chunk.content) for chunk in chunks]
    assert len(told) > 8
    for before, after in pairwise(told[:-1]):
        repeated = [number for number in after if number in before]
        assert 0 < len(repeated) <= len(after) / 2, (kind, before, after)


def write_text(db: Connection, content: str, **fields: Any) -> list[Chunk]:
    upsert(db, [{"external_id": "d", "content": content, **fields}])
    rows = db.execute("select content, token_count, speaker, occurred_at, metadata from braid_store.chunks order by id")
    return [Chunk(*row) for row in rows.fetchall()]


def test_a_collection_has_an_overlap_of_its_own(db: Connection) -> None:
    db.execute("select braid.set_collection('default', '{\"overlap_tokens\": 0}')")
    for chunks in (
        write(db, said(("Ana", sentences(0, 60)))),
        write_text(db, sentences(0, 60)),
    ):
        assert " ".join(chunk.content for chunk in chunks) == sentences(0, 60)


NAMES = st.sampled_from(
    [
        None,
        "Ana",
        "Ben",
        "Cid",
        "A name of many words that takes half of a small chunk",
        "說話者",
    ]
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60),
    st.text("ab. \n", max_size=120),
    st.text("語、。！ที่한국 \n", max_size=80),
    st.integers(0, 30).flatmap(lambda count: st.integers(0, 50).map(lambda first: sentences(first, count))),
    st.just("word " * 200),
)
TURNS = st.lists(
    st.tuples(
        NAMES,
        TEXTS,
        st.one_of(st.none(), st.integers(0, 20)),
        st.one_of(st.none(), st.integers(0, 20)),
    ),
    max_size=12,
)


@in_one_database
@given(
    drawn=TURNS,
    chunk_tokens=st.sampled_from([16, 60, 240]),
    overlap=st.sampled_from([None, 0, 0.25, 0.5]),
    title=st.sampled_from([None, "A title", "a title of many words " * 20]),
)
def test_every_character_is_in_a_chunk_in_order(
    db: Connection,
    drawn: list[Any],
    chunk_tokens: int,
    overlap: float | None,
    title: str | None,
) -> None:
    turns: list[dict[str, Any]] = []
    reached = 0
    for speaker, text, pause, length in drawn:
        reached += pause or 0
        start = reached if pause is not None else None
        end = None if length is None else reached + length
        turns.append({"speaker": speaker, "start": start, "end": end, "text": text})
    fields = {
        "title": title,
        "chunk_tokens": chunk_tokens,
        "overlap_tokens": None if overlap is None else int(overlap * chunk_tokens),
    }
    names = [str(uuid.uuid4()) for _ in range(2)]
    upsert(db, [{"external_id": name, "turns": turns, **fields} for name in names])
    chunks, again = (chunks_of(db, name) for name in names)
    assert chunks == again
    if not any(without_space(db, [turn["text"] for turn in turns])):
        # Without any text, the title makes the only chunk.
        assert [chunk.content for chunk in chunks] == ([""] if title else [])
        return
    assert all(0 < chunk.token_count <= chunk_tokens for chunk in chunks)

    # Each character, except white space, stands with its speaker and the number of its turn.
    texts = without_space(db, [turn["text"] for turn in turns])
    source = [(c, turns[n]["speaker"], n) for n, text in enumerate(texts) for c in text]
    labels = {turn["speaker"] or "?" for turn in turns}
    place = 0
    for chunk in chunks:
        text = [(c, speaker) for speaker, line in lines(db, chunk, labels) for c in line]
        begins = [
            start
            for start in range(place, -1, -1)
            if [(c, speaker) for c, speaker, _ in source[start : start + len(text)]] == text
        ]
        assert begins, (chunk.content, source[place : place + 20])
        assert (chunk.metadata.get("start"), chunk.metadata.get("end")) in [
            times([turns[n] for n in {n for *_, n in source[start : start + len(text)]}]) for start in begins
        ]
        place = max(place, begins[0] + len(text))
    assert place == len(source)


def times(turns: list[dict[str, Any]]) -> tuple[int | None, int | None]:
    starts = [turn["start"] for turn in turns if turn["start"] is not None]
    ends = [turn["end"] for turn in turns if turn["end"] is not None]
    return min(starts, default=None), max(ends, default=None)


def without_space(db: Connection, texts: list[str]) -> list[str]:
    r"""Remove what PostgreSQL's \s matches from each text."""
    query = r"""
        select array_agg(regexp_replace(t, '\s+', '', 'g') order by n) from unnest(%s::text[]) with ordinality u (t, n)
    """
    return list(one(db, query, texts) or [])


def lines(db: Connection, chunk: Chunk, names: set[str]) -> list[tuple[str | None, str]]:
    """Return (speaker, text without white space) of each line that begins with a name, or of the whole chunk if no
    line does."""
    speakers = chunk.metadata.get("speakers", [])
    assert chunk.speaker == (", ".join(speakers) or None)
    parts = re.split(rf"(?:^|\n)({'|'.join(map(re.escape, names))}): ", chunk.content)
    if len(parts) == 1:
        assert len(speakers) <= 1
        return [(speakers[0] if speakers else None, without_space(db, parts)[0])]
    assert parts[0] == ""
    told = [None if name == "?" else name for name in parts[1::2]]
    assert list(dict.fromkeys(name for name in told if name)) == speakers
    return list(zip(told, without_space(db, parts[2::2]), strict=True))


def test_times_of_fractions_are_kept(db: Connection) -> None:
    upsert(
        db,
        [
            {
                "external_id": "d",
                "turns": [{"text": "a", "start": 0.1, "end": 1e3}],
                "occurred_at": "infinity",
            }
        ],
    )
    row = db.execute(
        "select metadata ->> 'start', metadata ->> 'end', occurred_at = 'infinity' from braid_store.chunks"
    )
    assert row.fetchone() == ("0.1", "1000.0", True)


@pytest.mark.parametrize("turns", [[], [{"speaker": "Ana", "start": 1, "text": " \n"}, {"text": ""}]])
def test_a_title_alone_is_a_chunk_also_if_nothing_is_said(db: Connection, turns: list[dict[str, Any]]) -> None:
    assert write(db, turns) == []
    ((content, _, speaker, *_),) = write(db, turns, title="The quarterly meeting", speaker="Ben")
    assert (content, speaker) == ("", "Ben")
    assert full_text(db, "quarterly")


def test_times_are_kept_to_microseconds(db: Connection) -> None:
    """Times are rounded to microseconds: JSON allows any number of decimals, but timestamptz and readers of metadata
    do not."""
    turns = f'[{{"text": "a", "start": {"0." + "0" * 399 + "1"}, "end": 4.1200004768371582}}]'
    documents = f'[{{"external_id": "d", "turns": {turns}, "occurred_at": "{OCCURRED_AT.isoformat()}"}}]'
    for status in ("inserted", "unchanged"):
        row = db.execute("select status from braid.upsert_documents(%s::jsonb)", (documents,)).fetchone()
        assert row == (status,)
    (chunk,) = chunks_of(db, "d")
    assert (chunk.metadata, chunk.occurred_at) == ({"start": 0, "end": 4.12}, OCCURRED_AT)
    assert one(db, "select metadata::text from braid_store.chunks") == '{"end": 4.12, "start": 0}'


@pytest.mark.parametrize(
    ("key", "number", "message"),
    [
        ("start", "1e-401", "start .* turn 1 has 401 decimals, more than 400"),
        ("end", "1e-16000", "end .* turn 1 has 16000 decimals, more than 400"),
        ("start", "-1e-16000", "start .* turn 1 is -0.000"),
        ("start", "1e300", "start .* turn 1 is 1000"),
        ("end", "1e131000", "end .* turn 1 is 1000"),
    ],
)
def test_numbers_that_are_no_times(db: Connection, key: str, number: str, message: str) -> None:
    turns = f'[{{"text": "a", "{key}": {number}}}]'
    documents = f'[{{"external_id": "d", "occurred_at": "2026-03-01T09:00Z", "turns": {turns}}}]'
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        db.execute("select braid.upsert_documents(%s::jsonb)", (documents,))
    assert "seconds" in (caught.value.diag.message_hint or "")
    assert len(caught.value.diag.message_primary or "") < 300


@pytest.mark.parametrize(
    ("occurred_at", "is_later"),
    [("infinity", False), ("-infinity", False), ("294276-12-31 23:59:59+00", False), ("4713-01-01 BC", True)],
)
def test_dates_at_the_ends_of_the_calendar(db: Connection, occurred_at: str, is_later: bool) -> None:
    upsert(db, [{"external_id": "d", "occurred_at": occurred_at, "turns": [{"text": "a", "start": 1e9, "end": 1e9}]}])
    query = """
        select c.occurred_at = d.occurred_at + make_interval(secs => case when %s then 1e9 else 0 end)
        from braid_store.chunks c join braid_store.documents d on d.id = c.document_id
    """
    assert one(db, query, is_later) is True


def test_a_document_that_goes_on_keeps_its_vectors(db: Connection) -> None:
    turns = [("Ana" if n % 2 else "Ben", sentences(n * 10, 5)) for n in range(20)]
    write(db, said(*turns))
    jobs = db.execute("select chunk_id from braid.claim_embedding_jobs(1000)").fetchall()
    vector = "[" + ",".join(["1"] * 384) + "]"
    db.execute(
        "select braid.store_embeddings(%s, %s::text[]::vector[])",
        ([j[0] for j in jobs], [vector] * len(jobs)),
    )
    assert upsert(db, [{"external_id": "d", "turns": said(*turns)}]) == {"d": "unchanged"}
    write(db, said(*turns, ("Ana", "And that is all.")))
    waiting = db.execute("select input from braid.claim_embedding_jobs(1000)").fetchall()
    assert len(jobs) > 8
    assert len(waiting) == 1
    assert waiting[0][0].endswith("And that is all.")
    # New times do not change a text, so its vector stays.
    assert upsert(
        db,
        [
            {
                "external_id": "d",
                "turns": said(*turns, ("Ana", "And that is all."), seconds=11),
            }
        ],
    ) == {"d": "replaced"}
    assert db.execute("select input from braid.claim_embedding_jobs(1000)").fetchall() == waiting


def test_a_new_date_moves_each_chunk(db: Connection) -> None:
    turns = [("Ana", sentences(0, 40))]
    write(db, said(*turns), occurred_at=OCCURRED_AT.isoformat())
    later = write(db, said(*turns), occurred_at=(OCCURRED_AT + timedelta(days=1)).isoformat())
    assert [chunk.occurred_at for chunk in later] == [
        OCCURRED_AT + timedelta(days=1, seconds=int(chunk.metadata["start"])) for chunk in later
    ]


def test_upsert_document_takes_turns(db: Connection) -> None:
    row = db.execute(
        "select status, chunk_count"
        " from braid.upsert_document('d', turns => %s, chunk_tokens => 40, overlap_tokens => 0)",
        (Jsonb(said(("Ana", sentences(0, 10)))),),
    ).fetchone()
    assert row is not None
    assert row[0] == "inserted"
    assert row[1] >= 4


@pytest.mark.parametrize(
    ("fields", "state", "message", "hint"),
    [
        (
            {"turns": "Ana: Hello."},
            "22023",
            'turns of document "bad" is a JSON string',
            "Give an array",
        ),
        (
            {"turns": {"text": "a"}},
            "22023",
            'turns of document "bad" is a JSON object',
            "Give an array",
        ),
        (
            {"turns": ["a"]},
            "22023",
            'document "bad" turn 1 is a JSON string',
            "array of objects",
        ),
        ({"turns": [{}]}, "22023", 'document "bad" turn 1 has no text', "text"),
        (
            {"turns": [{"text": None}]},
            "22023",
            'text of document "bad" turn 1 is a JSON null',
            "Give a string",
        ),
        (
            {"turns": [{"text": "a", "words": []}]},
            "22023",
            'turn 1 has an unknown key "words"',
            "speaker, start",
        ),
        (
            {"turns": [{"text": "a", "start": "NaN"}]},
            "22023",
            "start of document .* is a JSON string",
            "number",
        ),
        (
            {"turns": [{"text": "a", "start": -1}]},
            "22023",
            'start of document "bad" turn 1 is -1',
            "seconds",
        ),
        (
            {"turns": [{"text": "a", "end": -1}]},
            "22023",
            'end of document "bad" turn 1 is -1',
            "seconds",
        ),
        (
            {"turns": [{"text": "a", "start": 1_767_225_600}]},
            "22023",
            "is 1767225600",
            "seconds from the beginning",
        ),
        (
            {"turns": [{"text": "a", "start": 2, "end": 1}]},
            "22023",
            'end of document "bad" turn 1 is 1, before its start, 2',
            "leave out end",
        ),
        (
            {
                "turns": [
                    {"text": "a", "start": 5},
                    {"text": "b"},
                    {"text": "c", "start": 4},
                ]
            },
            "22023",
            'start of document "bad" turn 3 is 4, before the start of an earlier turn, 5',
            "in the order",
        ),
        (
            {"turns": [{"text": "a", "speaker": "s" * 1025}]},
            "54000",
            "has 1025 bytes, more than 1024",
            "Shorten",
        ),
        (
            {"turns": [], "content": "a"},
            "22023",
            'document "bad" has turns and also content',
            "only in turns",
        ),
        (
            {"turns": [], "chunks": []},
            "22023",
            'document "bad" has turns and also chunks',
            "only in turns",
        ),
        (
            {"turns": [], "embedding": [1]},
            "22023",
            "turns and also embedding",
            "only in turns",
        ),
        (
            {"turns": [{"text": "a"}] * 100_001},
            "54000",
            "turns .* has 100001 elements, more than 100000",
            "Divide",
        ),
        (
            {"turns": [{"text": "a" * 5_000_001}] * 2},
            "54000",
            'text of the turns of document "bad" has 10000002 bytes, more than 10000000',
            "Divide",
        ),
        (
            {"content": "a", "chunk_tokens": 241},
            "22023",
            'chunk_tokens of document "bad" is 241',
            "16 to 240",
        ),
        (
            {"content": "a", "chunk_tokens": 15.5},
            "22023",
            "chunk_tokens of document .* is 15.5",
            "16 to 240",
        ),
        (
            {"content": "a", "chunk_tokens": "40"},
            "22023",
            "chunk_tokens of document .* is a JSON string",
            "number",
        ),
        (
            {"content": "a", "overlap_tokens": 121},
            "22023",
            "overlap_tokens of document .* is 121",
            "0 to 120",
        ),
        (
            {"content": "a", "chunk_tokens": 40, "overlap_tokens": 21},
            "22023",
            "overlap_tokens of document .* is 21",
            "0 to 20",
        ),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_written(
    db: Connection, fields: dict[str, Any], state: str, message: str, hint: str
) -> None:
    with pytest.raises(psycopg.Error, match=message) as caught:
        upsert(
            db,
            [{"external_id": "good", "content": "a"}, {"external_id": "bad", **fields}],
        )
    assert caught.value.sqlstate == state
    assert hint in (caught.value.diag.message_hint or "")
    assert one(db, "select count(*) from braid_store.documents") == 0


def test_100_000_turns_take_time_in_proportion(db: Connection) -> None:
    turns = [("Ana" if n % 3 else "Ben", "a.") for n in range(100_000)]
    with processor_limit(db, 60):
        chunks = write(db, said(*turns, seconds=1))
    assert chunks[-1].metadata["end"] == 100_000


@pytest.mark.parametrize(
    ("settings", "message", "hint"),
    [
        ({"overlap_tokens": 121}, "overlap_tokens is '121'", "0 to 120"),
        ({"overlap_tokens": -1}, "settings: overlap_tokens is -1", "0 to half"),
        ({"default_occurred_at": "tomorrow"}, 'default_occurred_at is "tomorrow"', "Use now"),
    ],
)
def test_defaults_that_cannot_be(db: Connection, settings: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        db.execute("select braid.set_collection('default', %s)", (Jsonb(settings),))
    assert hint in (caught.value.diag.message_hint or "")


def dates(db: Connection) -> dict[str, datetime | None]:
    rows = db.execute(
        "select d.external_id, d.occurred_at, c.occurred_at from braid_store.documents d"
        " join braid_store.chunks c on c.document_id = d.id"
    ).fetchall()
    assert all(row[1] == row[2] for row in rows)
    return {row[0]: row[1] for row in rows}


def test_documents_without_a_date_get_the_time_of_their_first_writing(
    db: Connection,
) -> None:
    upsert(db, [{"external_id": "before", "content": "a"}])
    db.execute("select braid.set_collection('default', '{\"default_occurred_at\": \"now\"}')")
    assert (
        one(
            db,
            "select default_occurred_at from braid.collections where name = 'default'",
        )
        == "now"
    )
    upsert(db, [{"external_id": "before", "content": "a"}])
    upsert(
        db,
        [{"external_id": name, "content": "a"} for name in ("kept", "changed", "retold")],
    )
    upsert(
        db,
        [
            {
                "external_id": "given",
                "content": "a",
                "occurred_at": OCCURRED_AT.isoformat(),
            }
        ],
    )
    upsert(db, [{"external_id": "parts", "chunks": [{"content": "a"}]}])
    first = dates(db)
    assert first["before"] is None
    assert first["given"] == OCCURRED_AT
    written = first["kept"]
    assert written is not None
    assert abs((datetime.now(timezone.utc) - written).total_seconds()) < 600
    assert upsert(db, [{"external_id": "kept", "content": "a"}]) == {"kept": "unchanged"}
    assert upsert(db, [{"external_id": "changed", "content": "b"}]) == {"changed": "replaced"}
    assert upsert(db, [{"external_id": "retold", "content": "a", "importance": 2}]) == {"retold": "updated"}
    assert dates(db) == first
    db.execute("select braid.set_collection('default', '{\"overlap_tokens\": 4}')")
    upsert(db, [{"external_id": "later", "content": "a"}])
    assert dates(db)["later"] is not None
    db.execute("select braid.set_collection('default', '{\"default_occurred_at\": null}')")
    upsert(db, [{"external_id": "last", "content": "a"}])
    assert dates(db)["last"] is None


def test_turns_begin_at_the_time_of_writing(db: Connection) -> None:
    db.execute("select braid.set_collection('default', '{\"default_occurred_at\": \"now\"}')")
    (chunk,) = write(db, [{"text": "a", "start": 30}])
    assert chunk.occurred_at is not None
    assert one(db, "select occurred_at from braid_store.documents") == chunk.occurred_at - timedelta(seconds=30)
