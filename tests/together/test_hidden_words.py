"""A word that only hidden documents have is told by no answer that depends on which words there are."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from parts.permissions.test_access import principals

from support.calls import one, upsert

Connection = psycopg.Connection[Any]
SHOWN = ["the lighthouse of discount zebra", "a discount at the lighthouse 港口", "a lighthouse keeper in 港口"]
MANY = " ".join(f"zeb{n}" for n in range(200))
# Each pair has a word that only hidden documents have, and a word that no document has and that is like it.
PAIRS = [
    ("lighthouze", "lighthouxe"),
    # A hidden word is one edit from the first, and the readable word is two edits from both.
    ("lighthoxze", "lighthoxae"),
    ("superdiscountkxv", "superdizzountkxv"),  # Only the beginning is a hidden word.
    ("AB-1234", "AB-1235"),
    ("zebralighthouze", "zebralighthouxe"),  # With decompounding, only readable parts count.
    ("AB-1234 discount", "AB-1235 discount"),
]
CALLS = {
    "suggestions": "search_json(%s, collection => 'docs')",
    "typos": """search_json(%s, collection => 'docs', options => '{"typos": "auto"}')""",
    "compounds": """search_json(%s, collection => 'docs', options => '{"decompounding": "auto"}')""",
    "facets": """facets('{kind}', %s, collection => 'docs', options => '{"typos": "auto"}')""",
    "strategy": """search_json(%s, collection => 'docs', options => '{"strategy": "auto"}')""",
    "many": """search_json(%s, '[1,0]', collection => 'docs', candidate_count => 3, match_count => 3,
                           options => '{"strategy": "auto"}')""",
}


@pytest.fixture
def docs(db: Connection) -> Connection:
    db.execute("select braid.create_collection('docs', text_config => 'simple', dimensions => 2)")
    db.execute("select braid.set_permissions('docs', true)")
    shown: list[dict[str, Any]] = [
        {"external_id": f"s{n}", "content": content, "embedding": [n, 1], "metadata": {"kind": f"k{n}"}}
        for n, content in enumerate(SHOWN)
    ]
    hidden: list[dict[str, Any]] = [
        {
            "external_id": f"h{n}",
            "content": f"lighthouze AB-1234 价港 superdiscount {MANY}",
            "embedding": [1, n],
            "access": ["group:board"],
        }
        for n in range(5)
    ]
    upsert(db, shown + hidden, "docs")
    return db


@pytest.mark.parametrize("call", CALLS)
def test_a_hidden_word_looks_like_a_word_that_nobody_has(docs: Connection, call: str) -> None:
    def told(query: str) -> str:
        with principals(docs, "group:sales"):
            rows = docs.execute(f"select to_jsonb(c) from braid.{CALLS[call]} c".encode(), (query,)).fetchall()
        for row in rows:
            for of_the_clock in ("timings", "query_time_ms", "undeclared_filter"):
                row[0].get("stats", {}).pop(of_the_clock, None)
        return json.dumps(rows)

    for hidden, absent in PAIRS:
        answer = told(hidden)
        assert answer.replace("1234", "1235").replace(hidden, absent) == told(absent), (hidden, answer)
    assert call not in ("suggestions", "typos") or "lighthouse" in told("lighthoxze").replace(SHOWN[0], "")


def test_explained_scores_do_not_tell_of_hidden_words(docs: Connection) -> None:
    docs.execute("select braid.set_ranking('docs', '{\"typos\": \"auto\"}')")
    chunk = one(docs, "select chunk_id from braid.full_text_search('keeper', collection => 'docs')")
    with principals(docs, "group:sales"):
        told = [
            docs.execute(
                "select lexeme, document_frequency from braid.explain_score(%s, %s, collection => 'docs')",
                (query, [chunk]),
            ).fetchall()
            for query in PAIRS[0]
        ]
    assert told[0] == told[1] == [("lighthouse", 3)]


def test_hidden_compounds_are_not_found_by_their_parts(docs: Connection) -> None:
    call = "select braid.search_json('discount', collection => 'docs', options => '{\"decompounding\": \"auto\"}')"
    assert [c["lexeme"] for c in one(docs, call)["stats"]["corrections"]] == ["superdiscount"]
    with principals(docs, "group:sales"):
        assert one(docs, call)["stats"]["corrections"] == []


def test_completions_of_unspaced_scripts_do_not_tell_of_hidden_texts(docs: Connection) -> None:
    with principals(docs, "group:sales"):
        found = [
            one(docs, "select completion from braid.complete(%s, collection => 'docs')", typed)
            for typed in ("价港", "票港")
        ]
    assert found == ["价港口", "票港口"]


def test_hidden_words_take_no_place_among_the_words_of_a_prefix(docs: Connection) -> None:
    for query in ("zeb*", "zeb* qu* qv*"):
        with principals(docs, "group:sales"):
            found = one(docs, "select external_id from braid.full_text_search(%s, collection => 'docs')", query)
        assert found == "s0"


def test_a_session_that_reads_all_is_told_all(docs: Connection) -> None:
    answer = docs.execute("select braid.search_json('lighthouze', collection => 'docs')").fetchall()
    assert "did_you_mean" not in json.dumps(answer)
