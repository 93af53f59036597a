"""Completions equal what an independent model finds that reads every text, and none comes from elsewhere."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any, Literal
from unicodedata import normalize

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

import pgbraid
from pgbraid.errors import InvalidArgumentError, LimitExceededError, NotFoundError
from support.calls import named, set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
Rows = list[tuple[str, str, int]]
Sentence = list[str]

SETTINGS = settings(
    deadline=None, suppress_health_check=list(HealthCheck), database=None, max_examples=40, derandomize=True
)
WORDS = [
    "machine",
    "Machine",
    "machines",
    "machinery",
    "learning",
    "learns",
    "Leeds",
    "Straße",
    "straight",
    "café",
    "CAFE",
]
MODEL = [*WORDS, "model", "of", "node.js", "x2"]


def complete(db: Connection, prefix: str | None, **arguments: Any) -> Rows:
    arguments = {"prefix": prefix, **arguments}
    return db.execute(
        f"select * from braid.complete({named(arguments)})",
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()},
    ).fetchall()


def texts(rows: Rows, kind: str | None = None) -> list[str]:
    return [row[0] for row in rows if kind in (None, row[1])]


def folded(word: str) -> str:
    return word.lower().replace("é", "e").replace("ß", "ss")


def expected(documents: list[list[Sentence]], context: list[str], typed: str) -> Rows:
    """Return the words and phrases that complete what was typed, by a look at each word of each text."""
    before = [folded(word) for word in context]
    places = []
    for number, sentences in enumerate(documents):
        for sentence in sentences:
            words = [folded(word) for word in sentence]
            for place, word in enumerate(words):
                if word.startswith(folded(typed)):
                    tails = [words[max(0, place - n) : place] for n in (1, 2)]
                    level = max((n for n in (1, 2) if len(before) >= n and tails[n - 1] == before[-n:]), default=0)
                    places.append((level, number, place, sentence))
    chunks: dict[str, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    later: dict[str, Counter[str]] = defaultdict(Counter)
    least = min(1, max((level for level, *_ in places), default=0))
    for level, number, place, sentence in places:
        if level >= least:
            for length in range(1, 5 if level or not context else 2):
                if place + length <= len(sentence):
                    gram = " ".join(sentence[place : place + length])
                    chunks[gram.lower()][level].add(number)
                    forms[gram.lower()][gram] += 1
                    later[gram.lower()][gram] += place > 0
    counts = {key: (max(having), len(having[max(having)])) for key, having in chunks.items()}
    found = []
    for key, (level, count) in counts.items():
        is_phrase = " " in key
        longer = max((one[1] for other, one in counts.items() if other.rpartition(" ")[0] == key), default=0)
        if (count > 1 and longer < 0.7 * count) if is_phrase else key != typed.lower():
            form = max(forms[key], key=lambda one: (later[key][one], forms[key][one], one))
            found.append((is_phrase, (-level, -count, len(key), key), form, count))
    start = "".join(f"{word} " for word in context)
    return [(start + form, "phrase" if long else "word", count) for long, _, form, count in sorted(found)]


@pytest.fixture
def plain(db: Connection) -> Connection:
    db.execute("select braid.create_collection('plain', text_config => 'simple')")
    return db


@SETTINGS
@given(
    documents=st.lists(
        st.lists(st.lists(st.sampled_from(MODEL), min_size=1, max_size=6), min_size=1, max_size=4),
        min_size=1, max_size=12,
    ),
    context=st.lists(st.sampled_from(MODEL), max_size=3),
    word=st.sampled_from(MODEL),
    length=st.integers(1, 9),
    change=st.sampled_from([str.lower, str.upper, str.title, folded]),
)  # fmt: skip
def test_the_words_and_phrases_of_a_small_collection_are_exact(
    plain: Connection, documents: list[list[Sentence]], context: list[str], word: str,
    length: int, change: Callable[[str], str],
) -> None:  # fmt: skip
    plain.execute("select braid.clear_collection('plain')")
    contents = [". ".join(map(" ".join, sentences)) + "." for sentences in documents]
    upsert(plain, [{"external_id": str(n), "content": content} for n, content in enumerate(contents)], "plain")
    typed = change(word[:length])
    rows = complete(plain, " ".join([*context, typed]), collection="plain", match_count=100, kinds=["word", "phrase"])
    assert rows == expected(documents, context, typed)


def test_words_are_shown_as_texts_write_them(db: Connection) -> None:
    """Stems are not shown, nor capitals that only begin a sentence."""
    upsert(
        db,
        [
            {"external_id": "1", "content": "Machines run. The machinery of Berlin runs. NASA studies running."},
            {"external_id": "2", "content": "He runs machines in Berlin, by machine, for NASA. Studying is hard."},
        ],
    )
    assert texts(complete(db, "mach")) == ["machines", "machine", "machinery"]
    assert texts(complete(db, "runni")) == ["running"]
    assert texts(complete(db, "STUDY")) == ["Studying"]
    assert texts(complete(db, "ber")) == ["Berlin"]
    assert texts(complete(db, "na")) == ["NASA"]
    assert complete(db, "The machinery of b") == [("The machinery of Berlin", "word", 1)]


def test_no_completion_ends_in_a_stop_word(db: Connection) -> None:
    upsert(db, [{"external_id": str(n), "content": "State of the art in the theory of the heart."} for n in range(3)])
    assert texts(complete(db, "th")) == ["theory", "theory of the heart"]
    assert texts(complete(db, "state ")) == ["state of the art"]
    assert texts(complete(db, "state of th")) == ["state of the art"]


def test_phrases_end_with_the_sentence(db: Connection) -> None:
    for number in "12":
        upsert(db, [{"external_id": number, "content": "Heat shield. Tiles (ceramic) fail;\n\nHeat sinks\nwork"}])
    assert texts(complete(db, "heat"), "phrase") == ["Heat shield", "Heat sinks work"]
    assert texts(complete(db, "tile"), "phrase") == []
    assert texts(complete(db, "cer")) == ["ceramic"]
    upsert(db, [{"external_id": "3", "content": f"A quagga, and {'a lot of other words. ' * 20}"}])
    assert texts(complete(db, "qua")) == ["quagga"]


def test_titles_begin_with_what_was_typed(db: Connection) -> None:
    upsert(
        db,
        [
            {"external_id": "1", "title": "Café in Köln", "content": "x"},
            {"external_id": "2", "title": "Weekly meeting", "content": "x"},
            {"external_id": "3", "title": "Weekly meeting", "content": "x"},
            {"external_id": "4", "title": "The weekly meeting", "content": "x"},
        ],
    )
    assert complete(db, "weekly  m", kinds=["title"]) == [("Weekly meeting", "title", 2)]
    assert texts(complete(db, "CAFE IN KO", kinds=["title"])) == ["Café in Köln"]
    assert [row[1] for row in complete(db, "wee", kinds=["title", "word"])] == ["title", "word"]
    assert len(complete(db, "w", match_count=1)) == 1
    assert [row[1] for row in complete(db, "weekly m")] == ["title"]
    assert [row[1] for row in complete(db, "weekly m", kinds=["word"])] == ["word"]


def test_marks_codes_and_signs_of_the_query_language(db: Connection) -> None:
    upsert(
        db, [{"external_id": "1", "content": 'See "ORA-00942" in src/app/main.py, or node.js (C++) and a self-test.'}]
    )
    assert texts(complete(db, "ora-0")) == ["ORA-00942"]
    assert texts(complete(db, "src/app/m")) == ["src/app/main.py"]
    assert texts(complete(db, "node.")) == ["node.js"]
    assert texts(complete(db, 'find "ORA')) == ['find "ORA-00942']
    assert texts(complete(db, "find +node")) == ["find +node.js"]
    assert texts(complete(db, "tes")) == ["test"]
    upsert(db, [{"external_id": "2", "content": "It costs $19.99, or 50% off for O'Brien, in C++ and C#."}])
    assert [texts(complete(db, typed)) for typed in ("19", "$19", "50", "50%")] == [["19.99"], ["$19.99"], ["50%"], []]
    assert texts(complete(db, "c")) == ["C++", "C#", "costs"]
    assert [texts(complete(db, typed)) for typed in ("c+", "node.js", "o’b")] == [["C++"], [], ["O'Brien"]]
    upsert(db, [{"external_id": "3", "content": "The \u0001zebra \u0001slept. A zebu ran."}])
    assert texts(complete(db, "ze")) == ["zebu", "zebra"]
    for harmless in ("(", "*", "[a", "a{2}", "\\", "^", "$", "\n", " ", "", ".", "'", "\u0301", "😀", "%", "_"):
        assert all(row[1] in ("word", "phrase", "title") for row in complete(db, harmless))


@pytest.mark.parametrize(
    ("language", "content", "prefix", "found"),
    [
        ("german", "Die Häuser der Straßen sind große Häuser.", "haus", ["Häuser"]),
        ("german", "Die Häuser der Straßen sind große Häuser.", "STRASSE", ["Straßen"]),
        ("german", "Die Häuser der Straßen sind große Häuser.", "straß", ["Straßen"]),
        ("russian", "Красная Москва стоит у Москвы-реки.", "моск", ["Москва", "Москвы-реки"]),
        ("french", "Les cœurs et les bœufs.", "coe", ["cœurs"]),
        ("french", "Les cœurs et les bœufs.", "bo", ["bœufs"]),
        ("simple", "Ǽthelred", "aet", ["Ǽthelred"]),
        ("arabic", "الْكِتَابُ عند أحمد.", "الكت", ["الْكِتَابُ"]),
        ("arabic", "الْكِتَابُ عند أحمد.", "اح", ["أحمد"]),
        ("greek", "Η Αθήνα είναι όμορφη πόλη.", "ομο", ["όμορφη"]),
    ],
)
def test_languages(db: Connection, language: str, content: str, prefix: str, found: list[str]) -> None:
    db.execute("select braid.create_collection(%s, text_config => %s)", (language, language))
    upsert(db, [{"external_id": "1", "content": content}], language)
    assert texts(complete(db, prefix, collection=language)) == found


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("folded", [True, False])
def test_marks_that_are_composed_or_not_are_alike(db: Connection, form: Literal["NFC", "NFD"], folded: bool) -> None:
    """Texts and prefixes may have each form, like the words of searches; vowels of two parts and syllables too."""
    db.execute("select braid.create_collection('c', settings => %s)", (Jsonb({"fold_diacritics": folded}),))
    words = ["Häuser", "tiếng", "ṛṣi", "ἄνθρωπος", "ўсё", "हज़ार", "মোট", "한국어"]
    document = {"external_id": "1", "title": "Übergröße", "content": " ".join(f"{word}." for word in words)}
    upsert(db, [document, {**document, "external_id": "2", "content": normalize("NFD", document["content"])}], "c")
    for word in words:
        for length in range(1, len(word)):
            typed = normalize(form, word[:length])
            assert (word, "word", 2) in complete(db, typed, collection="c"), typed
    assert ("Übergröße", "title", 2) in complete(db, normalize(form, "übergrö"), collection="c")
    for plain, word in [("hauser", "Häuser"), ("tien", "tiếng"), ("rs", "ṛṣi"), ("ανθ", "ἄνθρωπος"), ("усе", "ўсё")]:
        assert (word in texts(complete(db, plain[:3], collection="c"))) == folded


def test_letters_that_are_others_when_composed(db: Connection) -> None:
    words = ["সম\u09dfে", "ἀγαθ\u1f79ς", "\u212bngström"]
    upsert(db, [{"external_id": str(number), "content": word} for number, word in enumerate(words)])
    assert [complete(db, word[:-1]) for word in words] == [[(normalize("NFC", word), "word", 1)] for word in words]


def test_letters_with_marks_that_no_character_composes(db: Connection) -> None:
    upsert(db, [{"external_id": "1", "content": "Ẹ̀kọ́ dára."}])
    assert [texts(complete(db, typed)) for typed in ("ek", "ẹk", "ẹ̀kọ")] == [["Ẹ̀kọ́"]] * 3


def test_scripts_without_spaces(db: Connection) -> None:
    contents = ["機械学習は楽しい。", "機械学習を学ぶ", "新しい機械の音", "한국어 검색"]
    upsert(db, [{"external_id": str(n), "content": content} for n, content in enumerate(contents)])
    assert complete(db, "機械") == [("機械学習", "phrase", 2)]
    assert texts(complete(db, "私の機")) == ["私の機械", "私の機械学習"]
    assert texts(complete(db, "한국")) == ["한국어"]


def test_every_letter_may_be_typed(db: Connection) -> None:
    # Its numbers and the numbers of its capitals may lie beside the ranges of characters.
    upsert(db, [{"external_id": "1", "content": "eﬃcient 字典"}])
    assert texts(complete(db, "eﬃ")) == ["eﬃcient"]
    for start in (0x80, 0x100, 0x1E00, 0xD700, 0xE000, 0xF900, 0xFA20, 0xFB00, 0xFFE0, 0x10000, 0x1F600, 0x10FFE0):
        complete(db, "".join(map(chr, range(start, start + 0x20))))
        complete(db, chr(start))


def test_nothing_of_another_tenant_and_nothing_outside_the_filter(db: Connection) -> None:
    for tenant, word in (("other", "zebrafish"), ("default", "zeppelin")):
        if tenant == "other":
            db.execute("select braid.create_tenant('other')")
        set_tenant(db, tenant)
        upsert(
            db,
            [
                {"external_id": f"{n}", "title": f"{word} {n % 3}", "content": f"a {word}{n % 3} flies",
                 "metadata": {"year": n % 3, "deep": {"n": n}}}
                for n in range(700)
            ],
        )  # fmt: skip
    everything = complete(db, "ze", match_count=100)
    assert {text.rstrip(" 012") for text in texts(everything, "title")} == {"zeppelin"}
    assert texts(everything, "word") and not any("zebra" in text for text in texts(everything))
    for _ in range(2):
        rows = complete(db, "ze", filters={"year": 1}, match_count=100)
        assert {text.removesuffix(" flies") for text in texts(rows)} == {"zeppelin", "zeppelin 1", "zeppelin1"}
        assert complete(db, "ze", filters={"year": 9}) == []
        one = complete(db, "zeppelin", filters={"deep.n": 7}, match_count=100)
        assert {text.removesuffix(" flies") for text in texts(one)} <= {"zeppelin 1", "zeppelin1"}
        db.execute('select braid.set_indexed_attributes(\'{"year": "number"}\')')
        db.execute("select braid.maintain()")


def test_deleted_texts_are_gone(db: Connection) -> None:
    upsert(db, [{"external_id": str(n), "content": f"word quagga{n}"} for n in range(300)])
    db.execute("select braid.delete_documents(array(select n::text from generate_series(0, 298) n))")
    assert texts(complete(db, "quagga")) == ["quagga299"]
    assert texts(complete(db, "word ")) == ["word quagga299"]


def test_the_words_of_a_large_collection(db: Connection) -> None:
    """A rare word that begins with what was typed is found beside frequent ones, and after the words before it."""
    upsert(db, [{"external_id": str(n), "content": f"common text mainly {'mainsail' if n == 999 else 'maintained'}"}
                for n in range(1500)])  # fmt: skip
    assert texts(complete(db, "main", kinds=["word"])) == ["mainly", "maintained", "mainsail"]
    assert set(texts(complete(db, "mainly mains"))) == {"mainly mainsail"}
    assert texts(complete(db, "text "), "word") == ["text mainly"]
    assert texts(complete(db, "t"), "word") == ["text"]


def test_a_rare_word_among_the_chunks_of_a_filter(db: Connection) -> None:
    """The filter's chunks and the word's chunks are both too many to be read, and have one chunk in common."""
    words = {n: "maintained" if n % 7 == 0 else "other" for n in range(1500)} | {1501: "mainsails"}
    upsert(
        db,
        [
            {
                "external_id": str(n),
                "content": f"text of {word} {n}",
                "metadata": {"kind": n % 5, "deep": {"kind": n % 5}},
            }
            for n, word in words.items()
        ],
    )
    db.execute('select braid.set_indexed_attributes(\'{"kind": "number"}\')')
    db.execute("select braid.maintain()")
    for filters in ({"kind": 1}, {"deep.kind": 1}):
        assert texts(complete(db, "main", filters=filters, kinds=["word"])) == ["maintained", "mainsails"]


@pytest.mark.parametrize(
    ("arguments", "state", "message"),
    [
        ({"prefix": None}, "22023", "prefix is null"),
        ({"prefix": "x" * 1001}, "54000", "prefix has 1001 characters, more than 1000"),
        ({"prefix": "a", "match_count": 0}, "22023", "match_count is 0"),
        ({"prefix": "a", "match_count": None}, "22023", "match_count is null"),
        ({"prefix": "a", "match_count": 101}, "22023", "match_count is 101"),
        ({"prefix": "a", "kinds": []}, "22023", "kinds is {}"),
        ({"prefix": "a", "kinds": None}, "22023", "kinds is null"),
        ({"prefix": "a", "kinds": ["word", None]}, "22023", "kinds is {word,NULL}"),
        ({"prefix": "a", "kinds": ["stem"]}, "22023", "kinds is {stem}"),
        ({"prefix": "a", "collection": "missing"}, "42704", 'collection "missing" does not exist'),
        ({"prefix": "a", "filters": {"a": {"$b": 1}}}, "22023", "filter"),
    ],
)
def test_bad_input(db: Connection, arguments: dict[str, Any], state: str, message: str) -> None:
    values = {"prefix": "a", **arguments}
    if "kinds" in values:
        values["kinds"] = values["kinds"] and list(values["kinds"])
    with pytest.raises(psycopg.Error) as caught:
        complete(db, values.pop("prefix"), **values)
    assert caught.value.sqlstate == state and message in str(caught.value.diag.message_primary)
    assert caught.value.diag.message_hint


def test_the_client(client: pgbraid.Client) -> None:
    client.add_documents([{"external_id": "a", "title": "Heat pumps", "content": "The heat of pumps."}])
    rows = client.complete("hea", kinds=["title"], limit=3)
    assert [(row.completion, row.kind, row.frequency) for row in rows] == [("Heat pumps", "title", 1)]
    with pytest.raises(InvalidArgumentError, match="match_count is 0"):
        client.complete("a", match_count=0)
    with pytest.raises(NotFoundError):
        client.complete("a", collection="missing")
    with pytest.raises(LimitExceededError):
        client.complete("a" * 1001)


def test_the_asynchronous_client(dsn: str) -> None:
    async def run() -> list[str]:
        async with await pgbraid.connect_async(dsn) as client:
            await client.add_documents([{"external_id": "a", "content": "heat"}])
            return [row.completion for row in await client.complete("he")]

    assert asyncio.run(run()) == ["heat"]


def test_a_transaction_that_reads(db: Connection) -> None:
    upsert(db, [{"external_id": "a", "content": "heat"}])
    with db.transaction():
        db.execute("set transaction read only")
        assert texts(complete(db, "he")) == ["heat"]
