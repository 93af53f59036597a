"""The settings question_penalty and speaker_weight agree with a separate model of sentences and names."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg import errors
from psycopg.types.json import Jsonb

from support.calls import one, upsert, vector

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
EMBEDDING = [1.0, 0.5, -0.2, 0.1]
ON: dict[str, Any] = {"question_penalty": 0.2, "speaker_weight": 0.1}
OFF: dict[str, Any] = {"question_penalty": 0, "speaker_weight": 0}
ENDS, WIDE, CLOSERS, WIDE_CLOSERS = ".!?…؟۔።፧", "。！？", "\"'”’»)]*_", '"”’」』）'
SPACE = " \t\n\r"
# Each text has the share that questions have of its characters without white space.
EXAMPLES = {
    "": 0,
    "?": 1,
    "Fine.": 0,
    "How are you?": 1,
    "Hi! How are you?": 10 / 13,
    "Is it 3.5?": 1,
    "It is 3.5. Is it?": 5 / 13,
    "See http://a.example/?q=1 there": 0,
    "Why\nI know": 0,
    "Why?\nI know": 4 / 9,
    "“Really?” she asked.": 9 / 18,
    "No way?!": 1,
    "¿Cómo estás? Bien.": 11 / 16,
    "Ça va ?": 1,
    "お元気ですか？はい。": 7 / 10,
    "你好吗？": 1,
    "كيف حالك؟ بخير.": 8 / 13,
    "Πώς είσαι; Καλά.": 9 / 14,
    "One; two.": 0,
    "What? ? ok": 6 / 8,
}


def is_greek(letter: str) -> bool:
    return "\u0370" <= letter <= "\u03ff" or "\u1f00" <= letter <= "\u1fff"


def sentences(text: str) -> list[str]:
    """Cut a text after each mark that ends a sentence, character by character."""
    found, start, place = [], 0, 0
    while place < len(text):
        letter = text[place]
        end = None
        if letter == "\n":
            end = place + 1
        elif letter in WIDE:
            end = place + 1
            while end < len(text) and text[end] in WIDE:
                end += 1
            while end < len(text) and text[end] in WIDE_CLOSERS:
                end += 1
        elif letter in ENDS or (letter in ";\u037e" and place > 0 and is_greek(text[place - 1])):
            after = place + 1
            while letter in ENDS and after < len(text) and text[after] in CLOSERS:
                after += 1
            if after < len(text) and text[after] in SPACE:
                end = after
        if end is None:
            place += 1
        else:
            found.append(text[start:end])
            start = place = end
    return [*found, text[start:]]


def asks(sentence: str) -> bool:
    stripped = sentence.strip(SPACE)
    if len(stripped) > 1 and stripped[-1] in ";\u037e" and is_greek(stripped[-2]):
        return True
    marks = re.search(r"[?？؟፧\"'”’»)\]*_」』）.!…。！]*$", stripped)
    return marks is not None and any(mark in "?？؟፧" for mark in marks[0])


def size(text: str) -> int:
    return sum(letter not in SPACE for letter in text)


def question_share(text: str) -> float:
    return sum(size(found) for found in sentences(text) if asks(found)) / max(size(text), 1)


TURNS = [
    ("Caroline Smith", "When did you start to paint the sunrise?"),
    ("Melanie", "I started to paint the sunrise last year."),
    ("Caroline Smith", "Paint dries. Did the sunrise dry?"),
    ("José Álvarez", "The sunrise was hard to paint."),
    ("Will", "Paint it again, the sunrise is good."),
    ("田中太郎", "paint sunrise 日の出を描きました。"),
    ("Анна Петрова", "Рассвет paint sunrise."),
    ("Ann, Ben", "Ann: paint?\nBen: The sunrise."),
    ("Grad B", "Sunrise and paint."),
    ("Grad C", "Paint, then the sunrise."),
    (None, "Nobody said to paint a sunrise?"),
]


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    shared_db.execute("select braid.create_collection('turns', dimensions => 4)")
    shared_db.execute("select braid.set_ranking('turns', '{\"smoothing\": 0}')")
    documents = [
        {
            "external_id": f"d{number}",
            "chunks": [
                {
                    "content": text,
                    "embedding": [place - 3.5, number, 1, place % 3],
                    "metadata": {"part": place % 2},
                    **({"speaker": speaker} if speaker else {}),
                }
                for place, (speaker, text) in enumerate(TURNS)
            ],
        }
        for number in range(3)
    ]
    upsert(shared_db, documents, "turns")
    return shared_db


def search(db: Connection, query: str, ranking: dict[str, Any], **given: Any) -> list[dict[str, Any]]:
    values = {
        "query_text": query,
        "query_embedding": vector(EMBEDDING),
        "match_count": 100,
        "collection": "turns",
        **given,
        "options": {"ranking": ranking, **given.get("options", {})},
    }
    named = ", ".join(f"{name} => %({name})s" for name in values)
    rows = db.execute(
        f"select to_jsonb(r) from braid.hybrid_search({named}) r",
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in values.items()},
    )
    return [row[0] for row in rows.fetchall()]


@pytest.mark.parametrize(("text", "share"), EXAMPLES.items())
def test_share_of_examples(db: Connection, text: str, share: float) -> None:
    assert one(db, "select braid_store.question_share(%s)", text) == pytest.approx(share)
    assert question_share(text) == pytest.approx(share)


@given(st.lists(st.text("ab ?.!;\n\"')…。？」3αΩ؟\u037e", max_size=40), min_size=1, max_size=50))
@settings(max_examples=30, deadline=None)
def test_share_is_that_of_the_model(shared_db: Connection, texts: list[str]) -> None:
    rows = shared_db.execute(
        "select braid_store.question_share(t) from unnest(%s::text[]) with ordinality t (t, o) order by o", (texts,)
    )
    assert [row[0] for row in rows.fetchall()] == pytest.approx([question_share(text) for text in texts])


# These are the words of each name as full text compares them: without accents, endings and stop words.
NAMES = {
    "Caroline Smith": {"caroline", "smith"},
    "Melanie": {"melanie"},
    "José Álvarez": {"jose", "alvarez"},
    "田中太郎": {"田中", "中太", "太郎"},
    "Анна Петрова": {"анна", "петрова"},
    "Ann, Ben": {"ann", "ben"},
    "Grad B": {"grad", "b"},
    "Grad C": {"grad", "c"},
}


def named_by(words: set[str], speakers: set[str]) -> set[str]:
    counts = {speaker: len(words & NAMES[speaker]) for speaker in speakers & NAMES.keys()}
    fitting = {word: [speaker for speaker in counts if word in NAMES[speaker]] for word in words}
    return {
        speaker
        for speakers_of_word in fitting.values()
        for speaker in speakers_of_word
        if counts[speaker] == max(counts[other] for other in speakers_of_word)
    }


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("paint sunrise", set()),
        ("paint the sunrise, caroline", {"caroline"}),
        ("Did Smith's sunrise paint dry", {"smith"}),
        ("sunrise paint Melanie and Jose", {"melanie", "jose"}),
        ("will the sunrise paint dry", set()),
        ("sunrise paint 田中さん", {"田中"}),
        ("sunrise paint ПЕТРОВА", {"петрова"}),
        ("sunrise paint Ben", {"ben"}),
        ("sunrise paint grad", {"grad"}),
        ("sunrise paint grad b and Caroline", {"grad", "b", "caroline"}),
        ("sunrise paint -melanie", set()),
        ("sunrise paint Carol", set()),
    ],
)
@pytest.mark.parametrize("filters", [None, {"part": 1}])
def test_scores_are_those_of_the_model(
    filled: Connection, query: str, words: set[str], filters: dict[str, int] | None
) -> None:
    plain = search(filled, query, OFF, filters=filters)
    assert len(plain) > 8
    named = named_by(words, {row["speaker"] for row in plain})
    assert bool(named) == bool(words) or filters
    expected = {
        row["chunk_id"]: max(row["score"], 0) - 0.2 * question_share(row["content"]) + 0.1 * (row["speaker"] in named)
        for row in plain
    }
    found = search(filled, query, ON, filters=filters)
    assert {row["chunk_id"]: row["score"] for row in found} == pytest.approx(expected)
    assert all(first["score"] >= second["score"] for first, second in pairwise(found))
    for row in found:
        question, speaker = row["boosts"]
        assert (question["signal"], speaker["signal"]) == ("question", "speaker")
        assert question["addend"] == pytest.approx(-0.2 * question_share(row["content"]))
        assert speaker["addend"] == (0.1 if row["speaker"] in named else 0)


def test_a_turn_that_answers_stands_above_one_that_asks(filled: Connection) -> None:
    for ranking, first in ((OFF, "When did you start"), (ON, "I started")):
        rows = search(filled, "start to paint the sunrise", {**ranking, "full_text_weight": 1, "semantic_weight": 0})
        assert rows[0]["content"].startswith(first), ranking


def test_boosts_of_the_search_come_before_it(filled: Connection) -> None:
    doubled = {"options": {"boosts": [{"filter": {"speaker": "Melanie"}, "factor": 2}]}}
    plain = {row["chunk_id"]: row["score"] for row in search(filled, "caroline sunrise", OFF, **doubled)}
    for row in search(filled, "caroline sunrise", ON, **doubled):
        assert [boost["signal"] for boost in row["boosts"]] == ["filter", "question", "speaker"]
        added = sum(boost["addend"] for boost in row["boosts"][1:])
        assert row["score"] == pytest.approx(plain[row["chunk_id"]] + added)


def test_pages_and_groups_have_the_same_order(filled: Connection) -> None:
    every = [row["chunk_id"] for row in search(filled, "caroline sunrise", ON)]
    pages, cursor = [], ""
    while cursor is not None:
        page = search(filled, "caroline sunrise", ON, match_count=4, options={"cursor": cursor})
        pages += [row["chunk_id"] for row in page]
        cursor = page[-1]["cursor"]
    assert pages == every
    groups = search(filled, "caroline sunrise", ON, options={"group_by": "document"})
    assert groups[0]["chunk_id"] == every[0]
    assert len({row["document_id"] for row in groups}) == len(groups) == 3


def test_boosts_of_a_row_do_not_depend_on_the_rows_shown(db: Connection) -> None:
    db.execute("select braid.create_collection('turns', dimensions => 4)")
    texts = {"Anna Jones": "The budget plan: plan a budget.", "Anna Smith": "A budget of lunch.", "Bob": "Plan lunch."}
    chunks = [{"content": t, "speaker": s, "embedding": [1, n, 0.5, 0]} for n, (s, t) in enumerate(texts.items())]
    upsert(db, [{"external_id": "a", "chunks": chunks}], "turns")
    asked: dict[str, Any] = {"query_embedding": "[1, 0, 0.5, 0]"}
    ranking = {"speaker_weight": 0.1}
    every = search(db, "anna smith budget plan", ranking, **asked)
    addends = {row["speaker"]: row["boosts"][0]["addend"] for row in every}
    assert addends == {"Anna Jones": 0, "Anna Smith": 0.1, "Bob": 0}
    for more in ({}, {"options": {"min_relevance": 0.01}}):
        assert search(db, "anna smith budget plan", ranking, match_count=1, **asked, **more) == every[:1]


def test_explanations_give_scores_to_the_last_bit(filled: Connection) -> None:
    explained = one(
        filled,
        "select braid.explain_search(%s, %s::vector, match_count => 100, collection => 'turns', options => %s,"
        " external_id => 'd1')",
        "caroline sunrise",
        vector(EMBEDDING),
        Jsonb({"ranking": {**ON, "neighbour_weight": 0.2}}),
    )
    assert {boost["signal"] for row in explained["results"] for boost in row["boosts"]} == {"question", "speaker"}
    for row in explained["results"]:
        assert eval(row["arithmetic"]) == row["score"], row
    scores = {row["chunk_id"]: row["score"] for row in explained["results"]}
    assert all(chunk["score"] == scores[chunk["chunk_id"]] for chunk in explained["document"]["chunks"])


@pytest.mark.parametrize(
    "given",
    [
        {"fusion": "rrf"},
        {"options": {"ranking": {**ON, "normalisation": "minmax"}}},
        {"query_embedding": None},
        {"options": {"ranking": ON, "prefilter": True}},
    ],
    ids=str,
)
def test_scores_of_other_scales_stay(filled: Connection, given: dict[str, Any]) -> None:
    found = search(filled, "caroline sunrise", ON, **given)
    options = given.get("options", {})
    plain = search(
        filled,
        "caroline sunrise",
        OFF,
        **{**given, "options": {**options, "ranking": {**options.get("ranking", {}), **OFF}}},
    )
    assert found == plain
    assert found[0]["boosts"] is None


def test_preset_conversation_has_them(db: Connection) -> None:
    columns = "document_weight, question_penalty, speaker_weight"
    db.execute("select braid.create_collection('calls', ranking => '{\"preset\": \"conversation\"}')")
    assert db.execute(f"select {columns} from braid.collections where name = 'calls'").fetchone() == (0.6, 0.3, 0.15)
    db.execute("select braid.set_ranking('calls', '{\"preset\": \"prose\"}')")
    assert db.execute(f"select {columns} from braid.collections where name = 'calls'").fetchone() == (0, 0, 0)


@pytest.mark.parametrize("name", OFF)
@pytest.mark.parametrize("value", [-0.1, 1.1, "x", None])
def test_values_that_cannot_be(filled: Connection, name: str, value: object) -> None:
    with pytest.raises(errors.InvalidParameterValue, match=f"ranking: {name} is") as raised:
        search(filled, "sunrise", {name: value})
    assert "from 0" in (raised.value.diag.message_hint or "")
    with pytest.raises(errors.InvalidParameterValue, match='"ranking"') as raised:
        search(filled, "sunrise", OFF, options={name: 0.1})
