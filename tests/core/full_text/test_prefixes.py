"""The words of a prefix do not depend on how the index is divided into segments, and a limit on them is reported."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from support.calls import full_text, upsert

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]
LETTERS = "bcdfghjklmnpqrstvwxyz"


def word(number: int) -> str:
    """Return a word of letters only, which begins with c and is at most czzzz."""
    letters = ""
    for _ in range(4):
        number, letter = divmod(number, len(LETTERS))
        letters = LETTERS[letter] + letters
    return "c" + letters


def warnings(db: Connection, query: str) -> list[str]:
    row = db.execute("select braid.search_json(query_text => %s, collection => 'words')", (query,)).fetchone()
    assert row is not None
    return [warning["code"] for warning in row[0]["warnings"]]


def test_the_commonest_of_very_many_words(db: Connection) -> None:
    db.execute("select braid.create_collection('words', text_config => 'simple', chunk_tokens => 8000)")
    # The commonest word is the last, and two segments have twelve thousand words each.
    half: list[dict[str, Any]] = [
        {"external_id": f"d{number}", "chunks": [{"content": " ".join(map(word, range(number, 12_000, 4))) + " czzzz"}]}
        for number in range(4)
    ]
    upsert(db, half, "words")
    upsert(db, [{**document, "external_id": f"{document['external_id']}again"} for document in half], "words")
    rest = [{"external_id": f"z{number}", "content": "czzzz"} for number in range(20)]
    upsert(db, rest, "words")
    before = full_text(db, "c*", collection="words")
    assert {hit[0] for hit in before} >= {document["external_id"] for document in rest}
    assert warnings(db, "c*") == []
    db.execute("select braid.rebuild_index('words')")
    assert full_text(db, "c*", collection="words") == before

    more = " ".join(map(word, range(12_000, 20_100)))
    upsert(db, [{"external_id": "more", "chunks": [{"content": more}]}], "words")
    assert warnings(db, "c*") == ["scoring_cut"]
    assert warnings(db, "cz*") == []
