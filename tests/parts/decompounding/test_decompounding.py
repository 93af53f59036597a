"""With decompounding auto, words find the compounds with them, and compounds their parts, by comparison with every word
in Python."""

from __future__ import annotations

import math
import random
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support.calls import full_text, one, set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
LINKS = ("", "s", "n", "e", "es", "en", "er")
STEMS = ("haft", "pflicht", "wasser", "werk", "wesen", "leiter", "strom", "kreis", "lauf", "ernte", "dank", "raum")


def parts_of(word: str, frequencies: dict[str, int]) -> set[str]:
    """Return the words that make a word: two if possible, else three, the most frequent."""
    splits: list[tuple[str, ...]] = []
    for end in range(4, len(word) - 3):
        for link in LINKS:
            first, rest = word[:end], word[end + len(link) :]
            if first not in frequencies or not word.startswith(link, end) or len(rest) < 4:
                continue
            if rest in frequencies:
                splits.append((first, rest))
            for cut in range(4, len(rest) - 3):
                for other in LINKS:
                    middle, last = rest[:cut], rest[cut + len(other) :]
                    if rest.startswith(other, cut) and len(last) >= 4 and {middle, last} <= frequencies.keys():
                        splits.append((first, middle, last))
    order = sorted(splits, key=lambda split: (len(split), -math.prod(frequencies[part] for part in split), split))
    return {*order[0]} if order else set()


def compounds_of(word: str, frequencies: dict[str, int]) -> set[str]:
    """Return the words that begin or end with a word, the most frequent of each, best first."""
    found: dict[str, bool] = {}
    for is_ending in (True, False):
        longer = [
            other
            for other in frequencies
            if len(other) >= max(len(word) + 4, 8) and (other.endswith(word) if is_ending else other.startswith(word))
        ]
        for other in sorted(longer, key=lambda other: (-frequencies[other], other))[:8]:
            rest = other[: -len(word)] if is_ending else other[len(word) :]
            rests = [
                rest[: len(rest) - len(link)] if is_ending else rest[len(link) :]
                for link in LINKS
                if (rest.endswith(link) if is_ending else rest.startswith(link))
            ]
            covered = len(word) < 6 and any(len(piece) >= 4 and piece in frequencies for piece in rests)
            found[other] = found.get(other, False) or covered
    chosen = [other for other in found if found[other] or len(word) >= 6 or word not in frequencies]
    return {*sorted(chosen, key=lambda other: (not found[other], -frequencies[other], other))[:3]}


def search(db: Connection, query: str, collection: str = "words", options: Any = None, **arguments: Any) -> Any:
    arguments = {"match": "any", "filters": None, **arguments}
    return one(
        db,
        "select braid.search_json(%s, collection => %s, match => %s, filters => %s, options => %s)",
        query,
        collection,
        arguments["match"],
        None if arguments["filters"] is None else Jsonb(arguments["filters"]),
        Jsonb({"decompounding": "auto"} if options is None else options),
    )


def found(answer: Any) -> list[str]:
    return sorted(row["external_id"] for row in answer["results"])


def matched(answer: Any) -> set[str]:
    """Return the lexemes that were searched for beside the words of the query."""
    return {correction["lexeme"] for correction in answer["stats"]["corrections"] if correction["edits"] == 0}


def vocabulary() -> list[str]:
    random_ = random.Random(7)
    words = {
        "".join(part + random_.choice(LINKS) for part in random_.choices(STEMS, k=random_.randint(0, 2)))
        + random_.choice(STEMS)
        for _ in range(150)
    }
    return sorted(words)


@pytest.fixture
def frequencies(db: Connection) -> dict[str, int]:
    """Return how many texts of the collection `words` have each word."""
    random_ = random.Random(8)
    db.execute("select braid.create_collection('words', text_config => 'simple')")
    texts = [random_.sample(vocabulary(), 12) for _ in range(20)]
    upsert(db, [{"external_id": str(n), "content": " ".join(text)} for n, text in enumerate(texts)], "words")
    db.execute("select braid.delete_document('0', 'words')")
    counts: dict[str, int] = {}
    for text in texts[1:]:
        for word in text:
            counts[word] = counts.get(word, 0) + 1
    return counts


def test_the_compounds_and_parts_of_a_comparison_with_all_words(db: Connection, frequencies: dict[str, int]) -> None:
    def check(word: str) -> None:
        wanted = set()
        if 4 <= len(word) <= 64 and frequencies.get(word, 0) <= 10:
            wanted = parts_of(word, frequencies) | compounds_of(word, frequencies)
        assert matched(search(db, word)) == wanted

    made = st.builds("".join, st.lists(st.sampled_from([*STEMS, *LINKS]), min_size=1, max_size=5)).filter(bool)
    for word in STEMS:
        check(word)
        assert compounds_of(word, frequencies)
    settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])(
        given(word=st.one_of(made, st.sampled_from(vocabulary())))(check)
    )()


