"""Markdown blocks that fit into a chunk stay whole and in order, and nothing is lost."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from core.documents.test_chunking import TEXTS, assert_covers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.calls import upsert
from support.waiting import processor_limit

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
in_one_database = settings(
    derandomize=True,
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def split(db: Connection, text: str, chunk_tokens: int = 240) -> list[str]:
    rows = db.execute(
        "select chunk_index, content, token_count"
        " from braid_store.split_texts(array[%s], array[%s::int], null, '{markdown}')",
        (text, chunk_tokens),
    ).fetchall()
    assert [row[0] for row in rows] == list(range(len(rows)))
    assert all(0 < row[2] <= chunk_tokens for row in rows)
    return [row[1] for row in rows]


MARKS = st.sampled_from(
    ["# A\n", "## B ##\n", "```\n", "~~~~\n", "| a | b |\n|---|---|\n", "- one\n", "  1. two\n", "Title\n===\n", "\n"]
)


@in_one_database
@given(
    text=st.lists(st.one_of(MARKS, TEXTS), max_size=12).map("".join),
    chunk_tokens=st.sampled_from([16, 60, 240]),
)
def test_every_character_is_in_a_chunk_in_order(db: Connection, text: str, chunk_tokens: int) -> None:
    chunks = split(db, text, chunk_tokens)
    assert_covers(text, chunks)
    assert split(db, text, chunk_tokens) == chunks


def test_blocks_put_together_are_the_text(db: Connection) -> None:
    text = "# A\n\n\nb\n- c\n\n  d\n\n```\n# e\n\n```\r\nf\n---\ng"
    rows = db.execute("select is_heading, block from braid_store.markdown_blocks(%s)", (text,)).fetchall()
    assert "".join(block for _, block in rows) == text
    assert [block for is_heading, block in rows if is_heading] == ["# A\n\n\n", "f\n---\n"]
    assert "```\n# e\n\n```\r\n" in [block for _, block in rows]


@pytest.mark.parametrize("seed", range(6))
def test_blocks_that_fit_are_whole_in_a_chunk(db: Connection, seed: int) -> None:
    rng = random.Random(seed)

    def words(most: int) -> str:
        return " ".join(rng.choices(["zebra", "lion", "an ox.", "a b", "x = 1", "e.g."], k=rng.randint(1, most)))

    def lines(form: str, most: int) -> str:
        return "\n".join(form.format(words(5)) for _ in range(rng.randint(1, most)))

    made = {
        "heading": lambda: "#" * rng.randint(1, 4) + " " + words(4),
        "underlined": lambda: f"{words(4)}\n====",
        "fence": lambda: f"```py\n# {words(3)}\n\n{lines('    {}', 8)}\n```",
        "tildes": lambda: f"~~~~\n{lines('# {}', 4)}\n~~~\n\n~~~~",
        "table": lambda: f"| a | b |\n|---|---|\n{lines('| {} | c |', 6)}",
        "list": lambda: f"- {words(5)}\n\n  {words(9)}\n{lines('  1. {}', 3)}\n* {words(5)}",
        "paragraph": lambda: lines("{}", 6),
        "long": lambda: lines("{}. ", 150),
    }
    kinds = rng.choices(list(made), k=60)
    blocks = [made[kind]() for kind in kinds]
    text = "\n\n".join(blocks)
    upsert(db, [{"external_id": "d", "content": text, "format": "markdown"}])
    chunks = [row[0] for row in db.execute("select content from braid_store.chunks order by chunk_index").fetchall()]
    assert len(chunks) > 10
    assert_covers(text, chunks)
    for kind, block in zip(kinds, blocks, strict=True):
        if kind != "long":
            assert any(block.strip() in chunk for chunk in chunks), block
    # A heading stays in one chunk with the block below it, unless that block is too long.
    for heading, (kind, below) in zip(blocks, zip(kinds[1:], blocks[1:], strict=True), strict=False):
        if heading.startswith("#") and "\n" not in heading and kind not in ("long", "heading", "underlined"):
            assert any(f"{heading}\n\n{below}".strip() in chunk for chunk in chunks), heading


def test_the_format_is_a_part_of_what_is_written(db: Connection) -> None:
    document = {"external_id": "d", "content": "| a |\n|---|\n" * 60}
    assert upsert(db, [document]) == {"d": "inserted"}
    assert upsert(db, [{**document, "format": "markdown"}]) == {"d": "replaced"}
    assert upsert(db, [{**document, "format": "markdown"}]) == {"d": "unchanged"}
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="format of document \"d\" is 'html'") as caught:
        upsert(db, [{**document, "format": "html"}])
    assert "markdown" in (caught.value.diag.message_hint or "")


def test_time_is_linear(db: Connection) -> None:
    with processor_limit(db, 30):
        for text in ("# a\n" * 20_000, "```\n" + "x = 1\n" * 40_000, "- a\n\n" * 20_000, "a\n\n" * 20_000):
            assert split(db, text)
