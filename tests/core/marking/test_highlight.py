"""Highlighting marks exactly what a search for the words finds, and changes nothing else of the text."""

from __future__ import annotations

import html
import re
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.calls import named, set_tenant, upsert
from support.waiting import processor_limit

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
WHOLE = {"fragment_count": None}
SETTINGS = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
    max_examples=50,
    derandomize=True,
)


def add(db: Connection, content: str, collection: str = "default") -> int:
    """Add a document, and return the id of its one chunk."""
    upsert(db, [{"external_id": "it", "chunks": [{"content": content}]}], collection)
    return newest(db)


def newest(db: Connection) -> int:
    row = db.execute("select max(id) from braid_store.chunks").fetchone()
    assert row
    return int(row[0])


def highlight(db: Connection, chunk_id: int | None, query: str | None, **arguments: Any) -> str:
    arguments = {"chunk_id": chunk_id, "query_text": query, **arguments}
    row = db.execute(f"select braid.highlight({named(arguments)})", arguments).fetchone()
    assert row
    return str(row[0])


def marked(db: Connection, content: str, query: str, **arguments: Any) -> str:
    """Return the whole text with marks in [brackets]."""
    tags = {"start_tag": "[", "stop_tag": "]"}
    return html.unescape(highlight(db, add(db, content), query, **tags, **{**WHOLE, **arguments}))


@pytest.mark.parametrize(
    ("content", "query", "expected"),
    [
        ("Running runners ran; he runs.", "run", "[Running] runners ran; he [runs]."),
        ("The fox, (foxes) and 'FOX'!", "foxes", "The [fox], ([foxes]) and '[FOX]'!"),
        ("Ein Café, das Cafe", "café", "Ein [Café], das [Cafe]"),
        (
            "two  spaces\n\n\tand lines\n",
            "space line",
            "two  [spaces]\n\n\tand [lines]\n",
        ),
        ("hello,world—blue(sky) a/b", "world sky", "hello,[world]—blue([sky]) a/b"),
        (
            "see `src/app/main.py:12`, main",
            "main.py",
            "see `[src/app/main.py:12]`, [main]",
        ),
        ("see `src/app/main.py`, mains.", "app", "see `[src/app/main.py]`, mains."),
        ("ORA-00942: not ora-00943", "ORA-00942", "[ORA-00942]: not [ora-00943]"),
        (
            "(https://x.org/a(b)?c=fox), fox_trot",
            "fox",
            "([https://x.org/a(b)?c=fox]), [fox_trot]",
        ),
        (
            "**C++** and .NET, 1,234.50 $19.99.",
            ".net 1234.50 C++",
            "**[C++]** and [.NET], [1,234.50] $19.99.",
        ),
        ("东京都に住んでいる。都", "东京", "[东京]都に住んでいる。都"),
        ("東京都に住んでいる。都", "東京都", "[東京都]に住んでいる。都"),
        ("東京都に住んでいる。都", "都", "東京[都]に住んでいる。[都]"),
        ("東京、京都", "京都 東京", "[東京]、[京都]"),
        ("我用iPhone手机打电话", "iphone 电话", "我用[iPhone]手机打[电话]"),
        ("ﾊﾟｿｺﾝを買う", "パソコン", "[ﾊﾟｿｺﾝ]を買う"),
        ("กรุงเทพมหานครเป็นเมืองหลวง", "เมือง", "กรุงเทพมหานครเป็น[เมือง]หลวง"),
        ("한국어를 배운다", "한국", "[한국]어를 배운다"),
        ("rock🎸 ❤\ufe0f", "🎸", "rock[🎸] ❤\ufe0f"),
        (
            "internal Interstate intern into",
            "inter*",
            "[internal] [Interstate] [intern] into",
        ),
        (
            "a lazy dog, dogs and laze",
            '"lazy dogs"',
            "a [lazy] [dog], [dogs] and laze",
        ),
        (
            "red fox, blue fox, green fox",
            "fox -blue -green",
            "red [fox], blue [fox], green [fox]",
        ),
        ("red fox, blue fox", 'fox -"blue fox"', "red [fox], blue [fox]"),
        ("red fox, blue hen", "+red OR blue", "[red] fox, [blue] hen"),
        ("the fox and the hen", "the fox", "the [fox] and the hen"),
        ("the fox and The hen", "the", "[the] fox and [The] hen"),
        ("a fox", "", "a fox"),
        ("a fox", "() -fox", "a fox"),
        ("", "fox", ""),
    ],
)
def test_what_is_marked(shared_db: Connection, content: str, query: str, expected: str) -> None:
    assert marked(shared_db, content, query) == expected


