"""The option snippet gives the result of braid.highlight for each row, in the same call."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

import pgbraid
from support import HashEmbedder
from support.calls import named, set_tenant, upsert, vector

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
DOCUMENTS = [
    {
        "external_id": "a",
        "content": "The quick <brown> fox & the lazy dog. " + "filler words " * 40 + "A fox again.",
    },
    {"external_id": "b", "content": "Foxes live in the forest. 東京都に住んでいる狐。"},
    {"external_id": "c", "content": "An automobile is parked in the forest."},
    {"external_id": "d", "title": "fox", "content": "Nothing of the kind here."},
]


def snippets(db: Connection, options: dict[str, Any], **arguments: Any) -> dict[str, str | None]:
    arguments = {
        "query_text": "fox",
        "match_count": 10,
        "options": psycopg.types.json.Jsonb(options),
        **arguments,
    }
    rows = db.execute(
        f"select external_id, snippet from braid.hybrid_search({named(arguments)})",
        arguments,
    )
    return dict(rows.fetchall())


@pytest.fixture
def chunks(db: Connection) -> dict[str, int]:
    upsert(db, DOCUMENTS)
    rows = db.execute(
        "select d.external_id, c.id from braid_store.chunks c join braid_store.documents d on d.id = c.document_id"
    )
    return dict(rows.fetchall())


def test_no_snippet_unless_asked(db: Connection, chunks: dict[str, int]) -> None:
    for options in ({}, {"snippet": False}, {"snippet": None}):
        assert set(snippets(db, options).values()) == {None}


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"fragment_count": 1, "fragment_words": 5},
        {"fragment_count": None},
        {
            "start_tag": "<b>",
            "stop_tag": "</b>",
            "fragment_separator": " | ",
            "fragment_words": 3,
        },
    ],
)
@pytest.mark.parametrize("query", ["fox", "fox* -dog", '"lazy dog" forest', "東京 fox", "the"])
def test_a_snippet_is_what_highlight_gives(
    db: Connection, chunks: dict[str, int], query: str, arguments: dict[str, Any]
) -> None:
    found = snippets(db, {"snippet": arguments or True}, query_text=query)
    assert found
    for external_id, snippet in found.items():
        values = {"chunk_id": chunks[external_id], "query_text": query, **arguments}
        assert db.execute(f"select braid.highlight({named(values)})", values).fetchone() == (snippet,)


def test_only_rows_returned_have_one_and_order_stays(db: Connection, chunks: dict[str, int]) -> None:
    plain = list(snippets(db, {}))
    assert list(snippets(db, {"snippet": True})) == plain
    assert list(snippets(db, {"snippet": True}, match_count=1)) == plain[:1]
    # Two searches in one statement each mark their own words.
    rows = db.execute(
        "select q, external_id, snippet from (values ('dog'), ('forest')) v (q),"
        """ braid.full_text_search(q, options => '{"snippet": {"fragment_words": 1}}')"""
    ).fetchall()
    assert {(q, snippet) for q, _, snippet in rows} == {
        ("dog", "<mark>dog</mark>."),
        ("forest", "<mark>forest</mark>."),
    }


def test_without_a_match_it_is_the_beginning(db: Connection, chunks: dict[str, int]) -> None:
    assert snippets(db, {"snippet": {"fragment_words": 3}})["d"] == "Nothing of the"
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    upsert(
        db,
        [{"external_id": "e", "content": "one two three four", "embedding": [1, 0, 0]}],
        "small",
    )
    arguments = {
        "query_text": None,
        "query_embedding": vector([1, 0, 0]),
        "collection": "small",
    }
    assert snippets(db, {"snippet": {"fragment_words": 2}}, **arguments) == {"e": "one two"}


def test_synonyms_and_corrections_are_marked(db: Connection, chunks: dict[str, int]) -> None:
    db.execute("select braid.set_synonyms('car', '{automobile}')")
    short = {"fragment_words": 1}
    assert snippets(db, {"snippet": short}, query_text="car") == {"c": "<mark>automobile</mark>"}
    assert snippets(db, {"snippet": short, "typos": "auto"}, query_text="automobille") == {
        "c": "<mark>automobile</mark>"
    }


@pytest.mark.parametrize(
    "option",
    [
        1,
        "yes",
        [],
        {"unknown": 1},
        {"start_tag": None},
        {"start_tag": 1},
        {"stop_tag": "x" * 256},
        {"fragment_count": 0},
        {"fragment_count": 21},
        {"fragment_count": 1.5},
        {"fragment_count": "2"},
        {"fragment_count": 1e300},
        {"fragment_words": None},
        {"fragment_words": 1001},
        {"fragment_separator": None},
    ],
)
def test_what_is_refused(shared_db: Connection, option: Any) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        snippets(shared_db, {"snippet": option})
    assert raised.value.diag.message_hint
    named_in_message = next(iter(option)) if isinstance(option, dict) else "snippet"
    assert named_in_message in (raised.value.diag.message_primary or "")


def test_in_python(dsn: str) -> None:
    with pgbraid.connect(dsn, embedder=HashEmbedder()) as client:
        client.add_documents([{"external_id": "a", "content": "A quick fox."}])
        assert [row.snippet for row in client.search("fox", mode="full_text")] == [None]
        found = client.search("fox", mode="full_text", options={"snippet": True})
        assert [row.snippet for row in found] == ["A quick <mark>fox</mark>."]


def test_of_own_chunks_only(db: Connection, chunks: dict[str, int]) -> None:
    db.execute("select braid.create_tenant('acme')")
    set_tenant(db, "acme")
    assert snippets(db, {"snippet": True}) == {}
