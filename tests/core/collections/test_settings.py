"""create_collection and set_collection accept valid settings of collections, and refuse others with a hint."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
SETTINGS: dict[str, Any] = {
    "fold_diacritics": False,
    "index_fields": ["content"],
    "embed_fields": ["title", "content"],
    "vector_storage": "halfvec",
    "hnsw_m": 8,
    "hnsw_ef_construction": 40,
    "overlap_tokens": 3,
    "default_occurred_at": "now",
}
DEFAULTS: dict[str, Any] = {
    "fold_diacritics": True,
    "index_fields": ["title", "speaker", "content"],
    "embed_fields": ["title", "speaker", "content"],
    "vector_storage": "vector",
    "hnsw_m": 16,
    "hnsw_ef_construction": 100,
    "overlap_tokens": None,
    "default_occurred_at": None,
}


def create(db: Connection, name: str, settings: Any = None, ranking: Any = None, **arguments: Any) -> int:
    given = "".join(f", {key} => %({key})s" for key in arguments)
    values = {
        "name": name,
        "ranking": ranking and Jsonb(ranking),
        "settings": settings and Jsonb(settings),
        **arguments,
    }
    row = db.execute(
        f"select braid.create_collection(%(name)s, ranking => %(ranking)s, settings => %(settings)s{given})", values
    ).fetchone()
    assert row is not None
    return int(row[0])


def stored(db: Connection, name: str) -> dict[str, Any]:
    row: dict[str, Any] = one(db, "select to_jsonb(c) from braid.collections c where name = %s", name)
    return {key: row[key] for key in SETTINGS}


def refused(db: Connection, statement: str, *parameters: Any) -> tuple[str, str]:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        db.execute(statement.encode(), parameters)
    return caught.value.diag.message_primary or "", caught.value.diag.message_hint or ""


def test_a_collection_has_the_settings_that_it_is_given(db: Connection) -> None:
    create(db, "plain")
    assert stored(db, "plain") == DEFAULTS
    given = create(db, "given", SETTINGS)
    assert stored(db, "given") == SETTINGS
    assert create(db, "given", SETTINGS) == given
    # Settings without a default for all collections keep their values.
    fewer = {
        key: value for key, value in SETTINGS.items() if DEFAULTS[key] is not None and key != "hnsw_ef_construction"
    }
    assert create(db, "given", fewer) == given


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_is_compared_with_a_collection_that_exists(db: Connection, name: str) -> None:
    create(db, "given", SETTINGS)
    other = {**SETTINGS, name: DEFAULTS[name]}
    message, hint = refused(db, "select braid.create_collection('given', settings => %s)", Jsonb(other))
    assert message == 'collection "given" exists with other settings'
    assert "drop the collection" in hint


def test_settings_that_are_not_given_stay(db: Connection) -> None:
    create(db, "c")
    expected = dict(DEFAULTS)
    for name, value in SETTINGS.items():
        if name not in ("fold_diacritics", "index_fields", "embed_fields"):
            change = {name: value} if name != "hnsw_m" else {"hnsw_m": value, "hnsw_ef_construction": 40}
            db.execute("select braid.set_collection('c', %s)", (Jsonb(change),))
            expected |= change
            assert stored(db, "c") == expected
    db.execute("select braid.set_collection('c', '{\"overlap_tokens\": null, \"default_occurred_at\": null}')")
    assert stored(db, "c") == {**expected, "overlap_tokens": None, "default_occurred_at": None}


@pytest.mark.parametrize(
    ("setting", "value", "hint"),
    [
        ("fold_diacritics", 1, "Use true"),
        ("fold_diacritics", None, "Use true"),
        ("index_fields", ["title"], "content must be among them"),
        ("index_fields", ["content", "body"], "content must be among them"),
        ("index_fields", "content", "content must be among them"),
        ("index_fields", [["content"]], "content must be among them"),
        ("embed_fields", [], "content must be among them"),
        ("vector_storage", "bit", "Use vector up to"),
        ("vector_storage", None, "Use vector up to"),
        ("hnsw_m", 1, "Use 2 to 100"),
        ("hnsw_m", 8.5, "Use 2 to 100"),
        ("hnsw_m", "8", "Use 2 to 100"),
        ("hnsw_ef_construction", 2000, "at most 1000"),
        ("hnsw_ef_construction", 30, "at least twice hnsw_m"),
        ("overlap_tokens", -1, "Use 0 to half"),
        ("overlap_tokens", 200, "Use 0 to 120"),
        ("default_occurred_at", "", "Use now, or null"),
    ],
)
def test_values_that_cannot_be(db: Connection, setting: str, value: Any, hint: str) -> None:
    message, said = refused(db, "select braid.create_collection('c', settings => %s)", Jsonb({setting: value}))
    assert f"{setting} is" in message
    assert hint in said


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("none", "The keys are: default_occurred_at, embed_fields, "),
        ("k1", 'braid.set_ranking with {"k1": '),
        ("preset", 'braid.set_ranking with {"preset": '),
        ("dimensions", "argument of create_collection"),
        ("indexed_attributes", "set_indexed_attributes"),
    ],
)
def test_an_unknown_key_is_refused_with_the_place_that_it_has(db: Connection, key: str, hint: str) -> None:
    for call in ("create_collection('c', settings => %s)", "set_collection('default', %s)"):
        message, said = refused(db, f"select braid.{call}", Jsonb({key: 1}))
        assert message == f'settings has the unknown key "{key}"'
        assert hint in said and "The keys are: " in said


@pytest.mark.parametrize("value", ["7", "[]", '"x"', "true"])
def test_settings_and_ranking_are_objects(db: Connection, value: str) -> None:
    for call, name in (
        ("create_collection('c', settings => %s)", "settings"),
        ("create_collection('c', ranking => %s)", "ranking"),
        ("set_collection('default', %s)", "settings"),
        ("set_ranking('default', %s)", "ranking"),
    ):
        message, hint = refused(db, f"select braid.{call}", value)
        assert message.startswith(f"{name} is a JSON ")
        assert "Give an object" in hint


@pytest.mark.parametrize("name", ["fold_diacritics", "index_fields", "embed_fields"])
def test_what_stored_documents_depend_on_does_not_change(db: Connection, name: str) -> None:
    message, hint = refused(db, "select braid.set_collection('default', %s)", Jsonb({name: SETTINGS[name]}))
    assert message == f"settings: {name} cannot be changed"
    assert "Create another collection" in hint


def test_a_preset_can_be_tried_by_a_search(db: Connection) -> None:
    """The option ranking accepts the keys of set_ranking, and gives the same scores."""
    create(db, "tried", embedding_model="test", dimensions=2)
    documents = [
        {"external_id": f"d{number}", "content": f"amber {'cedar ' * number}", "embedding": [1, number]}
        for number in range(5)
    ]
    db.execute("select braid.upsert_documents(%s, 'tried')", (Jsonb(documents),))
    call = "braid.hybrid_search('amber cedar', '[1,2]', collection => 'tried', options => %s)"
    search = f"select external_id, score from {call}"
    plain = db.execute(search, (None,)).fetchall()
    for preset in ("conversation", "code", "rrf"):
        tried = db.execute(search, (Jsonb({"ranking": {"preset": preset}}),)).fetchall()
        assert tried != plain
        db.execute("select braid.set_ranking('tried', %s)", (Jsonb({"preset": preset}),))
        assert db.execute(search, (None,)).fetchall() == tried
        db.execute("select braid.restore_ranking('tried', 1)")
        assert db.execute(search, (None,)).fetchall() == plain