def test_a_collection_has_its_own_language(db: Connection) -> None:
    db.execute(
        "select braid.create_collection('german', text_config => 'german', dimensions => 3,"
        " embedding_model => 'test', settings => '{\"fold_diacritics\": false}')"
    )
    chunk = add(db, "Häuser, Haus, haus, Hauses", "german")
    assert (
        highlight(db, chunk, "Häuser", **WHOLE)
        == "<mark>Häuser</mark>, <mark>Haus</mark>, <mark>haus</mark>, <mark>Hauses</mark>"
    )


def test_text_is_escaped_and_tags_are_not(db: Connection) -> None:
    chunk = add(db, "<script>fox('&amp;')</script> \"fox\" <mark>")
    assert highlight(db, chunk, "fox", start_tag='<b class="x">', stop_tag="</b>") == (
        '&lt;script&gt;<b class="x">fox</b>(&#39;&amp;amp;&#39;)&lt;/script&gt; &quot;<b class="x">fox</b>&quot;'
        " &lt;mark&gt;"
    )


FILLER = " ".join(f"f{number}" for number in range(100))


def test_the_best_passages(db: Connection) -> None:
    """The best passages have the most different words, then the most words, then come earliest; they are shown in
    the order of the text."""
    parts = ["red fox", "fox fox fox fox", "red blue fox", "fox"]
    chunk = add(db, f" {FILLER} ".join(["", *parts, ""]))

    def passages(count: int, query: str = "red blue fox") -> list[str]:
        found = highlight(
            db,
            chunk,
            query,
            start_tag="",
            stop_tag="",
            fragment_count=count,
            fragment_words=10,
            fragment_separator="|",
        ).split("|")
        assert all(len(passage.split(" ")) == 10 for passage in found)
        return [re.sub(r" ?\bf\d+ ?", "", passage) for passage in found]

    assert passages(1) == ["red blue fox"]
    assert passages(2) == ["red fox", "red blue fox"]
    assert passages(3) == ["red fox", "fox fox fox fox", "red blue fox"]
    assert passages(20) == parts
    assert passages(1, "fox") == ["fox fox fox fox"]
    assert passages(2, "red") == ["red fox", "red blue fox"]
    assert passages(1, "red") == ["red fox"]


def test_no_passage_is_better(db: Connection) -> None:
    @SETTINGS
    @given(st.lists(st.sampled_from(["red", "fox", "hen", *["x"] * 8]), min_size=1, max_size=60), st.integers(1, 12))
    def holds(words: list[str], length: int) -> None:
        def worth(passage: list[str]) -> tuple[int, int]:
            matches = [word for word in passage if word != "x"]
            return len(set(matches)), len(matches)

        chunk = add(db, " ".join(words))
        shown = highlight(
            db, chunk, "red fox hen", start_tag="", stop_tag="", fragment_count=1, fragment_words=length
        ).split(" ")
        assert len(shown) == min(length, len(words))
        assert worth(shown) == max(worth(words[start : start + length]) for start in range(len(words)))

    holds()


def test_a_passage_has_its_match_in_its_middle(db: Connection) -> None:
    chunk = add(db, "ash bay cod dew elm (fox) gum hay\nivy jay, kid law hen")
    assert highlight(db, chunk, "fox", fragment_words=5) == "dew elm (<mark>fox</mark>) gum hay"
    assert highlight(db, chunk, "ivy", fragment_words=3) == "hay\n<mark>ivy</mark> jay,"
    assert highlight(db, chunk, "ash", fragment_words=3) == "<mark>ash</mark> bay cod"
    assert highlight(db, chunk, "hen", fragment_words=3) == "kid law <mark>hen</mark>"
    assert highlight(db, chunk, "elm hay", fragment_words=1) == "<mark>elm</mark> … <mark>hay</mark>"
    # Passages that touch are joined.
    assert highlight(db, chunk, "ash bay", fragment_words=1) == "<mark>ash</mark> <mark>bay</mark>"
    assert highlight(db, chunk, "fox", fragment_words=1000) == highlight(db, chunk, "fox", **WHOLE)
    assert highlight(db, chunk, "nothing", fragment_words=3) == "ash bay cod"


def test_a_passage_of_a_script_without_spaces(db: Connection) -> None:
    chunk = add(db, "一二三四五東京都六七八九十、" * 50)
    assert highlight(db, chunk, "東京", fragment_count=1, fragment_words=6) == "四五<mark>東京</mark>都六"
    assert highlight(db, chunk, "東京", fragment_count=1, fragment_words=1) == "<mark>東</mark>"