GERMAN = {
    "both": "Ihre Haftpflichtversicherung gilt.",
    "parts": "Die Haftpflicht und die Versicherung",
    "contract": "Der Versicherungsvertrag endet.",
    "house": "Hausratversicherungen",
    "battle": "Die Schlacht bei Austerlitz, beobachtet",
    "eight": "acht Menschen",
    "houses": "das Häusermeer; ein Haus am Meer",
}


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("Versicherung", {"both", "parts", "contract", "house"}),
        ("Versicherungen", {"both", "parts", "contract", "house"}),
        ("haftpflichtversicherung", {"both", "parts"}),
        ("Haftpflicht", {"both", "parts"}),
        ("Versicherungsverträge", {"contract"}),
        ("acht", {"eight"}),  # Schl- and beob- are no words
        ("Haftpflicht-Versicherung", {"both", "parts"}),  # the tokenizer splits and joins it
        ("+Versicherung", {"parts"}),
        ('"Versicherung"', {"parts"}),
        ("Versicherung -Hausratversicherungen", {"both", "parts", "contract"}),
        ("versicher*", {"parts", "contract"}),
        ("Vers1cherung", set()),
        ("x" * 10_000, set()),
        ("Meer", {"houses"}),
    ],
)
def test_german(db: Connection, query: str, ids: set[str]) -> None:
    db.execute("select braid.create_collection('words', text_config => 'german')")
    upsert(db, [{"external_id": id_, "content": text} for id_, text in GERMAN.items()], "words")
    assert set(found(search(db, query))) == ids
    assert matched(search(db, query, match="all")) == set()


@pytest.mark.parametrize(
    ("language", "compound", "part"),
    [
        ("dutch", "verzekeringsmaatschappij", "verzekering"),
        ("dutch", "ziektekosten", "ziekte"),
        ("swedish", "försäkringsbolag", "försäkring"),
        ("danish", "arbejdsmarked", "arbejde"),
        ("norwegian", "arbeidsmarked", "marked"),
        ("german", "Krankenhausbett", "Bett"),
    ],
)
def test_other_languages(db: Connection, language: str, compound: str, part: str) -> None:
    db.execute("select braid.create_collection('words', text_config => %s)", (language,))
    upsert(db, [{"external_id": "1", "content": compound}], "words")
    assert found(search(db, part)) == ["1"]
    assert found(search(db, part, options={})) == []


def test_a_compound_counts_as_the_word_and_a_part_with_less_weight(db: Connection) -> None:
    db.execute("select braid.create_collection('words', text_config => 'german')")
    upsert(db, [{"external_id": id_, "content": text} for id_, text in GERMAN.items()], "words")
    db.execute("select braid.set_ranking('words', '{\"decompounding\": \"auto\"}')")
    for query in ("Versicherung Haus", "Haftpflichtversicherung acht", "Versicherungsmeer"):
        rows = db.execute(
            "select chunk_id, score from braid.full_text_search(%s, collection => 'words')", (query,)
        ).fetchall()
        sums = db.execute(
            "select chunk_id, sum(contribution) from braid.explain_score(%s, %s, collection => 'words') group by 1",
            (query, [chunk_id for chunk_id, _ in rows]),
        ).fetchall()
        assert rows
        assert dict(sums) == pytest.approx(dict(rows))
    explanation = one(
        db,
        "select braid.explain_search('Haftpflichtversicherung', collection => 'words', "
        'options => \'{"ranking": {"decompounding": "auto"}}\')',
    )
    assert explanation["query"]["corrections"] == [
        {"word": "Haftpflichtversicherung", "correction": part, "lexeme": lexeme, "edits": 0, "applied": True}
        for part, lexeme in (("haftpflicht", "haftpflicht"), ("versicherung", "versicher"))
    ]
    assert explanation["warnings"] == []
    snippet = one(
        db, "select snippet from braid.full_text_search('Vertrag', 1, collection => 'words', "
        "options => '{\"snippet\": true}')"
    )  # fmt: skip
    assert "<mark>Versicherungsvertrag</mark>" in snippet


def test_it_is_off_unless_asked_for(db: Connection) -> None:
    db.execute("select braid.create_collection('words', text_config => 'german')")
    upsert(db, [{"external_id": id_, "content": text} for id_, text in GERMAN.items()], "words")
    assert found(search(db, "Vertrag", options={})) == []
    assert found(search(db, "Vertrag")) == ["contract"]
    db.execute("select braid.set_ranking('words', '{\"decompounding\": \"auto\"}')")
    assert found(search(db, "Vertrag", options={})) == ["contract"]
    assert found(search(db, "Vertrag", options={"decompounding": "off"})) == []
    facets = "select sum(count) from braid.facets('{category}', 'Vertrag', collection => 'words', options => %s)"
    upsert(db, [{"external_id": "9", "content": "Mietvertrag", "category": "x"}], "words")
    assert one(db, facets, Jsonb({})) == 1
    assert one(db, facets, Jsonb({"decompounding": "off"})) is None
    for options in ({"decompounding": "on"}, {"decompounding": 1}, {"ranking": {"decompounding": "on"}}):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="decompounding"):
            search(db, "Vertrag", options=options)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="decompounding"):
        db.execute("select braid.set_ranking('words', '{\"decompounding\": \"on\"}')")


