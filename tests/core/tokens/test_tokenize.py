"""The tokenizer agrees with the golden table, matches the right words, and is bounded for any text."""

from __future__ import annotations

import random
from typing import Any

import psycopg
import pytest
from core.tokens.golden import GOLDEN
from psycopg import errors

from support.waiting import processor_limit

Connection = psycopg.Connection[Any]
Row = tuple[int, int, str, str]

NOTATION = {
    "word": "{}",
    "stop_word": "{}",
    "compound": "[{}]",
    "part": "+{}",
    "bigram": "2:{}",
    "character": "1:{}",
}
KINDS = list(NOTATION)


def tokenize(db: Connection, *texts: str | None, config: str = "english", fold: bool = True) -> list[Row]:
    rows = db.execute("select * from braid_store.tokenize(%s::text[], %s, %s)", (list(texts), config, fold))
    return sorted(rows.fetchall(), key=lambda row: (row[0], row[1], KINDS.index(row[3]), row[2]))


def written(rows: list[Row]) -> str:
    positions: dict[int, list[str]] = {}
    for _, position, lexeme, kind in rows:
        positions.setdefault(position, []).append(NOTATION[kind].format(lexeme))
    return " | ".join(" ".join(lexemes) for _, lexemes in sorted(positions.items()))


@pytest.mark.parametrize(("config", "fold", "text", "expected"), GOLDEN)
def test_golden_table(shared_db: Connection, config: str, fold: bool, text: str, expected: str) -> None:
    assert written(tokenize(shared_db, text, config=config, fold=fold)) == expected


def searched(rows: list[Row]) -> set[str]:
    """Return the lexemes that a query with these tokens searches for."""
    kinds = {kind for *_, kind in rows}
    dropped = ({"stop_word"} if kinds > {"stop_word"} else set()) | ({"character"} if "bigram" in kinds else set())
    return {lexeme for *_, lexeme, kind in rows if kind not in dropped}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("the who", "We saw The Who in 1969"),
        ("17.2", "fixed in 17.2.1"),
        ("1.2", "tag v1.2.3"),
        ("main.py", "see src/app/main.py:12"),
        ("main", "see src/app/main.py"),
        ("ora-00942", "error ORA-00942: table does not exist"),
        ("00942", "error ORA-00942"),
        ("httpserver", "an HTTPServer"),
        ("server", "an HTTPServer"),
        ("getusername", "call getUserName()"),
        ("iphone", "two iPhones"),
        ("example.com", "mail joe@example.com now"),
        ("www.example.com", "https://www.example.com/a?b=c"),
        ("intro.html", "https://www.example.com/docs/intro.html#top"),
        ("1000000", "about 1,000,000 people"),
        ("1_000_000", "about 1,000,000 people"),
        ("2026-11", "on 2026-11-21 at noon"),
        ("2026", "on 21/11/2026"),
        ("1995", "1990–1995"),
        ("#tag", "a tag"),
        ("tag", "a #tag"),
        ("reentry", "re-entry of a capsule"),
        ("covid-19", "COVID19 cases"),
        ("cafe", "le Café"),
        ("CAFÉ", "cafe"),
        ("O’Brien", "o'brien"),
        ("brien", "O'Brien"),
        ("john", "John’s car"),
        ("US", "the U.S. economy"),
        ("大", "东京大学"),
        ("大学", "东京大学"),
        ("мороженое", "МОРОЖЕНОЕ"),
        ("책", "한국책을 읽다"),
        ("데이터", "데이터베이스"),
        ("👍", "well done 👍🏽"),
        ("👩", "👨\u200d👩\u200d👧"),
        ("dont", "dont"),
        ("don't", "don’t"),
        ("c++", "written in C++,"),
        (".net", "on .NET"),
    ],
)
def test_query_finds_text(shared_db: Connection, query: str, text: str) -> None:
    assert searched(tokenize(shared_db, query)) & {lexeme for *_, lexeme, _ in tokenize(shared_db, text)}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("nodejs", "node.js"),
        ("5551234567", "555.123.4567"),
        ("5551234567", "+1 (555) 123-4567"),
        ("1000000", "1.000.000"),
    ],
)
def test_what_only_hyphens_and_commas_do_does_not_join(shared_db: Connection, query: str, text: str) -> None:
    assert not searched(tokenize(shared_db, query)) & {lexeme for *_, lexeme, _ in tokenize(shared_db, text)}


def test_elided_articles_do_not_hide_the_noun(shared_db: Connection) -> None:
    found = {lexeme for *_, lexeme, _ in tokenize(shared_db, "l'hiver", config="french")}
    assert searched(tokenize(shared_db, "hiver", config="french")) <= found


