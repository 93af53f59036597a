"""Synonyms are part of a collection's definition: administrators write them, and everyone reads them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
import pytest

from support.calls import full_text, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]


def set_synonyms(
    db: Connection, word: str | None, synonyms: Sequence[str | None] | None, collection: str = "default"
) -> int:
    row = db.execute("select braid.set_synonyms(%s, %s::text[], %s)", (word, synonyms, collection)).fetchone()
    assert row is not None
    return int(row[0])


def shown(db: Connection) -> list[tuple[str, str, list[str]]]:
    return db.execute("select collection, word, synonyms from braid.synonyms order by 1, 2").fetchall()


def stored(db: Connection) -> dict[str, list[str]]:
    return dict(db.execute("select lexeme, synonym_lexemes from braid_store.synonyms").fetchall())


def test_synonyms_are_set_replaced_and_removed(db: Connection) -> None:
    assert set_synonyms(db, "car", ["automobile", "vehicles"]) == 2
    assert shown(db) == [("default", "car", ["automobile", "vehicles"])]
    assert stored(db) == {"car": ["automobil", "vehicl"]}
    # Another form of a word replaces the word's entry.
    assert set_synonyms(db, "Cars", ["Auto"]) == 1
    assert shown(db) == [("default", "Cars", ["Auto"])]
    assert set_synonyms(db, "CAR", []) == 0
    assert set_synonyms(db, "car", []) == 0
    assert shown(db) == []


def test_a_word_is_all_of_a_compound(db: Connection) -> None:
    assert set_synonyms(db, "ORA-00942", ["AT&T", "C++", "17.2.1", "한국", "e-mails", "Café"]) == 6
    assert stored(db) == {"ora00942": ["at&t", "c++", "17.2.1", "한국", "email", "cafe"]}


def test_what_is_the_same_word_counts_once(db: Connection) -> None:
    assert set_synonyms(db, "car", ["cars", "auto", "Auto", "autos"]) == 1
    assert shown(db) == [("default", "car", ["auto"])]
    assert set_synonyms(db, "car", ["cars"]) == 0
    assert shown(db) == []


def test_each_collection_has_its_own(db: Connection) -> None:
    db.execute(
        "select braid.create_collection('plain', text_config => 'simple', settings => '{\"fold_diacritics\": false}')"
    )
    set_synonyms(db, "car", ["vehicles"])
    set_synonyms(db, "car", ["Vehicles", "véhicule"], "plain")
    assert shown(db) == [("default", "car", ["vehicles"]), ("plain", "car", ["Vehicles", "véhicule"])]
    lexemes = db.execute("select synonym_lexemes from braid_store.synonyms order by collection_id").fetchall()
    assert lexemes == [(["vehicl"],), (["vehicles", "véhicule"],)]
    db.execute("select braid.clear_collection('plain')")
    assert len(shown(db)) == 2
    db.execute("select braid.drop_collection('plain')")
    assert shown(db) == [("default", "car", ["vehicles"])]


@pytest.mark.parametrize(
    ("word", "synonyms", "named"),
    [
        ("NYC", ["of the"], "a synonym is 'of the'"),
        ("the", ["article"], "word is 'the'"),
        ("", ["x"], "word is ''"),
        ("...", ["x"], "word is '...'"),
        (None, ["x"], "word is null"),
        ("x", ["y", None], "a synonym is null"),
        ("x", None, "synonyms is null"),
        ("x", [f"y{number}" for number in range(64)], "synonyms has 64 words"),
    ],
)
def test_what_is_refused(db: Connection, word: str | None, synonyms: list[str | None] | None, named: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as refused:
        set_synonyms(db, word, synonyms)
    assert named in str(refused.value)
    assert refused.value.diag.message_hint
    assert shown(db) == []


def test_at_most_63(db: Connection) -> None:
    assert set_synonyms(db, "x", [f"y{number}" for number in range(63)]) == 63


def test_of_an_unknown_collection(db: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedObject, match='collection "none" does not exist'):
        set_synonyms(db, "car", ["auto"], "none")


def test_readers_see_them_and_only_administrators_set_them(
    db: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    set_synonyms(db, "car", ["auto"])
    login = make_login("writer", "braid_writer")
    db.execute("select braid.add_tenant_member('default', %s)", (login,))
    with connect_as(login) as writer:
        assert shown(writer) == [("default", "car", ["auto"])]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            set_synonyms(writer, "car", ["bus"])
    with connect_as(make_login("administrator", "braid_writer", "administrator")) as administrator:
        assert set_synonyms(administrator, "car", ["bus"]) == 1
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            administrator.execute("delete from braid_store.synonyms")
    assert shown(db) == [("default", "car", ["bus"])]


def test_a_drop_that_comes_first_is_noticed(db: Connection, dsn: str) -> None:
    db.execute("select braid.create_collection('short')")
    with psycopg.connect(dsn) as dropper, psycopg.connect(dsn, autocommit=True) as setter:
        dropper.execute("select braid.drop_collection('short')")
        setter.execute("set lock_timeout = '100ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            set_synonyms(setter, "car", ["auto"], "short")
        dropper.commit()
        with pytest.raises(psycopg.errors.UndefinedObject):
            set_synonyms(setter, "car", ["auto"], "short")


def test_a_word_and_its_synonyms_score_as_one(db: Connection) -> None:
    """A word and its synonyms score as one term: their frequencies are added up, and all are as common as the
    commonest."""
    texts = {"a": "car auto auto", "b": "auto x y", "c": "x y z", "d": "auto car z", "e": "car y z", "f": "auto x z"}
    upsert(db, [{"external_id": name, "content": text} for name, text in texts.items()])
    set_synonyms(db, "car", ["auto"])
    idf = math.log(1 + (6 - 4 + 0.5) / (4 + 0.5))
    # All texts have the average length.
    expected = {"a": 3, "b": 1, "d": 2, "e": 1, "f": 1}
    found = {external_id: score for external_id, _, score in full_text(db, "car", match="all")}
    assert found == {name: pytest.approx(idf * n / (n + 1.2), abs=1e-9) for name, n in expected.items()}
    for demand in ("+car", '"car"'):
        demanded = {external_id: score for external_id, _, score in full_text(db, demand)}
        assert demanded.keys() == {"a", "d", "e"}


def test_queries_are_compiled_the_same_beside_synonyms_of_other_words(db: Connection) -> None:
    texts = ["tea and beans", "coffee beans, cold-brewed", "ORA-00942: no tea", "日本茶", "brewed tea tea"]
    texts += [f"word{number} beans" for number in range(60)]
    upsert(db, [{"external_id": f"d{number}", "content": text} for number, text in enumerate(texts)])
    queries = ["beans coffee tea", "tea tea beans tea nowhere", "the tea of the beans", "the of"]
    queries.append("ORA-00942 ora beans 00942")
    queries += ["cold-brewed tea", "日本茶 tea", "???"]
    queries.append(" ".join(f"word{number}" for number in range(65)))

    def explained() -> Any:
        return db.execute(
            "select q, m, braid.explain_search(q, match => m) - 'timings' - 'statistics'"
            " from unnest(%s::text[]) q, unnest('{any,all,60%%}'::text[]) m",
            (queries,),
        ).fetchall()

    before = explained()
    set_synonyms(db, "unrelated", ["different"])
    assert explained() == before
