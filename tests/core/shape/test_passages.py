"""Rows come with the chunks around them, joined."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.arranged import fill, keys, plain_rows, search
from support.arrangement import diversify, group, merge
from support.calls import full_text, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
SPAN = "external_id, chunk_index, passage_start, passage_end"


def test_passages_are_those_of_the_model(db: Connection) -> None:
    chunks = fill(db)
    rows = plain_rows(db, chunks)
    for before, after in [(0, 0), (1, 0), (0, 2), (1, 1), (100, 100)]:
        for count in (1, 5, 12, 1000):
            expected = [
                (row.external_id, row.chunk_index, min(indexes), max(indexes))
                for row, indexes in merge(rows, before, after, count, lambda key: len(chunks[key]))
            ]
            options = {"context": {"before": before, "after": after}}
            assert search(db, SPAN, options, match_count=count) == expected
            if before == 0:
                del options["context"]["before"]
                assert search(db, SPAN, options, match_count=count) == expected


def test_passages_stay_in_their_group(db: Connection) -> None:
    chunks = fill(db)
    groups = group(plain_rows(db, chunks), lambda row: row.attributes["speaker"], 4)[:5]
    expected = [
        (row.external_id, row.chunk_index, min(indexes), max(indexes))
        for found in groups
        for row, indexes in merge(found.rows, 1, 0, 1000, lambda key: len(chunks[key]))
    ]
    options = {"group_by": {"key": "speaker", "size": 4}, "context": {"before": 1}}
    assert search(db, SPAN, options, match_count=5) == expected


def test_what_merging_leaves_room_for_is_as_diverse(db: Connection) -> None:
    chunks = fill(db)
    rows = plain_rows(db, chunks)
    expected = merge(diversify(rows, 0.4, len(rows)), 1, 1, 16, lambda key: len(chunks[key]))
    assert keys([row for row, _ in expected]) != keys(diversify(rows, 0.4, 16))
    options = {"diversify": {"lambda": 0.4}, "context": {"before": 1, "after": 1}}
    found = search(db, "external_id, chunk_index", options, match_count=16)
    assert found == keys([row for row, _ in expected])


def test_the_text_of_a_passage_is_that_of_the_document(db: Connection) -> None:
    """A passage has the document's text: chunks of split_texts repeat the end of the chunk before, but a passage
    does not."""
    rng = random.Random(2)
    documents = {}
    for number in range(8):
        sentences = [
            " ".join(f"w{rng.randrange(500)}" for _ in range(rng.randint(1, 14))) + rng.choice([".", "!", "?"])
            for _ in range(60)
        ]
        documents[f"d{number}"] = "amber. " + " ".join(sentences)
    db.execute("select braid.create_collection('split', chunk_tokens => 80)")
    upsert(db, [{"external_id": key, "content": content} for key, content in documents.items()], "split")
    repeats = db.execute(
        "select count(*) from braid_store.chunks c join braid_store.chunks n on n.document_id = c.document_id "
        "and n.chunk_index = c.chunk_index + 1 where c.content like '%' || split_part(n.content, ' ', 1) || '%'"
    ).fetchone()
    assert repeats is not None and repeats[0] > 10
    found = db.execute(
        "select external_id, passage, passage_start, content from braid.full_text_search('amber', 100, "
        "collection => 'split', options => '{\"context\": {\"after\": 100}}')"
    ).fetchall()
    assert {row[0] for row in found} == documents.keys()
    for external_id, passage, start, content in found:
        assert start == 0 and passage.startswith(content)
        assert passage.split() == documents[external_id].split()


@pytest.mark.parametrize(
    ("chunks", "passage"),
    [
        (["one two", "three"], "one two\nthree"),
        # The repetition is chance, or a turn of its own.
        (["he gave the", "the man"], "he gave the\nthe man"),
        (["5", "5 apples"], "5\n5 apples"),
        (["One two. Yes.", "Yes. Three."], "One two. Yes. Three."),
        (["Oh yes.", "es. Three."], "Oh yes.\nes. Three."),
        (["One. Two three four five.", "Two three four five. Six."], "One. Two three four five. Six."),
        # A chunk repeats a whole chunk, or a text repeats itself.
        (["Again and again. ", "Again and again. Again and again."], "Again and again. Again and again."),
        (["これは長い文章です。そうです。", "そうです。次の文です。"], "これは長い文章です。そうです。次の文です。"),
        (["abcdefghijklmnopqrstuvwxyz", "klmnopqrstuvwxyz0123456789"], "abcdefghijklmnopqrstuvwxyz0123456789"),
    ],
)
def test_joining(db: Connection, chunks: list[str], passage: str) -> None:
    given = [{"content": f"{text}"} for text in chunks]
    upsert(db, [{"external_id": "d", "title": "amber", "chunks": given}])
    found = db.execute(
        "select passage from braid.full_text_search('amber', options => %s)", (Jsonb({"context": {"after": 9}}),)
    ).fetchall()
    assert found == [(passage,)]


def test_another_speaker_repeats_in_full(db: Connection) -> None:
    chunks = [{"content": "Is it so? Yes.", "speaker": "Ana"}, {"content": "Yes.", "speaker": "Ben"}]
    upsert(db, [{"external_id": "d", "title": "amber", "chunks": chunks}])
    found = db.execute(
        "select passage from braid.full_text_search('amber', options => '{\"context\": {\"after\": 1}}')"
    )
    assert found.fetchall() == [("Is it so? Yes.\nYes.",)]


def test_gaps_in_chunk_indexes_and_filters(db: Connection) -> None:
    """Neighbours are shown whatever the filter says: it chooses rows, not their surroundings."""
    chunks = [{"content": f"amber {name}", "speaker": name} for name in ("Ana", "Ben", "Zoe")]
    upsert(db, [{"external_id": "d", "chunks": chunks}])
    found = db.execute(
        "select speaker, passage from braid.full_text_search('amber', filters => '{\"speaker\": \"Ben\"}', "
        'options => \'{"context": {"before": 5, "after": 1}}\')'
    ).fetchall()
    assert found == [("Ben", "amber Ana\namber Ben\namber Zoe")]


def test_what_is_no_count_of_neighbours_is_an_error(db: Connection) -> None:
    wrong: list[object] = [-1, 101, 0.5, "1", True, [1]]
    for key in ("before", "after"):
        for value in wrong:
            with pytest.raises(psycopg.errors.InvalidParameterValue, match=f"option context: {key} is") as error:
                full_text(db, "amber", options={"context": {key: value}})
            assert "0 to 100" in str(error.value.diag.message_hint)
