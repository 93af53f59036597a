"""The query language gives each text a meaning, and determines the text to embed."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pgbraid.query_text import is_plain
from support.waiting import processor_limit

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]

# Each clause shows its group, its sign (+ for must, - for must_not), its kind unless it is a word, and its content.
EXAMPLES = [
    ("", ""),
    (" \t\n\u3000", ""),
    ("plain words", "1 plain | 2 words"),
    ("plain\u00a0words\u3000apart", "1 plain | 2 words | 3 apart"),
    ("+must -never", "1+ must | 2- never"),
    ("+must -not", "1+ must | 2 not"),
    ("re-entry e-mail-", "1 re-entry | 2 e-mail-"),
    ("-5 +5 -re-entry", "1- 5 | 2+ 5 | 3- re-entry"),
    ("a - b + c -- d", "1 a | 2 b | 3 c | 4 d"),
    ("git --force ++i +-x", "1 git | 2 force | 3 i | 4 x"),
    ('"exact phrase"', "1+ phrase:exact phrase"),
    ('+"exact phrase" -"not this"', "1+ phrase:exact phrase | 2- phrase:not this"),
    ("“curly quotes” „und deutsche“", "1+ phrase:curly quotes | 2+ phrase:und deutsche"),
    ('检索"完全一致"了', "1 检索 | 2+ phrase:完全一致 | 3 了"),
    ('"exact phr', "1 exact | 2 phr"),
    ('foo"bar', "1 foo bar"),
    ('-"unfinished phr', "1- unfinished | 2 phr"),
    ('"a "b c" d"', "1+ phrase:a | 2 b | 3 c | 4+ phrase:d"),
    ('""doubled quotes""', "1 doubled | 2 quotes"),
    ('"..." "" " " -"?!" ... & -&', ""),
    ("a OR b OR c d", "1 a | 1 b | 1 c | 2 d"),
    ("OR a OR", "1 a"),
    ("OR OR OR", ""),
    ("a OR OR b", "1 a | 1 b"),
    ("a or b Or c", "1 a | 2 or | 3 b | 4 Or | 5 c"),
    ("a OR -fox OR c", "1 a | 2- fox | 3 c"),
    ("a OR - b", "1 a | 1 b"),
    ("+a OR b", "1+ a | 1+ b"),
    ('a OR "b c"', "1+ a | 1+ phrase:b c"),
    ('("a b") OR (c)', "1+ phrase:a b | 1+ (c)"),
    ('+OR -OR "OR" OR x', "1+ OR | 2 OR | 3+ phrase:OR | 3+ x"),
    ("data* -data* +data*", "1 prefix:data | 2- prefix:data | 3+ prefix:data"),
    ("* ** a *b c*d e** $*", "1 a | 2 *b | 3 c*d | 4 prefix:e"),
    ('"data*" data*OR*', "1+ phrase:data* | 2 prefix:data*OR"),
    ('one two three four "a b"', "1 one | 2 two | 3 three | 4 four | 5+ phrase:a b"),
    # In prose, a quotation is evidence.
    ('one two "a b" three four five', "1 one | 2 two | 3 phrase:a b | 4 three | 5 four | 6 five"),
    ('who wrote "a b"?', "1 who | 2 wrote | 3 phrase:a b"),
    ("who wrote “a b?” ", "1 who | 2 wrote | 3 phrase:a b?"),
    ('谁写了"红楼梦"？', "1 谁写了 | 2 phrase:红楼梦"),
    ('"who is who?"', "1+ phrase:who is who?"),
    # Any other operator shows that the user means the query language.
    ('who wrote +"a b"?', "1 who | 2 wrote | 3+ phrase:a b"),
    ('one two three four five "a b" -six', "1 one | 2 two | 3 three | 4 four | 5 five | 6+ phrase:a b | 7- six"),
    ('one two three four five* "a b"', "1 one | 2 two | 3 three | 4 four | 5 prefix:five | 6+ phrase:a b"),
    ('one two three four OR five "a b"', "1 one | 2 two | 3 three | 4 four | 4 five | 5+ phrase:a b"),
    ('one two three four +five "a b"', "1 one | 2 two | 3 three | 4 four | 5+ five | 6+ phrase:a b"),
    # In prose, a sign before a number is text; before a word it is text too if the prose ends like a sentence.
    ("stabilizing the first of +1 nucleosomes", "1 stabilizing | 2 the | 3 first | 4 of | 5 1 | 6 nucleosomes"),
    ("mice with E2f-1, -2, -3 have no tumour", "1 mice | 2 with | 3 E2f-1, | 4 2, | 5 3 | 6 have | 7 no | 8 tumour"),
    ("four words and -5 here", "1 four | 2 words | 3 and | 4 5 | 5 here"),
    ("four words and not -5", "1 four | 2 words | 3 and | 4 not | 5- 5"),
    ('git commit -m "a b"', "1 git | 2 commit | 3 m | 4 phrase:a b"),
    ("is it -5?", "1 is | 2 it | 3 5?"),
    ('who says "a b" at -5?', "1 who | 2 says | 3 phrase:a b | 4 at | 5 5?"),
    ("one two three four five -six -7", "1 one | 2 two | 3 three | 4 four | 5 five | 6- six | 7- 7"),
    ("one two three four five +six.", "1 one | 2 two | 3 three | 4 four | 5 five | 6+ six."),
    ("one two -dash three four five .", "1 one | 2 two | 3 dash | 4 three | 5 four | 6 five"),
    ("is it not -blue?", "1 is | 2 it | 3 not | 4- blue?"),
    ('one two three four five -"5" -6', "1 one | 2 two | 3 three | 4 four | 5 five | 6- phrase:5 | 7- 6"),
    ("one two three four five OR -6", "1 one | 2 two | 3 three | 4 four | 5 five | 6- 6"),
    ("C++ C# 50% >= 5", "1 C++ | 2 C# | 3 50% | 4 5"),
    ("🎉 ∞", "1 🎉 | 2 ∞"),
]

# Generated queries join pieces that are likely to matter in any order.
WORDS = ["a", "the", "data", "5", "é", "京都", "ORA-00942", "OR", "or"]
WORDS += [" -5 ", " +5 ", " one two three four five "]
OPERATORS = ["-", "+", "*", '"', "“", "”", " ", " ", "\n", "\u3000", ".", "?"]
queries = st.one_of(
    st.lists(st.sampled_from(WORDS + OPERATORS), max_size=25).map("".join),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40),
)
plain_queries = queries.filter(lambda query: not set(query) & set('"“”„*'))

many = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

TOKENS = "unnest(braid_store.query_tokens(%s, 'english', true))"


def parse(db: Connection, query: str) -> list[tuple[int, int, str, str, str]]:
    return db.execute(
        "select clause_number, group_number, occurrence, kind, content from braid_store.parse_query(%s, 'english')",
        (query,),
    ).fetchall()


def tokens(db: Connection, query: str) -> list[tuple[Any, ...]]:
    every = f"""
        select clause_number, group_number, occurrence, kind, "position", lexeme, token_kind
        from {TOKENS}
        order by 1, 5, 6
    """
    return db.execute(every, (query,)).fetchall()


def written(rows: list[tuple[int, int, str, str, str]]) -> str:
    sign = {"should": "", "must": "+", "must_not": "-"}
    return " | ".join(
        f"{group}{sign[occurrence]} {'' if kind == 'word' else kind + ':'}{content}"
        for _, group, occurrence, kind, content in rows
    )


@pytest.mark.parametrize(("query", "expected"), EXAMPLES, ids=[query for query, _ in EXAMPLES])
def test_examples(shared_db: Connection, query: str, expected: str) -> None:
    assert written(parse(shared_db, query)) == expected


def test_what_is_embedded(shared_db: Connection) -> None:
    @many
    @given(query=queries)
    @example('a -5 ?"')
    def check(query: str) -> None:
        wanted = [content for _, _, occurrence, _, content in parse(shared_db, query) if occurrence != "must_not"]
        row = shared_db.execute("select braid.embedded_text(%s)", (query,)).fetchone()
        assert row == (" ".join(wanted),)
        # Clients embed a plain query as it is, without asking the database.
        assert not is_plain(query) or row == (query,)

    check()
    assert is_plain("any plain words, and re-entry?") and not is_plain("ls -a") and not is_plain(" ")


@pytest.mark.parametrize(
    "ranking", ['{"normalisation": "softmax"}', '{"k1": -1}', '{"none": 1}', '{"model": "absent"}']
)
def test_what_a_search_would_refuse_is_not_embedded(shared_db: Connection, ranking: str) -> None:
    codes = []
    for call in ("embedded_text('fox', %s)", "hybrid_search('fox', options => %s)"):
        with pytest.raises(psycopg.Error) as raised:
            shared_db.execute(f"select braid.{call}", (f'{{"ranking": {ranking}}}',))
        assert raised.value.diag.message_hint
        codes.append((raised.value.sqlstate, raised.value.diag.message_primary))
    assert codes[0] == codes[1]


def test_a_query_is_embedded_as_its_options_and_its_collection_say(shared_db: Connection) -> None:
    shared_db.execute(
        "select braid.create_collection('deutsch', dimensions => 2, embedding_model => 'test', text_config => 'german')"
    )

    def embedded(query: str | None, options: str | None = None, collection: str = "default") -> str | None:
        call = "select braid.embedded_text(%s, %s, %s)"
        row = shared_db.execute(call, (query, options, collection)).fetchone()
        assert row
        found: str | None = row[0]
        return found

    assert embedded('price* -renewal OR "per seat"') == "price per seat"
    assert embedded("price -renewal", '{"operators": false}') == "price -renewal"
    assert embedded("auto -die") == "auto"
    assert embedded("auto -die", '{"language": "de"}') == embedded("auto -die", collection="deutsch") == "auto die"
    assert embedded("-renewal") == "" and embedded("") == "" and embedded(None) is None
    for options, state in (('{"operator": false}', "22023"), ("[]", "22023")):
        with pytest.raises(psycopg.Error) as raised:
            embedded("a", options)
        assert raised.value.sqlstate == state and raised.value.diag.message_hint
    with pytest.raises(psycopg.Error) as raised:
        embedded("a", collection="nothing")
    assert raised.value.sqlstate == "42704"


# Each query stands beside the words that it excludes from the texts below, in a collection of English and in one
# without language.
SIGNS = [
    ("ls -a", "", ""),
    ("git rebase -i", "", ""),
    ("docker run -it", "", ""),
    ("git commit -a -m", "", ""),
    ("tar -xzf a.tgz", "", ""),
    ("rm -rf /", "", ""),
    ("rm -rf node_modules", "", ""),
    ("what does rm -rf do", "", ""),
    ("gcc -Wall main.c", "", ""),
    ("gcc -std=c++17 a.cc", "", ""),
    ("git push --force -upstream", "", ""),
    ("java -jar app.jar", "", ""),
    ('find . -name "*.py"', "", ""),
    ("find /tmp -name foo", "", ""),
    ("chmod +x run.sh", "", ""),
    ("a -b -c", "", ""),
    ("cmd - x", "", ""),
    ("--verbose", "", ""),
    ("price –renewal −discount", "", ""),
    ("-5 degrees", "", ""),
    ("at -5°C", "", ""),
    ("kill -9 1234", "", ""),
    ("вода -в", "", ""),
    ("x -é", "", ""),
    ("-the", "", "the"),
    ("price -the -renewal", "renewal", "the renewal"),
    # Here an exclusion is meant.
    ("price -renewal", "renewal", "renewal"),
    ("jaguar -car -cat", "car cat", "car cat"),
    ("java -coffee", "coffee", "coffee"),
    ("docker -kubernetes", "kubernetes", "kubernetes"),
    ("-renewal price", "renewal", "renewal"),
    ("laws -eu", "eu", "eu"),
    ("languages -C++", "C++", "C++"),
    ("vitamin -c -deficiency", "deficiency", "deficiency"),
    ("iphone -5", "5", "5"),
    ('price -"a"', "a", "a"),
    ("东京 -京", "京", "京"),
    ("물 -술", "술", "술"),
]


@pytest.mark.parametrize(("query", "english", "simple"), SIGNS, ids=[query for query, *_ in SIGNS])
def test_what_a_minus_excludes(shared_db: Connection, query: str, english: str, simple: str) -> None:
    for config, excluded in (("english", english), ("simple", simple)):
        rows = shared_db.execute(
            "select coalesce(string_agg(content, ' ' order by clause_number) filter (where occurrence = 'must_not'),"
            " ''), bool_or(plain_sign is not null), bool_or(occurrence = 'must') from braid_store.parse_query(%s, %s)",
            (query, config),
        ).fetchone()
        assert rows and rows[0] == excluded and not rows[2]
        # A warning reports each sign that looks like an exclusion but is not one.
        signed = re.findall(r"(?:^| )([-+](?:\w+|\"))", query)
        assert bool(rows[1]) == (len(signed) > len(excluded.split()))


def test_any_text_is_a_query(shared_db: Connection) -> None:
    @many
    @given(query=queries)
    def check(query: str) -> None:
        rows = parse(shared_db, query)
        assert [number for number, *_ in rows] == list(range(1, len(rows) + 1))
        groups = [group for _, group, *_ in rows]
        assert sorted(set(groups)) == list(range(1, max(groups, default=0) + 1)) and groups == sorted(groups)
        for group in set(groups):
            members = [row for row in rows if row[1] == group]
            assert len({row[2] for row in members}) == 1
            assert len(members) == 1 or members[0][2] != "must_not"
        for _, _, occurrence, kind, content in rows:
            assert content.strip(" ") == content != ""
            assert kind != "phrase" or occurrence != "should" or all(row[2] == "should" for row in rows)
            assert kind != "prefix" or not content.endswith("*")
        known = {(row[0], row[1], row[2]) for row in rows}
        found = tokens(shared_db, query)
        assert {row[:3] for row in found} <= known
        assert all(row[6] == "prefix" for row in found if row[3] == "prefix")

    check()


def test_without_operators_the_lexemes_are_those_of_the_text(shared_db: Connection) -> None:
    whole = "select lexeme, kind, count(*) from braid_store.tokenize(array[%s], 'english', true) group by 1, 2"
    by_clause = f"select lexeme, token_kind, count(*) from {TOKENS} group by 1, 2"

    @many
    @given(query=plain_queries)
    def check(query: str) -> None:
        words = [word.lstrip("+-") for word in query.split()]
        query = " ".join("or" if word == "OR" else word for word in words)
        found = shared_db.execute(by_clause, (query,)).fetchall()
        assert sorted(found) == sorted(shared_db.execute(whole, (query,)).fetchall())

    check()


def test_positions_are_counted_within_a_clause(shared_db: Connection) -> None:
    assert [row[3:] for row in tokens(shared_db, 'river "the old ORA-1 river" -bank')] == [
        ("word", 1, "river", "word"),
        ("phrase", 1, "=the", "stop_word"),
        ("phrase", 2, "old", "word"),
        ("phrase", 3, "1", "part"),
        ("phrase", 3, "ora", "part"),
        ("phrase", 3, "ora1", "compound"),
        ("phrase", 4, "river", "word"),
        ("word", 1, "bank", "word"),
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("data*", {"data"}),
        ("Databases*", {"databas"}),
        ("company*", {"company", "compani"}),
        ("the*", {"the"}),
        ("CAFÉ*", {"cafe"}),
        ("ORA-009*", {"ora009"}),
        ("17.*", {"17"}),
        ("c++*", {"c++"}),
        ("src/app/ma*", {"src/app/ma"}),
        ("데이터*", {"데이터"}),
        ("한국*", {"한국"}),
    ],
)
def test_a_prefix_is_compared_with_stored_lexemes(shared_db: Connection, query: str, expected: set[str]) -> None:
    rows = tokens(shared_db, query)
    assert {row[3:5] + row[6:] for row in rows} == {("prefix", 1, "prefix")}
    assert {row[5] for row in rows} == expected


def test_an_asterisk_behind_several_words_says_nothing(shared_db: Connection) -> None:
    words = [("word", 1, "big", "word"), ("word", 2, "data", "word")]
    assert [row[3:] for row in tokens(shared_db, "big,data*")] == words
    assert tokens(shared_db, "東京*") == tokens(shared_db, "東京")


@pytest.mark.parametrize(
    "query",
    [
        " ".join(f"word{number}" for number in range(10_000)),
        " ".join(f"prefix{number}*" for number in range(500)),
        '"a b" ' * 2_500,
        '"' * 4_999,
        "a OR " * 10_000,
        "-" * 100_000,
    ],
    ids=["words", "prefixes", "phrases", "quotes", "alternatives", "signs"],
)
def test_a_long_query_takes_no_time(shared_db: Connection, query: str) -> None:
    parse(shared_db, "a")
    # Linear parsing takes milliseconds; quadratic parsing would take minutes.
    with processor_limit(shared_db, 2):
        parse(shared_db, query)
