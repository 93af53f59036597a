"""A search of a collection where the tenant has no documents names its collections with documents, because the
caller may have forgotten `collection`."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

import pgbraid
from support.calls import one, set_tenant, upsert

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
DEFAULT = (
    'The collection "default", which is searched by default, has none of your documents; '
    'these collections have some: "docs", "notes".'
)


@pytest.fixture
def filled(db: Connection) -> Connection:
    for collection in ("notes", "docs", "empty", "theirs"):
        db.execute("select braid.create_collection(%s, dimensions => 2, embedding_model => 'test')", (collection,))
    for collection in ("notes", "docs"):
        upsert(db, [{"external_id": "a", "content": "amber", "embedding": [1, 0]}], collection)
    return db


def warnings(db: Connection, call: str, *arguments: Any) -> list[str]:
    answer = one(db, f"select braid.{call}", *arguments)
    return [w["message"] for w in answer["warnings"] if w["code"] == "empty_collection"]


def test_every_search_that_has_warnings_tells(filled: Connection) -> None:
    for call in (
        "search_json('amber')",
        "logged_search('amber')",
        """multi_search('["amber", "b"]')""",
        "explain_search('amber')",
        "search_json('amber', filters => '{\"speaker\": \"Ana\"}')",
        "search_json(null, array_fill(0.5::real, array[384])::public.vector)",
    ):
        assert warnings(filled, call) == [DEFAULT], call
    (named,) = warnings(filled, "search_json('amber', collection => 'empty')")
    assert named.startswith('The collection "empty", which the search names, has none of your documents')
    for call in ("search_json('none', collection => 'docs')", "search_json('amber', collection => 'docs')"):
        assert warnings(filled, call) == []


def test_only_the_tenants_own_collections_are_named(filled: Connection) -> None:
    filled.execute("select braid.create_tenant('other')")
    set_tenant(filled, "other")
    # The tenant has no documents anywhere.
    assert warnings(filled, "search_json('amber')") == []
    upsert(filled, [{"external_id": "a", "content": "amber"}], "theirs")
    (told,) = warnings(filled, "search_json('amber')")
    assert told.endswith('these collections have some: "theirs".')
    set_tenant(filled, "default")
    assert warnings(filled, "search_json('amber')") == [DEFAULT]


def test_what_is_cleared_or_dropped_is_not_named(filled: Connection) -> None:
    filled.execute("select braid.clear_collection('notes')")
    (told,) = warnings(filled, "search_json('amber')")
    assert told.endswith('these collections have some: "docs".')
    filled.execute("select braid.drop_collection('docs')")
    assert warnings(filled, "search_json('amber')") == []


def test_the_client_has_it(filled: Connection, dsn: str) -> None:
    with pgbraid.connect(dsn) as client:
        for found in (
            client.search("amber", mode="full_text"),
            client.search(["amber", "b"], mode="full_text"),
        ):
            assert [w["code"] for w in found.warnings].count("empty_collection") == 1


def test_a_collection_that_is_not_there_is_created_by_the_hint(filled: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedObject) as error:
        filled.execute("select braid.search_json('a', collection => 'it''s new')")
    hint = str(error.value.diag.message_hint)
    filled.execute(hint[hint.index("select braid.create_collection") :].encode())
    assert warnings(filled, "search_json('a', collection => %s)", "it's new") == [
        DEFAULT.replace('"default", which is searched by default', '"it\'s new", which the search names')
    ]
    filled.execute(hint[hint.index("select name") : hint.index("; or")].encode())
