"""A search accepts a query at each limit, refuses or cuts it one past the limit with the limit's name, and bounds
its work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import full_text, named, upsert
from support.waiting import processor_seconds

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]

MOST_QUERY_BYTES = 1_000_000
MOST_SEARCHED_CHARACTERS = 16_384


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    upsert(
        shared_db,
        [
            {"external_id": "a", "content": "The committee met in Leeds last week", "occurred_at": "2026-01-01"},
            {"external_id": "b", "content": "seats and prices 東京都"},
        ],
    )
    return shared_db


def refused(db: Connection, function: str, message: str, **arguments: Any) -> None:
    values = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()}
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match=message) as caught:
        db.execute(f"select braid.{function}({named(arguments)})", values)
    assert caught.value.diag.message_hint
    assert len(caught.value.diag.message_primary or "") < 300


@pytest.mark.parametrize(
    ("function", "more"),
    [
        ("full_text_search", {}),
        ("search_json", {}),
        ("explain_search", {}),
        ("assemble_context", {}),
        ("facets", {"keys": ["speaker"]}),
        ("highlight", {"chunk_id": 1}),
        ("explain_score", {"chunk_ids": [1]}),
    ],
)
def test_a_query_text_has_at_most_a_megabyte(filled: Connection, function: str, more: dict[str, Any]) -> None:
    assert_a_megabyte_at_most(filled, function, more)


def assert_a_megabyte_at_most(filled: Connection, function: str, more: dict[str, Any]) -> None:
    if "chunk_id" in more or "chunk_ids" in more:
        row = filled.execute("select min(id) from braid_store.chunks").fetchone()
        assert row
        more = {"chunk_id": row[0]} if "chunk_id" in more else {"chunk_ids": [row[0]]}
    text = "é" * (MOST_QUERY_BYTES // 2 - 5) + " leeds "
    assert len(text.encode()) == MOST_QUERY_BYTES - 3
    arguments = {**more, "query_text": text + "xyz"}
    filled.execute(f"select braid.{function}({named(arguments)})", arguments)
    refused(filled, function, "query_text has 1000001 bytes, more than 1000000", **more, query_text=text + "wxyz")


def warnings_of(db: Connection, text: str) -> tuple[list[str], set[str]]:
    row = db.execute("select braid.search_json(query_text => %s)", (text,)).fetchone()
    assert row
    return [w["external_id"] for w in row[0]["results"]], {w["code"] for w in row[0]["warnings"]}


def test_full_text_reads_so_many_characters_to_the_end_of_a_word(filled: Connection) -> None:
    filler = ("xyzzy " * MOST_SEARCHED_CHARACTERS)[: MOST_SEARCHED_CHARACTERS - 6] + " "
    found, codes = warnings_of(filled, filler + "leeds")
    assert (found, "query_cut" in codes) == (["a"], False)
    # All but the last letter of "seats" is within the limit: a word is read whole or not at all.
    found, codes = warnings_of(filled, filler + "seats prices")
    assert (found, "query_cut" in codes) == (["b"], True)
    found, codes = warnings_of(filled, filler + " seats")
    assert (found, "query_cut" in codes) == ([], True)
    # A text without spaces is cut at the character.
    found, codes = warnings_of(filled, "国" * (MOST_SEARCHED_CHARACTERS - 2) + "東京都")
    assert (found, "query_cut" in codes) == (["b"], True)
    found, codes = warnings_of(filled, "国" * (MOST_SEARCHED_CHARACTERS - 1) + "東京都")
    assert "query_cut" in codes


def test_excluded_words_are_read_once(filled: Connection) -> None:
    """Excluded words are parsed in one pass; 20000 of them once took 3 s, however little they did."""
    text = "leeds " + " ".join(f"-w{number}" for number in range(100_000))
    assert least_seconds(filled, "full_text_search", query_text=text) < 1
    assert [hit[0] for hit in full_text(filled, "-w1 " * 100 + "leeds")] == ["a"]


QUERIES: dict[str, Callable[[int], str]] = {
    "words": lambda n: " ".join(f"w{i}" for i in range(n // 6)),
    "excluded": lambda n: " ".join(f"-w{i}" for i in range(n // 7)),
    "demanded": lambda n: " ".join(f"+w{i}" for i in range(n // 7)),
    "prefixes": lambda n: " ".join(f"w{i}*" for i in range(n // 7)),
    "alternatives": lambda n: " OR ".join(f"w{i}" for i in range(n // 9)),
    "phrase": lambda n: '"' + " ".join(f"w{i}" for i in range(n // 6)) + '"',
    "phrases": lambda n: '"a b" ' * (n // 6),
    "compound": lambda n: "a/b1C" * (n // 5),
    "one word": lambda n: "x" * n,
    "chinese": lambda n: "".join(chr(0x4E00 + i * 7919 % 3000) for i in range(n)),
    "korean": lambda n: " ".join(chr(0xAC00 + i * 7919 % 11000) * 3 for i in range(n // 4)),
    "signs": lambda n: '+-*" ' * (n // 5),
}


def least_seconds(db: Connection, function: str, **arguments: Any) -> float:
    """Return the processor time of the quicker of two calls, which other processes do not affect."""
    pid = db.info.backend_pid
    taken = []
    for _ in range(2):
        before = processor_seconds(pid)
        db.execute(f"select braid.{function}({named(arguments)})", arguments)
        taken.append(processor_seconds(pid) - before)
    return min(taken)


@pytest.mark.parametrize("kind", QUERIES)
def test_no_query_takes_long(filled: Connection, kind: str) -> None:
    assert least_seconds(filled, "search_json", query_text=QUERIES[kind](300_000)) < 1.5


def test_corrections_of_many_words_are_looked_for_in_one_pass(filled: Connection) -> None:
    text = " ".join(
        "comm" + "".join(chr(97 + number // 26**place % 26) for place in range(4)) for number in range(1_800)
    )
    assert least_seconds(filled, "search_json", query_text=text) < 1.5


def test_a_filter_is_sampled_quickly_where_other_tenants_chunks_lie_between(db: psycopg.Connection[Any]) -> None:
    db.execute("select braid.create_collection('few', dimensions => 2)")
    # The ids look as if other tenants had stored 999 chunks after each of these.
    db.execute("alter table braid_store.chunks alter column id set increment by 1000")
    upsert(db, [{"external_id": f"d{n}", "content": "x", "embedding": [1, n]} for n in range(450)], "few")
    arguments = {"query_embedding": "[1,2]", "collection": "few", "filters": Jsonb({"absent": 1})}
    assert least_seconds(db, "search_json", **arguments) < 0.4


def test_a_metadata_key_has_at_most_1024_bytes(filled: Connection) -> None:
    key = "é" * 512
    assert full_text(filled, "leeds", filters={key: {"$exists": False}}) != []
    filled.execute("select * from braid.facets(%s)", ([key],))
    refused(filled, "full_text_search", "has 1025 bytes, more than 1024", query_text="leeds", filters={key + "x": 1})
    refused(filled, "facets", "has 1025 bytes, more than 1024", keys=[key + "x"])


def test_options_have_at_most_a_megabyte(filled: Connection) -> None:
    def options(size: int) -> dict[str, Any]:
        return {"boosts": [{"filter": {"category": {"$in": ["x" * size]}}, "factor": 2}], "language": "y" * 500_000}

    assert full_text(filled, "leeds", options=options(400_000)) != []
    refused(
        filled,
        "full_text_search",
        "options has .* bytes, more than 1000000",
        query_text="leeds",
        options=options(600_000),
    )
