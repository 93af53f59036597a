"""A search suggests words for query words that occur nowhere."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
DOCUMENTS = [
    {"external_id": "1", "content": "A Database of companies."},
    {"external_id": "2", "content": "databases and Databases; the river"},
    {"external_id": "3", "content": "the company by the river", "title": "Zebrafish"},
    {"external_id": "4", "content": "automobile"},
]


@pytest.fixture(scope="module")
def shared(shared_db: Connection) -> Connection:
    upsert(shared_db, DOCUMENTS)
    return shared_db


@pytest.fixture
def filled(db: Connection) -> Connection:
    upsert(db, DOCUMENTS)
    return db


def search(db: Connection, query: str, options: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
    row = db.execute(
        "select braid.search_json(%s, match => %s, filters => %s, options => %s)",
        (
            query,
            arguments.get("match", "any"),
            Jsonb(arguments["filters"]) if "filters" in arguments else None,
            None if options is None else Jsonb(options),
        ),
    ).fetchone()
    assert row
    answer: dict[str, Any] = row[0]
    return answer


def corrections(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(correction["word"], correction["correction"]) for correction in answer["stats"]["corrections"]]


def found(answer: dict[str, Any]) -> set[str]:
    return {row["external_id"] for row in answer["results"]}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("databse", [("databse", "database")]),
        ("Databses,", [("Databses", "databases")]),
        ("(compny) rivr", [("compny", "company"), ("rivr", "river")]),
        ("+rivr databse", [("rivr", "river"), ("databse", "database")]),
        ("rivr rivr", [("rivr", "river")]),
        ("rivr OR databse", [("rivr", "river"), ("databse", "database")]),
        ("rivr,databse", [("rivr", "river")]),
        ("zebrafsh", [("zebrafsh", "zebrafish")]),
        # Nothing is suggested for words that occur, and for text that is no word.
        ("database river", []),
        ("databases company", []),
        ('"databse" -rivr databs*', []),
        ("qqqqqqqq 12345 databse-17 rivr/compny 東景", []),
        ("thee", []),
        # "ribes" and "crompny" are two edits away from "river" and "company", and two edits need eight letters.
        ("rvier rivre ribes crompny", [("rvier", "river"), ("rivre", "river")]),
        ("autamobile", [("autamobile", "automobile")]),
        ("", []),
    ],
)
def test_what_is_offered(shared: Connection, query: str, expected: list[tuple[str, str]]) -> None:
    if query == "":
        row = shared.execute("select braid.search_json(query_embedding => %s)", (str([1] + [0] * 383),)).fetchone()
        assert row and row[0]["stats"]["corrections"] == []
        return
    answer = search(shared, query)
    assert corrections(answer) == expected
    assert not any(correction["applied"] for correction in answer["stats"]["corrections"])
    messages = [warning["message"] for warning in answer["warnings"] if warning["code"] == "did_you_mean"]
    assert len(messages) == (1 if expected else 0)
    assert all(f'"{correction}" instead of "{word}"' in messages[0] for word, correction in expected)


def test_words_are_compared_as_they_are_written(db: Connection) -> None:
    texts = ["Havie and the process", "pricing, price, prices", "pricing and a price", "the vector of a tooth"]
    upsert(db, [{"external_id": str(number), "content": text} for number, text in enumerate(texts)])
    # By stems, "pricing" would win over "process": its stem is one letter from the stem of "proces", and is in more
    # texts.
    assert corrections(search(db, "proces")) == [("proces", "process")]
    assert corrections(search(db, "pricng")) == [("pricng", "pricing")]
    # No word is close to these names.
    for name in ("Bjork", "Toyota"):
        assert corrections(search(db, name)) == [], name


SENTENCES = (
    "It is emphatically the province and duty of the Judicial Department to say what the law is.",
    "A law repugnant to the Constitution is void, and the courts examine what is “constitutional”—and what is not.",
    "In the field of public education, the doctrine of separate but equal has <no> place.",
    "Separate educational facilities are inherently unequal.",
    "All persons born or naturalized in the United States are citizens, and no State shall abridge their privileges.",
    "Congress shall make no law respecting an establishment of religion, or prohibiting the free exercise thereof.",
    "_Governments_ are instituted among Men, deriving their just powers from the consent of the governed.",
    "Prudence will dictate that Governments long established should not be changed for transient causes.",
    "The accused shall enjoy the right to a speedy trial, and to be confronted with the witnesses against him.",
    "Excessive bail shall not be required, nor cruel and unusual punishments inflicted.",
    "The enumeration of certain rights shall not be construed to deny others retained by the people.",
    "We are met on a great battlefield; we cannot dedicate, we cannot consecrate, we cannot hallow this ground.",
)
MISSPELT = (
    *("constitutnal", "judical", "emphaticaly", "doctirne", "eduction", "seperate", "acused", "naturlaized"),
    *("battelfield", "religoin", "prohibting", "exercize", "goverments", "institued", "establishd", "witneses"),
    *("punishmants", "enumertion", "dedicat", "consecrat"),
)


@pytest.mark.parametrize("typos", ["off", "auto"])
def test_proposals_are_words_of_the_texts(db: Connection, typos: str) -> None:
    upsert(db, [{"external_id": str(number), "content": text} for number, text in enumerate(SENTENCES)])
    words = set(re.findall(r"[a-z]+", " ".join(SENTENCES).lower()))
    for word in MISSPELT:
        answer = search(db, word, {"typos": typos})
        proposed = [correction for _, correction in corrections(answer)]
        assert proposed and set(proposed) <= words, (word, proposed)
        (message,) = (warning["message"] for warning in answer["warnings"] if warning["code"] == "did_you_mean")
        assert all(f'"{correction}"' in message for correction in proposed)


def test_the_form_at_the_fewest_edits_is_proposed(db: Connection) -> None:
    upsert(db, [{"external_id": "1", "content": "nation, nation, Müller's nation", "title": "National: the nations"}])
    # The stem of the first three is the same.
    for word, expected in (
        ("natoin", "nation"),
        ("natoins", "nations"),
        ("Natoinal", "national"),
        ("mulelr", "müller"),
    ):
        assert corrections(search(db, word)) == [(word, expected)]


def test_words_that_the_filter_hides_are_not_shown(db: Connection) -> None:
    upsert(db, [{"external_id": "1", "content": "constitutionality", "category": "a"},
                {"external_id": "2", "content": "constitutions", "category": "b"}])  # fmt: skip
    word = "constitutionalty"
    assert corrections(search(db, word)) == [(word, "constitutionality")]
    assert corrections(search(db, word, filters={"category": "b"})) == [(word, "constitutions")]


def test_a_synonym_that_occurs_is_enough(filled: Connection) -> None:
    assert corrections(search(filled, "automobil")) == []
    assert corrections(search(filled, "automobille")) == [("automobille", "automobile")]
    filled.execute("select braid.set_synonyms('automobille', '{river}')")
    answer = search(filled, "automobille")
    assert (corrections(answer), found(answer)) == ([], {"2", "3"})


def test_five_words_of_a_query(shared: Connection) -> None:
    words = ["xriver", "rxiver", "rivxer", "riverx", "rivery", "riverz"]
    assert corrections(search(shared, " ".join(words))) == [(word, "river") for word in words[:5]]


def test_other_tenants_words_are_not_offered(filled: Connection) -> None:
    filled.execute("select braid.create_tenant('acme')")
    set_tenant(filled, "acme")
    upsert(filled, [{"external_id": "1", "content": "zebrafink"}])
    assert corrections(search(filled, "zebrafish databse")) == [("zebrafish", "zebrafink")]
    set_tenant(filled, "default")
    assert corrections(search(filled, "zebrafnk")) == []


def test_deleted_words_are_not_offered(filled: Connection) -> None:
    filled.execute("select braid.delete_document('3')")
    assert corrections(search(filled, "zebrafsh company")) == []
    assert corrections(search(filled, "rivr")) == [("rivr", "river")]


@pytest.mark.parametrize("option", [1, "true", {}, []])
def test_what_is_refused(shared: Connection, option: Any) -> None:
    for name, hint in (
        ("correct", 'Write this instead: {"typos": "auto"}.'),
        ("typos", 'Use "auto" or "off".'),
        ("operators", "Give true or false."),
        ("explain", "Give true or false."),
    ):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match=name) as raised:
            search(shared, "river", {name: option})
        assert raised.value.diag.message_hint == hint
