"""The operators +, -, quotation marks, *, OR and match find the right documents in both legs."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

import pgbraid
from support import HashEmbedder
from support.calls import full_text, hybrid, upsert, vector
from support.waiting import processor_limit

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
TEXTS = {
    "who": "The Who played in London",
    "guess": "Guess who played the guitar in the band",
    "lazy": "The quick brown fox jumps over the lazy dog",
    "dogs": "Lazy dogs and foxes; a brown bear",
    "error": "ORA-00942: table or view does not exist in src/app/main.py",
    "other": "ORA-00943: cluster does not exist, see main.py",
    "tokyo": "東京都に住んでいる",
    "kyoto": "京都に住んでいる。東の都",
    "inter": "internal interfaces of the internet",
    "extra": "external interface, brown",
}


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    """Fill a collection whose semantic leg finds everything, in the order above."""
    shared_db.execute("select braid.create_collection('small', dimensions => 2, embedding_model => 'test')")
    upsert(
        shared_db,
        [
            {"external_id": name, "content": text, "embedding": [1, number / 10]}
            for number, (name, text) in enumerate(TEXTS.items())
        ]
        + [
            {
                "external_id": "titled",
                "title": "A brown owl",
                "content": "sleeps",
                "embedding": [0, 1],
            }
        ],
        "small",
    )
    return shared_db


def found(db: Connection, query: str, **arguments: Any) -> set[str]:
    rows = full_text(db, query, collection="small", **arguments)
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0] for row in rows}


def found_by_both(db: Connection, query: str, **arguments: Any) -> list[str]:
    arguments = {
        "query_text": query,
        "query_embedding": vector([1, 0]),
        "match_count": 100,
        **arguments,
    }
    return [row[0] for row in hybrid(db, collection="small", **arguments)]


EXAMPLES: list[tuple[str, str]] = [
    # Words are alternatives; a document without any of them is not found.
    ("fox", "lazy dogs"),
    ("fox guitar nowhere", "lazy dogs guess"),
    # Phrases can have stop words inside and around, match by stems, and look in several fields.
    ('"lazy dog"', "lazy dogs"),
    ('"dog lazy"', ""),
    ('"the who"', "who"),
    ('"who played"', "who guess"),
    ('"who played the guitar"', "guess"),
    ('"who played a guitar"', ""),
    ('"over the lazy"', "lazy"),
    ('"brown fox" "lazy dog"', "lazy"),
    ('"brown owl" sleeps', "titled"),
    ('"owl sleeps"', ""),
    ("“brown fox”", "lazy"),
    ('"brown"', "lazy dogs extra titled"),
    ('"nowhere to be found" fox', ""),
    # After an unpaired quotation mark, the rest still counts.
    ('"lazy dog" "fox', "lazy dogs"),
    # Compounds are one word, with parts.
    ('"ORA-00942: table"', "error"),
    ("+ORA-00942", "error"),
    ('"see main.py"', "other"),
    ("+main.py", "error other"),
    ('"in src/app/main.py"', "error"),
    # Scripts without spaces are searched by parts.
    ("東京", "tokyo"),
    ('"東京都"', "tokyo"),
    ("京都", "tokyo kyoto"),
    ('"東の都"', "kyoto"),
    ('"都東"', ""),
    ("+東京 住んで", "tokyo"),
    ("住んで -東京", "kyoto"),
    # A prefix matches every word that begins so.
    ("inter*", "inter extra"),
    ("intern*", "inter"),
    ("+inter* brown", "inter extra"),
    ("-inter* brown", "lazy dogs titled"),
    ("databases* interfaces*", "inter extra"),
    ("zz*", ""),
    ('"inter*"', ""),
    # A plus demands a word, and a minus excludes it.
    ("+fox guitar", "lazy dogs"),
    ("+fox +quick", "lazy"),
    ("brown -fox", "extra titled"),
    ('brown -"brown bear"', "lazy extra titled"),
    ("+fox -fox", ""),
    ("-fox", ""),
    ("-fox -brown", ""),
    ("+nowhere fox", ""),
    # OR joins alternatives.
    ("+fox OR guitar", "lazy dogs guess"),
    ('"lazy dog" OR "fox jumps"', "lazy dogs"),
    ("+fox OR guitar +played", "guess"),
    ('+guitar OR "brown fox" OR inter* -external', "guess lazy inter"),
    ("+nowhere OR guitar", "guess"),
    ("fox or guitar", "lazy dogs guess"),
]


@pytest.mark.parametrize(("query", "expected"), EXAMPLES)
def test_what_is_found(filled: Connection, query: str, expected: str) -> None:
    assert found(filled, query) == set(expected.split())


@pytest.mark.parametrize(
    ("query", "match", "expected"),
    [
        ("brown fox", "all", "lazy dogs"),
        ("brown fox quick", "all", "lazy"),
        ("brown fox nowhere", "all", ""),
        ("brown fox nowhere", "66%", "lazy dogs"),
        ("quick brown lazy bear", "75%", "lazy dogs"),
        ("brown fox quick jumps guitar", "75%", "lazy"),
        # Alternatives count as one word, and so does a compound.
        ("fox OR owl brown", "all", "lazy dogs titled"),
        ("fox OR owl brown quick OR bear", "all", "lazy dogs"),
        ("ORA-00942 table", "all", "error"),
        ("inter* brown", "all", "extra"),
        # Demanded words must be there; `match` is the share of the other words.
        ("+fox quick", "all", "lazy"),
        ("+fox guitar", "all", ""),
        ("+fox quick bear", "50%", "lazy dogs"),
        ("+fox quick guitar bear jumps", "50%", "lazy"),
        ('"brown fox" dog', "all", "lazy"),
        ('"brown fox" guitar', "all", ""),
        ("brown fox -quick", "all", "dogs"),
        ("brown -quick nowhere", "all", ""),
        ("-quick", "all", ""),
        ("the who", "all", "who guess"),
    ],
)
def test_with_match(filled: Connection, query: str, match: str, expected: str) -> None:
    assert found(filled, query, match=match) == set(expected.split())


@pytest.mark.parametrize(("query", "expected"), [e for e in EXAMPLES if any(c in e[0] for c in '+-"“')])
def test_operators_bind_both_legs(filled: Connection, query: str, expected: str) -> None:
    """Operators restrict both legs: the semantic leg adds no document that the query excludes."""
    everything = {*TEXTS, "titled"}
    demands = {"-fox": "-fox", "-fox -brown": "-fox -brown"}
    if query in demands:
        wanted = everything - found(filled, query.replace("-", ""))
    elif "+" in query or '"' in query or "“" in query:
        # The semantic leg finds all documents with the demanded words and without the excluded ones; the other words do
        # not matter.
        wanted = found(filled, query)
        if query in ('brown -"brown bear"',):
            wanted = everything - {"dogs"}
    else:
        excluded = " ".join(word[1:] for word in query.split() if word.startswith("-"))
        wanted = everything - found(filled, excluded)
    for arguments in ({}, {"full_text_weight": 0}, {"candidate_count": 100}):
        assert set(found_by_both(filled, query, **arguments)) == wanted, arguments


def test_the_semantic_leg_alone_is_ordered_by_similarity(filled: Connection) -> None:
    names = [*TEXTS, "titled"]
    assert found_by_both(filled, "-fox -zz") == [name for name in names if name not in ("lazy", "dogs")]
    assert found_by_both(filled, "+brown", full_text_weight=0) == [
        "lazy",
        "dogs",
        "extra",
        "titled",
    ]
    # Few candidates are enough, because the operators filter the scan and not its result.
    assert found_by_both(filled, "+brown", full_text_weight=0, candidate_count=2) == [
        "lazy",
        "dogs",
    ]


def test_a_stop_word_that_is_demanded_is_not_ranked_by(filled: Connection) -> None:
    """A demanded stop word does not affect the ranking. Full text gives the rows that have a score; the semantic leg
    adds the others."""
    assert found(filled, "+the fox") == {"lazy"}
    assert set(found_by_both(filled, "+the fox")) == {"who", "guess", "lazy", "inter"}


def test_operators_and_filters(filled: Connection) -> None:
    arguments = {"filters": {"external_id": {"$in": ["lazy", "extra", "who"]}}}
    assert set(found_by_both(filled, "+brown", **arguments)) == {"lazy", "extra"}
    assert set(found_by_both(filled, "-brown", **arguments)) == {"who"}
    assert set(found_by_both(filled, "+inter* OR dog", **arguments)) == {
        "lazy",
        "extra",
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"lazy dog" guitar', "lazy dogs guess"),
        ("+fox -quick", "lazy dogs"),
        ("fox OR guitar", "lazy dogs guess"),
        ("inter*", ""),
        ("-fox", "lazy dogs"),
        ("--fox ++guitar*", "lazy dogs guess"),
        ('say "quick" and “owl', "lazy titled"),
        ("-OR", "error"),
    ],
)
def test_without_operators_all_is_words(filled: Connection, query: str, expected: str) -> None:
    plain = {"options": {"operators": False}}
    assert found(filled, query, **plain) == set(expected.split())
    assert set(found_by_both(filled, query, **plain)) == {*TEXTS, "titled"}


def test_python_embeds_plain_text_as_it_is(dsn: str) -> None:
    asked = []

    class Listening(HashEmbedder):
        def embed_query(self, text: str) -> Any:
            asked.append(text)
            return super().embed_query(text)

    with pgbraid.connect(dsn, embedder=Listening()) as client:
        for options in (None, {"operators": True}, {"operators": False}):
            client.search('fox -hen "a bear"', options=options)
    # Equal texts are embedded once.
    assert asked == ["fox a bear", 'fox -hen "a bear"']


PIECES = st.sampled_from(
    [
        "fox",
        "brown ",
        " the",
        '"',
        "“",
        "+",
        "-",
        "*",
        " OR ",
        " ",
        "inter",
        "main.py",
        "東京",
        "都",
        "ORA-00942",
        "é",
        "(",
        "5",
    ]
)
QUERIES = st.lists(
    st.one_of(PIECES, st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    max_size=15,
)


def test_no_text_is_an_error(filled: Connection) -> None:
    @settings(
        max_examples=60,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(QUERIES.map("".join), st.sampled_from(["any", "all", "75%"]), st.booleans())
    def holds(query: str, match: str, has_operators: bool) -> None:
        options = {
            "operators": has_operators,
            "snippet": True,
            "explain": True,
            "typos": "auto",
        }
        rows = filled.execute(
            "select braid.search_json(%s, %s, 20, match => %s, collection => 'small', options => %s)",
            (query, vector([1, 0]), match, Jsonb(options)),
        ).fetchone()
        assert rows
        by_text = {row["external_id"] for row in rows[0]["results"] if row["full_text_rank"]}
        if query:
            assert by_text == found(filled, query, match=match, options=Jsonb(options).obj)
        clauses = filled.execute(
            "select occurrence, kind"
            " from braid_store.parse_query((braid_store.searched_text(%s, %s)).searched, 'english')",
            (query, has_operators),
        ).fetchall()
        if not has_operators:
            assert set(clauses) <= {("should", "word")}
        if {occurrence for occurrence, _ in clauses} <= {"should"}:
            # Nothing is demanded, so the semantic leg finds everything.
            assert len(rows[0]["results"]) == len(TEXTS) + 1

    holds()


@pytest.mark.parametrize(
    "query",
    [
        " ".join(f"word{number}" for number in range(10_000)),
        " ".join(f"+word{number}" for number in range(2_000)),
        " ".join(f"w{number}*" for number in range(500)),
        '"' + "fox " * 5_000 + '"',
        "東京都に住んでいる。" * 2_000,
        "fox OR " * 3_000 + "hen",
    ],
    ids=["words", "demands", "prefixes", "phrase", "unspaced", "alternatives"],
)
def test_long_queries_take_bounded_time(filled: Connection, query: str) -> None:
    with processor_limit(filled, 10):
        found(filled, query)
        found_by_both(filled, query)


def test_what_a_sentence_quotes_is_evidence_and_not_a_demand(filled: Connection) -> None:
    assert found(filled, 'Which dogs did the book "Lazy Brown" describe?') >= {"lazy", "dogs"}
    assert found(filled, 'Which dogs did the book +"Lazy Brown" describe?') == set()
    assert found(filled, 'dogs "Lazy Brown"') == set()
    assert found(filled, '"Lazy Brown" dogs', match="all") == set()

    def warned(query: str) -> bool:
        row = filled.execute("select braid.search_json(%s, collection => 'small')", (query,)).fetchone()
        assert row
        return "optional_phrases" in {warning["code"] for warning in row[0]["warnings"]}

    assert warned('Which dogs did the book "Lazy Brown" describe?')
    assert not warned('Which dogs did the book +"Lazy Brown" describe?') and not warned('dogs "Lazy Brown"')


def test_a_sign_in_a_sentence_is_text(filled: Connection) -> None:
    def warned(query: str) -> bool:
        row = filled.execute("select braid.search_json(%s, collection => 'small')", (query,)).fetchone()
        assert row
        return "plain_signs" in {warning["code"] for warning in row[0]["warnings"]}

    for query in (
        "which lazy dog jumps over the +1 fox",
        "which lazy dog jumps over the -00942 fox",
        "a lazy dog -brown as it was- jumps over all .",
    ):
        assert found(filled, query) >= {"lazy", "dogs"} and set(found_by_both(filled, query)) == {*TEXTS, "titled"}
        assert warned(query), query
    for query in ('which lazy dog jumps over the fox -"brown"', "which lazy dog jumps over the fox -brown", "-brown"):
        assert "lazy" not in set(found_by_both(filled, query))
        assert not warned(query), query
    assert not warned("which lazy dog jumps over a well-known fox")


@pytest.mark.parametrize("query", ["+red", "+red -blue", '"red blue"', "+red filler3", '"to be red"'])
def test_more_chunks_have_what_is_demanded_than_a_leg_returns(shared_db: Connection, query: str) -> None:
    shared_db.execute("select braid.create_collection(%s, dimensions => 2)", (collection := f"of {query}",))
    colors = ["blue", "green"]
    documents = [
        {
            "external_id": str(n),
            "content": f"to be red {colors[n % 2]} filler{n}",
            "embedding": vector([n + 1, 100 - n]),
        }
        for n in range(100)
    ]
    upsert(shared_db, documents, collection)
    by_rank = shared_db.execute(
        "select external_id from braid.hybrid_search(%s, '[100,1]', collection => %s, match_count => 40,"
        " candidate_count => 20) where semantic_rank is not null order by semantic_rank",
        (query, collection),
    ).fetchall()
    wanted = {"+red -blue": 1, '"red blue"': 0}.get(query)
    assert [int(n) for (n,) in by_rank] == [n for n in range(99, -1, -1) if wanted in (None, n % 2)][:20]


COMMANDS = {
    "list": "Call ls -a to list all files in a folder.",
    "none": "Interactive shells need no flags here.",
    "git": "Run git rebase -i to edit a commit, and git commit -a -m to store all.",
    "box": "Use docker run -it for a terminal in the box.",
    "cold": "Pipes freeze at -5 degrees.",
}


@pytest.fixture(scope="module")
def commands(filled: Connection) -> Connection:
    filled.execute("select braid.create_collection('commands', dimensions => 2, embedding_model => 'test')")
    upsert(
        filled,
        [
            {"external_id": name, "content": text, "embedding": [1, 0], "occurred_at": "2026-01-05"}
            for name, text in COMMANDS.items()
        ],
        "commands",
    )
    return filled


# Each query stands beside its best document, and the operators that are read as words.
OF_COMMANDS = [
    ("ls -a", "list", "-a"),
    ("git rebase -i", "git", "-i"),
    ("git commit -a -m", "git", "-a, -m"),
    ("docker run -it", "box", "-it"),
    ("freeze -5 degrees", "cold", "-5"),
    ("ls -the folder", "list", "-the"),
]


@pytest.mark.parametrize(("query", "best", "read"), OF_COMMANDS)
def test_an_option_of_a_command_is_no_exclusion_anywhere(
    commands: Connection, query: str, best: str, read: str
) -> None:
    def first(call: str, *more: Any) -> Any:
        row = commands.execute(f"select {call}", (query, *more)).fetchone()
        return row and row[0]

    where = "collection => 'commands'"
    for search in (
        f"full_text_search(%s, {where})",
        f"hybrid_search(%s, '[1,0]', {where})",
    ):
        assert first(f"r.external_id from braid.{search} r") == best, search
    chunk = first("r.chunk_id from braid.full_text_search(%s, collection => 'commands') r")
    answer = first(f"braid.search_json(%s, '[1,0]', {where})")
    (warning,) = (told["message"] for told in answer["warnings"] if told["code"] == "plain_signs")
    assert f" in {read}." in warning and '-"..."' in warning
    together = first(f"braid.multi_search(to_jsonb(array[%s]), {where})")
    assert together["results"][0]["external_id"] == best
    assert first(f"braid.explain_search(%s, '[1,0]', {where})")["results"][0]["external_id"] == best
    assert first("count(*) from braid.explain_score(%s, array[%s]::bigint[], collection => 'commands')", chunk) > 0
    assert first("f.count from braid.facets('{external_id}', %s, collection => 'commands') f limit 1") == 1
    marked = commands.execute("select braid.highlight(%s, %s)", (chunk, query)).fetchone()
    assert marked and "<mark>" in marked[0]
    assert "-" not in first(f"braid.embedded_text(%s, {where})")


def test_an_exclusion_that_is_meant_holds(commands: Connection) -> None:
    for query in ('ls -"a" list', "list -folder", "docker -terminal"):
        rows = full_text(commands, query, collection="commands")
        assert {row[0] for row in rows}.isdisjoint({"list", "box"}), query
        row = commands.execute("select braid.search_json(%s, collection => 'commands')", (query,)).fetchone()
        assert row and "plain_signs" not in {warning["code"] for warning in row[0]["warnings"]}
    # With operators off, pasted text has no operators and causes no warning.
    plain = "select braid.search_json('ls -a', collection => 'commands', options => '{\"operators\": false}')"
    row = commands.execute(plain).fetchone()
    assert row and row[0]["results"][0]["external_id"] == "list" and row[0]["warnings"] == []