def test_texts_are_numbered_as_given(shared_db: Connection) -> None:
    rows = tokenize(shared_db, "one", None, "", "four cars")
    assert [(number, position, lexeme) for number, position, lexeme, _ in rows] == [
        (1, 1, "one"),
        (4, 1, "four"),
        (4, 2, "car"),
    ]
    assert tokenize(shared_db) == []


def test_white_space_of_every_sort_separates(shared_db: Connection) -> None:
    text = "a1\tb2\nc3\r\nd4\fe5\vf6\u00a0g7\u2003h8\u3000i9"
    lexemes = {lexeme for *_, lexeme, kind in tokenize(shared_db, text) if kind == "compound"}
    assert lexemes == {"a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8", "i9"}


def assert_sound(rows: list[Row]) -> None:
    assert len({row[:3] for row in rows}) == len(rows)
    for _, _, lexeme, kind in rows:
        assert 0 < len(lexeme.encode()) <= 255
        assert not any(character.isspace() for character in lexeme)
        assert lexeme.count("=") == lexeme.startswith("=") == (kind == "stop_word")
    positions: dict[int, set[int]] = {}
    for number, position, *_ in rows:
        positions.setdefault(number, set()).add(position)
    assert all(seen == set(range(1, len(seen) + 1)) for seen in positions.values())


def test_any_text_is_tokenised_alone_as_in_a_batch(shared_db: Connection) -> None:
    generator = random.Random(1)
    alphabet = "abAB019 .,-_/\\:@'’&+#$%=()[]{}<>é\u0301東のก한👍\u200d🇩\ufe0f\n\t\u00a0€~!?^*|;\"\u00ad\ue000\u0001"
    texts = ["".join(generator.choices(alphabet, k=generator.randrange(60))) for _ in range(2000)]
    rows = tokenize(shared_db, *texts)
    assert_sound(rows)
    for number in range(1, 51):
        alone = tokenize(shared_db, texts[number - 1])
        assert [row[1:] for row in alone] == [row[1:] for row in rows if row[0] == number]


def test_every_code_point_is_harmless(shared_db: Connection) -> None:
    code_points = [*range(1, 0xD800), *range(0xE000, 0x20000, 3), *range(0xE0000, 0x110000, 97)]
    for start in range(0, len(code_points), 10_000):
        characters = [chr(code_point) for code_point in code_points[start : start + 10_000]]
        assert_sound(tokenize(shared_db, *(f"{character} a{character}b" for character in characters)))


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "aB1" * 100_000,
        "a/b" * 100_000,
        "1.2" * 100_000,
        ".,-" * 300_000,
        "東京" * 50_000,
        "한국" * 50_000,
        "👨\u200d" * 50_000,
        "a" + "\u0301" * 100_000,
        ",".join(f"ab{number}" for number in range(50_000)),
        " ".join(f"w{number}" for number in range(50_000)),
    ],
    ids=lambda text: text[:6],
)
def test_long_texts_are_bounded(shared_db: Connection, text: str) -> None:
    # Linear work takes about a second; a quadratic step would take minutes.
    with processor_limit(shared_db, 30):
        longest = shared_db.execute(
            "select max(octet_length(t.lexeme)) from braid_store.tokenize(array[%s], 'english', true) t", (text,)
        ).fetchone()
    assert longest is not None
    assert longest[0] is None or longest[0] <= 255


def test_a_long_lexeme_is_the_same_from_text_and_query(shared_db: Connection) -> None:
    one, other = "x" * 5000, "x" * 4999 + "y"
    assert searched(tokenize(shared_db, one)) == {lexeme for *_, lexeme, _ in tokenize(shared_db, f"({one},")}
    assert searched(tokenize(shared_db, one)).isdisjoint(searched(tokenize(shared_db, other)))


@pytest.mark.parametrize("config", ["klingon", "", "public.english", "'; drop table x; --"])
def test_unknown_configuration(shared_db: Connection, config: str) -> None:
    with pytest.raises(errors.UndefinedObject, match="does not exist") as caught:
        tokenize(shared_db, "word", config=config)
    assert "english" in (caught.value.diag.message_hint or "")


def test_configuration_of_several_dictionaries(shared_db: Connection) -> None:
    shared_db.execute("create text search dictionary public.short (template = simple, accept = false)")
    shared_db.execute("create text search configuration public.chained (copy = pg_catalog.english)")
    shared_db.execute(
        "alter text search configuration public.chained alter mapping for asciiword, word"
        " with public.short, pg_catalog.english_stem"
    )
    rows = tokenize(shared_db, "The running foxes 👍 東京", config="public.chained")
    assert written(rows) == "=the | run | fox | 👍 | 2:東京 1:東 | 1:京"