def test_filters_and_several_words(db: Connection) -> None:
    db.execute("select braid.create_collection('words', text_config => 'german')")
    upsert(
        db,
        [{"external_id": id_, "content": text, "category": id_[0]} for id_, text in GERMAN.items()],
        "words",
    )
    assert found(search(db, "Versicherung", filters={"category": "h"})) == ["house"]
    both = full_text(db, "Vertrag Haftpflicht", collection="words", options={"decompounding": "auto"})
    assert {id_ for id_, *_ in both} == {"both", "parts", "contract"}


def test_other_tenants_words_and_deleted_words_are_never_found(db: Connection) -> None:
    db.execute("select braid.create_collection('words', text_config => 'german')")
    tenant = one(db, "select current_setting('braid.tenant')")
    upsert(
        db, [{"external_id": "1", "content": "Haftpflicht"}, {"external_id": "2", "content": "Mietvertrag"}], "words"
    )
    db.execute("select braid.create_tenant(%s)", (f"{tenant}-other",))
    set_tenant(db, f"{tenant}-other")
    upsert(db, [{"external_id": "1", "content": "Kaufvertrag, Versicherung"}], "words")
    assert matched(search(db, "Vertrag")) == {"kaufvertrag"}
    assert matched(search(db, "Haftpflichtversicherung")) == set()
    set_tenant(db, tenant)
    assert matched(search(db, "Vertrag")) == {"mietvertrag"}
    assert matched(search(db, "Haftpflichtversicherung")) == set()
    db.execute("select braid.delete_document('2', 'words')")
    assert matched(search(db, "Vertrag")) == set()


@pytest.mark.parametrize(
    ("query", "corrections", "ids"),
    [
        ("Versicherng", {("versicher", 1)}, {"parts"}),
        ("Haftpflichtversicherng", {("haftpflichtversicher", 1)}, {"both"}),
        # It is a compound that no text has, so its parts explain it.
        ("Haftpflichtsversicherung", {("haftpflicht", 0), ("versicher", 0)}, {"parts"}),
        ("Hausratversicherng Schlcht", {("hausratversicher", 1), ("schlacht", 1)}, {"house", "battle"}),
        ("Vertrag Versicherng", {("versicherungsvertrag", 0), ("versicher", 1)}, {"parts", "contract"}),
    ],
)
def test_misspelt_parts_and_compounds(
    db: Connection, query: str, corrections: set[tuple[str, int]], ids: set[str]
) -> None:
    db.execute("select braid.create_collection('words', text_config => 'german')")
    upsert(db, [{"external_id": id_, "content": text} for id_, text in GERMAN.items()], "words")
    db.execute('select braid.set_ranking(\'words\', \'{"decompounding": "auto", "typos": "auto"}\')')
    explanation = one(db, "select braid.explain_search(%s, collection => 'words')", query)
    made = [(item["lexeme"], item["edits"]) for item in explanation["query"]["corrections"]]
    assert sorted(made) == sorted(corrections)
    assert all(item["applied"] for item in explanation["query"]["corrections"])
    misspelt = any(edits for _, edits in corrections)
    assert [warning["code"] for warning in explanation["warnings"]] == ["did_you_mean"] * misspelt
    rows = db.execute(
        "select external_id, chunk_id, score from braid.full_text_search(%s, collection => 'words')", (query,)
    ).fetchall()
    assert {id_ for id_, _, _ in rows} == ids
    sums = db.execute(
        "select chunk_id, sum(contribution) from braid.explain_score(%s, %s, collection => 'words') group by 1",
        (query, [chunk_id for _, chunk_id, _ in rows]),
    ).fetchall()
    assert dict(sums) == pytest.approx({chunk_id: score for _, chunk_id, score in rows})


def test_a_compound_whose_rows_are_not_all_read_takes_one_place(db: Connection) -> None:
    """It begins and ends with the word, and is the last of more rows than are read for a beginning."""
    db.execute("select braid.create_collection('words', text_config => 'simple')")
    for number in range(6):
        upsert(db, [{"external_id": f"both{number}", "content": "hauszzzzhaus"}], "words")
    others = [f"haus{a}{b}{c}x" for a in "abcdefghij" for b in "abcdefghijklmno" for c in "abcdefghijklmno"]
    upsert(db, [{"external_id": "others", "content": " ".join(others[:1997])}], "words")
    lexemes = [item["lexeme"] for item in search(db, "haus")["stats"]["corrections"]]
    assert lexemes[0] == "hauszzzzhaus" and len(set(lexemes)) == 3