@pytest.mark.parametrize(
    ("sqlstate", "arguments", "named_in_message"),
    [
        ("42704", {"chunk_id": -1}, "chunk -1"),
        ("42704", {"chunk_id": None}, "chunk null"),
        ("22023", {"query_text": None}, "query_text"),
        ("22023", {"start_tag": None}, "start_tag"),
        ("22023", {"stop_tag": None}, "stop_tag"),
        ("22023", {"start_tag": "x" * 256}, "start_tag"),
        ("22023", {"stop_tag": "x" * 100_000}, "stop_tag"),
        ("22023", {"fragment_count": 0}, "fragment_count"),
        ("22023", {"fragment_count": 21}, "fragment_count"),
        ("22023", {"fragment_words": 0}, "fragment_words"),
        ("22023", {"fragment_words": 1001}, "fragment_words"),
        ("22023", {"fragment_words": None}, "fragment_words"),
        ("22023", {"fragment_separator": None}, "fragment_separator"),
    ],
)
def test_what_is_refused(
    shared_db: Connection, sqlstate: str, arguments: dict[str, Any], named_in_message: str
) -> None:
    arguments = {"chunk_id": add(shared_db, "a fox"), "query_text": "fox", **arguments}
    with pytest.raises(psycopg.Error) as raised:
        highlight(shared_db, **{"query": arguments.pop("query_text"), **arguments})
    assert (raised.value.sqlstate, bool(raised.value.diag.message_hint)) == (
        sqlstate,
        True,
    )
    assert named_in_message in (raised.value.diag.message_primary or "")
    assert len(raised.value.diag.message_primary or "") < 1000


def test_another_tenants_chunk_is_unknown(db: Connection) -> None:
    db.execute("select braid.create_tenant('acme')")
    chunk = add(db, "a secret fox")
    set_tenant(db, "acme")
    for unknown in (chunk, chunk + 1000):
        with pytest.raises(psycopg.errors.UndefinedObject, match=f"chunk {unknown} does not exist"):
            highlight(db, unknown, "fox")
    set_tenant(db, "nobody")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        highlight(db, chunk, "fox")


def test_a_long_query_and_a_long_text(db: Connection) -> None:
    chunk = add(db, "one fox " + "x" * 5000 + " 東京" + "都" * 5000)
    with processor_limit(db, 10):
        for query in (
            "fox " * 100_000,
            " ".join(f"w{number}*" for number in range(500)) + " fox",
            "x" * 16_000 + " fox",
            # Like a search, it reads the first 16384 characters of a query.
            "fox " + " ".join(f"w{number}" for number in range(100_000)),
        ):
            assert highlight(db, chunk, query, fragment_words=1) == "<mark>fox</mark>"


CHARACTERS = st.sampled_from(
    list("fox FOX  \n\t.,;:'\"-+*<>&()/\\@#$%_=0123é東京都に、。한국ก็🎸❤\ufe0f\u200d\u00ad\u0301ﾊﾟ…—’")
)
WORDS = st.sampled_from(
    [
        "fox",
        "foxes ",
        " the ",
        "東京都",
        "main.py",
        "a->b",
        "1,234.5",
        "https://x.org/(a)",
        "don't",
        " OR ",
    ]
)
TEXTS = st.lists(
    st.one_of(
        CHARACTERS,
        WORDS,
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00"),
    ),
    max_size=40,
)


def test_any_query_and_any_text(db: Connection) -> None:
    """Without its tags, a snippet of any query is text of the chunk; a snippet of the whole chunk is its whole text."""

    @SETTINGS
    @given(TEXTS.map("".join), TEXTS.map("".join), st.sampled_from([1, 3, 30]))
    def holds(content: str, query: str, words: int) -> None:
        chunk = add(db, content)
        whole = highlight(db, chunk, query, **WHOLE)
        assert html.unescape(re.sub("</?mark>", "", whole)) == content
        assert whole.count("<mark>") == whole.count("</mark>") and "<mark></mark>" not in whole
        one = highlight(db, chunk, query, fragment_count=1, fragment_words=words)
        assert html.unescape(re.sub("</?mark>", "", one)) in content
        assert ("<mark>" in one) == ("<mark>" in whole)
        several = highlight(db, chunk, query, fragment_words=words, fragment_separator="\x01|")
        found = several.split("\x01|") if "\x01" not in content else []
        assert all(html.unescape(re.sub("</?mark>", "", passage)) in content for passage in found)

    holds()


def test_a_text_that_is_found_has_marks(db: Connection) -> None:
    """A text that a search finds has marks, and no other has: a piece of a text has the same tokens as within the
    text."""

    @SETTINGS
    @given(
        TEXTS.map("".join),
        st.sampled_from(
            [
                "fox",
                "東京",
                "都",
                "main.py",
                "한국",
                "🎸",
                "1234.5",
                "x.org",
                "a->b",
                "é",
            ]
        ),
    )
    def holds(content: str, query: str) -> None:
        chunk = add(db, content)
        found = db.execute("select true from braid.full_text_search(%s)", (query,)).fetchone()
        assert ("<mark>" in highlight(db, chunk, query)) == (found is not None)

    holds()
