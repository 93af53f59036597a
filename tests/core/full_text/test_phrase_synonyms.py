"""Synonyms can have several words: a text is ranked as if each synonym were the word or phrase of the query."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support.calls import full_text, one, set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
NUMBERS = itertools.count()


def set_synonyms(db: Connection, word: str, synonyms: Sequence[str]) -> int:
    row = db.execute("select braid.set_synonyms(%s, %s::text[])", (word, list(synonyms))).fetchone()
    assert row is not None
    return int(row[0])


def write(db: Connection, *texts: str) -> None:
    upsert(
        db,
        [{"external_id": chr(97 + number), "content": text} for number, text in enumerate(texts)],
    )


def found(db: Connection, query: str, **arguments: Any) -> dict[str, float]:
    return {external_id: score for external_id, _, score in full_text(db, query, **arguments)}


def idf(count: int, document_frequency: int) -> float:
    return math.log(1 + (count - document_frequency + 0.5) / (document_frequency + 0.5))


def test_a_word_finds_a_phrase(db: Connection) -> None:
    write(
        db,
        "kube one two three",
        "container orchestration one two",
        "orchestration container one two",
        "container one orchestration two",
        "kube container orchestration kube",
        "one two three four",
    )
    assert found(db, "kube").keys() == {"a", "e"}
    assert set_synonyms(db, "kube", ["container orchestration"]) == 1
    # The phrase is as common as its rarest word, which four texts have.
    weight = idf(6, 4)
    expected = {"a": 1, "b": 1, "e": 3}
    assert found(db, "kube") == {name: pytest.approx(weight * n / (n + 1.2), abs=1e-9) for name, n in expected.items()}
    assert found(db, "kube", match="all").keys() == {"a", "b", "e"}
    assert found(db, "+kube").keys() == {"a", "e"}


def test_a_phrase_finds_a_word(db: Connection) -> None:
    write(db, "pull request one", "pr one two", "pull one two", "one two three")
    set_synonyms(db, "pull request", ["pr"])
    pull, request = idf(4, 2), idf(4, 1)
    one = 1 / 2.2
    assert found(db, "pull request") == {
        "a": pytest.approx((pull + request) * one, abs=1e-9),
        "b": pytest.approx((pull + request) * one, abs=1e-9),
        "c": pytest.approx(pull * one, abs=1e-9),
    }
    assert found(db, "pull request", match="all").keys() == {"a", "b"}
    # A word with a sign, in quotation marks or with OR is not part of a phrase; nor are words in another order.
    apart = [
        "request pull",
        "pull three request",
        "pull -three request",
        "pull OR request",
        "absent OR pull request",
    ]
    for query in (
        *apart,
        "pull request OR absent",
        "pull +request",
        'pull "request"',
        "pull request*",
    ):
        assert "b" not in found(db, query), query
    assert "b" in found(db, "three pull request OR absent pull request")
    assert found(db, 'pull "one" request')["b"] == found(db, 'pull "one"')["b"]


def test_a_phrase_is_not_too_long(db: Connection) -> None:
    letters = "abcdefghijklmnopq"
    longest = " ".join(f"word{letter}" for letter in letters[:16])
    write(db, f"one {longest} two", longest.removesuffix("p"))
    for word, synonym in (("short", longest), (longest, "short")):
        assert set_synonyms(db, word, [synonym]) == 1
    assert found(db, "short").keys() == {"a"}
    assert set_synonyms(db, "コンテナ", ["コンテナオーケストレーション"]) == 0
    assert set_synonyms(db, "k8s", ["コンテナオーケストレーション"]) == 1
    for synonym in (
        f"{longest} wordq",
        " ".join(f"{number}{'ﷺ' * 20}" for number in range(16)),
    ):
        for word, synonyms, named in (
            ("short", [synonym], "a synonym"),
            (synonym, ["short"], "word"),
        ):
            with pytest.raises(psycopg.errors.ProgramLimitExceeded) as refused:
                set_synonyms(db, word, synonyms)
            assert f"{named} has more than 16 words or 2048 bytes of lexemes" in str(refused.value)
            assert refused.value.diag.message_hint


def test_a_phrase_finds_a_phrase_and_a_word_of_both_counts_once(db: Connection) -> None:
    write(
        db,
        "merge request one",
        "pull request one",
        "request one two",
        "pull one request",
    )
    set_synonyms(db, "merge request", ["pull request"])
    scores = found(db, "merge request", match="all")
    assert scores.keys() == {"a", "b"}
    assert scores["a"] == scores["b"]


@pytest.mark.parametrize(
    ("word", "synonym", "text"),
    [
        ("sota", "state of the art", "the state of the art now"),
        ("tokio", "東京", "我 東京 都"),
        ("error", "ORA-00942 raised", "it says ORA-00942 raised today"),
        ("victory", "win win", "a win win win case"),
        ("state of the art", "sota", "the sota now"),
        ("R & D", "research", "we research here"),
        ("research", "R & D", "our R & D here"),
        ("東京", "tokio", "the tokio tower"),
        ("容器编排", "orchestration", "how orchestration works"),
        ("한국어 사전", "dictionary", "a dictionary"),
        ("dictionary", "한국어 사전", "이 한국어 사전 있다"),
        ("full-text search", "retrieval", "a retrieval engine"),
        ("retrieval", "full-text search", "of full text and full-text search"),
        ("retrieval", "text search", "of full-text searches"),
        ("Café noir", "espresso", "one espresso"),
    ],
)
def test_phrases_of_all_kinds(db: Connection, word: str, synonym: str, text: str) -> None:
    write(db, text, "nothing of it")
    assert found(db, word) == {}
    set_synonyms(db, word, [synonym])
    assert found(db, word).keys() == {"a"}
    assert found(db, f"nowhere {word.lower()} nowhere").keys() == {"a"}


def test_a_phrase_within_a_script_without_spaces(db: Connection) -> None:
    write(db, "how orchestration works", "容器", "编排")
    set_synonyms(db, "容器编排", ["orchestration"])
    assert "a" in found(db, "如何安装容器编排工具")
    assert "a" not in found(db, "如何安装容器工具编排")


def test_what_contains_another_is_left_out(db: Connection) -> None:
    assert set_synonyms(db, "nyc", ["New York City", "New York", "in NYC"]) == 1
    assert db.execute("select word, synonyms from braid.synonyms").fetchall() == [("nyc", ["New York"])]


def test_a_phrase_is_whole_in_the_title_or_in_the_body(db: Connection) -> None:
    upsert(
        db,
        [
            {
                "external_id": "split",
                "title": "container",
                "content": "orchestration one",
            },
            {
                "external_id": "title",
                "title": "container orchestration",
                "content": "one two",
            },
        ],
    )
    set_synonyms(db, "kube", ["container orchestration"])
    assert found(db, "kube").keys() == {"title"}


def test_explained_scores_add_up(db: Connection) -> None:
    write(
        db,
        "kube and container orchestration",
        "container orchestration one",
        "one two three",
    )
    set_synonyms(db, "kube", ["container orchestration"])
    rows = db.execute(
        "select r.score, sum(e.contribution), array_agg(e.lexeme order by e.lexeme)"
        " from braid.full_text_search('kube one') r, braid.explain_score('kube one', array[r.chunk_id]) e"
        " group by r.chunk_id, r.score"
    ).fetchall()
    assert len(rows) == 3
    assert all(score == pytest.approx(total, abs=1e-12) for score, total, _ in rows)
    assert any("contain orchestr" in lexemes for _, _, lexemes in rows)


def test_what_contains_a_synonym_of_another_entry_counts_once(db: Connection) -> None:
    write(db, "new york city", "new york", "big apple one", "one two three")
    set_synonyms(db, "apple", ["new york"])
    set_synonyms(db, "big apple", ["new york city"])
    assert found(db, "apple")["b"] == pytest.approx(idf(4, 2) / 2.2, rel=0.2)
    # For the term "apple", the longer synonym counts as another occurrence of the shorter one.
    parts = {
        (row[0], row[1]): row[2]
        for row in db.execute(
            "select term, lexeme, frequency from braid.explain_score('big apple', array(select c.id from"
            " braid_store.chunks c join braid_store.documents d on d.id = c.document_id where d.external_id = 'a'))"
        )
    }
    assert parts == {("appl", "new york"): 1, ("big", "new york citi"): 1}


def test_what_is_demanded_may_be_a_word_of_a_phrase(db: Connection) -> None:
    # Each text has its own segment, so most segments have only one word of the phrase.
    for name, text in zip(
        "abcd", ["hepatitis a vaccine", "hepatitis b test", "vitamin a tablets", "vitamin c"], strict=True
    ):
        upsert(db, [{"external_id": name, "content": text}])
    set_synonyms(db, "hav", ["hepatitis a"])
    for query, expected in (
        ('hav "vitamin a"', {"c"}),
        ("hav +a vitamin", {"a", "c"}),
        ("hav +a OR tablets vitamin", {"a", "c"}),
        # A minus before one letter marks a command's option, so an excluded letter stands in quotation marks.
        ('hav -"a" vitamin', {"d"}),
        ('hav vitamin -"vitamin a"', {"a", "d"}),
    ):
        assert found(db, query).keys() == expected, query
        assert one(db, "select sum(count) from braid.facets('{external_id}', %s)", query) == len(expected), query


def test_a_phrase_that_several_words_have_is_looked_for_once(db: Connection) -> None:
    write(db, "container orchestration one", "pull request two", "one two three")
    set_synonyms(db, "pull request", ["container orchestration"])
    with db.transaction():
        db.execute("set local track_functions = 'all'")
        assert found(db, "pull request").keys() == {"a", "b"}
        calls = dict(
            db.execute(
                "select funcname, calls from pg_stat_xact_user_functions"
                " where funcname in ('gather_candidates', 'phrase_elements')"
            ).fetchall()
        )
    assert calls["phrase_elements"] == calls["gather_candidates"] > 0


def test_facets_count_what_is_found(db: Connection) -> None:
    write(
        db,
        "container orchestration",
        "orchestration container",
        "kube",
        "container orchestration one",
    )
    set_synonyms(db, "kube", ["container orchestration"])
    assert db.execute("select sum(count) from braid.facets('{external_id}', 'kube')").fetchone() == (3,)
    set_synonyms(db, "nothing", ["orchestration one container"])
    assert found(db, "nothing") == {}
    assert db.execute("select sum(count) from braid.facets('{external_id}', 'nothing')").fetchone() == (None,)


def test_snippets_mark_the_words(db: Connection) -> None:
    write(db, "one two state of the art three", "我在東京都看京")
    set_synonyms(db, "sota", ["state of the art", "東京"])
    snippets = dict(
        db.execute(
            """select external_id, snippet from braid.full_text_search('sota', options => '{"snippet": true}')"""
        ).fetchall()
    )
    assert snippets == {
        "a": "one two <mark>state</mark> of the <mark>art</mark> three",
        "b": "我在<mark>東京</mark>都看京",
    }


def test_other_tenants_do_not_move_scores(db: Connection) -> None:
    write(db, "kube one two", "container orchestration two", "one two three")
    set_synonyms(db, "kube", ["container orchestration"])
    before = found(db, "kube")
    tenant = one(db, "select current_setting('braid.tenant')")
    db.execute("select braid.create_tenant('phrase_neighbour')")
    set_tenant(db, "phrase_neighbour")
    write(db, *["container orchestration kube", "orchestration"] * 5)
    set_tenant(db, tenant)
    assert found(db, "kube") == before


def test_searches_without_phrases_call_nothing_more(db: Connection) -> None:
    write(db, "kube one two", "container orchestration two", "cost and price")
    set_synonyms(db, "price", ["cost"])
    set_synonyms(db, "pull request", ["pr"])
    set_synonyms(db, "kube", ["container orchestration"])

    def called(query: str) -> set[str]:
        db.execute("select pg_stat_force_next_flush()")  # the view includes counts that are not yet reported
        with db.transaction():
            db.execute("set local track_functions = 'all'")
            found(db, query)
            rows = db.execute("select funcname from pg_stat_xact_user_functions where funcname like 'phrase%'")
            return {row[0] for row in rows.fetchall()}

    assert called("price of request one two") == set()
    assert called("kube") == {"phrase_elements", "phrase_frequency"}
    assert called("pull one") == {"phrase_synonyms"}


# Below is a second implementation, for texts and queries as lists of words. No word is a compound.

Words = tuple[str, ...]
# The configuration "english" has these stop words, and leaves the other words of the vocabulary as they are.
STOP_WORDS = ["the", "of"]


@dataclass
class Text:
    external_id: str
    chunk_index: int
    title: Words
    body: Words
    category: str = ""


def places(phrase: Words, text: Words) -> int:
    if len(phrase) == 1 or phrase[0] not in text:
        return text.count(phrase[0])
    return sum(text[start : start + len(phrase)] == phrase for start in range(len(text)))


@dataclass
class Condition:
    """Demand one of some words and phrases, or exclude all of them."""

    alternatives: list[Words]
    is_excluded: bool = False

    def is_met(self, text: Text) -> bool:
        return self.is_excluded != any(
            places(phrase, text.title) + places(phrase, text.body) > 0 for phrase in self.alternatives
        )

    def written(self) -> str:
        """Return the condition as an operator. A minus excludes a stop word only in quotation marks."""
        if self.is_excluded:
            return " ".join(f'-"{" ".join(phrase)}"' for phrase in self.alternatives)
        return " OR ".join(
            "+" + (phrase[0] if len(phrase) == 1 else f'"{" ".join(phrase)}"') for phrase in self.alternatives
        )


@dataclass
class Model:
    texts: list[Text]
    entries: dict[Words, list[Words]]
    k1: float
    b: float
    title_weight: float

    def alternatives(self, query: Words) -> dict[str, list[Words]]:
        found: dict[str, set[Words]] = {word: {(word,)} for word in query}
        for entry, synonyms in self.entries.items():
            if places(entry, query):
                for word in entry:
                    found[word].update(synonym for synonym in synonyms if word not in synonym)
        return {
            word: [phrase for phrase in these if not any(phrase != other and places(other, phrase) for other in these)]
            for word, these in found.items()
        }

    @cached_property
    def word_frequencies(self) -> Counter[str]:
        # A title's words count once, at the first chunk.
        return Counter(
            word for text in self.texts for word in {*text.body, *(text.title if text.chunk_index == 0 else ())}
        )

    def document_frequency(self, phrase: Words) -> int:
        return min(self.word_frequencies[word] for word in phrase)

    def terms(self, query: Words, demanded: list[Words]) -> dict[str, list[Words]]:
        """Return the ranking terms. A word that stands first in a quoted phrase has no synonyms."""
        terms: dict[str, list[Words]] = {}
        for phrase in demanded:
            for word in phrase:
                entries = self.entries.get((word,), []) if len(phrase) == 1 else []
                terms.setdefault(word, list({(word,), *(synonym for synonym in entries if word not in synonym)}))
        for word, these in terms.items():
            terms[word] = [phrase for phrase in these if not any(p != phrase and places(p, phrase) for p in these)]
        terms |= self.alternatives(query)
        plain = {word: these for word, these in terms.items() if word not in STOP_WORDS}
        return dict(sorted((plain or terms).items()))

    def search(
        self, query: Words, match: str, category: str | None = None, conditions: Sequence[Condition] = ()
    ) -> dict[tuple[str, int], float]:
        counted = [sum(word not in STOP_WORDS for word in text.body) for text in self.texts]
        in_title = [sum(word not in STOP_WORDS for word in text.title) for text in self.texts]
        lengths = [body + self.title_weight * title for body, title in zip(counted, in_title, strict=True)]
        average = sum(lengths) / len(self.texts) or 1.0
        demanded = [
            phrase for condition in conditions if not condition.is_excluded for phrase in condition.alternatives
        ]
        written = Counter(itertools.chain(query, *demanded))
        terms = list(self.terms(query, demanded).items())
        words = sum(word in query for word, _ in terms)
        share = {"any": 0, "all": 100}[match] if match in ("any", "all") else int(match.removesuffix("%"))
        # With match "any" and a demanded word, no other word is required.
        required = 0 if words == 0 or (match == "any" and demanded) else max(1, -(-words * share // 100))
        weights = []
        for word, these in terms:
            common = max(map(self.document_frequency, these))
            count = len(self.texts)
            weights.append(written[word] * math.log(1 + (count - common + 0.5) / (common + 0.5)))
        hits = {}
        for text, length in zip(self.texts, lengths, strict=True):
            score, matched = 0.0, 0
            for (word, these), weight in zip(terms, weights, strict=True):
                frequency = sum(
                    places(phrase, text.body) + self.title_weight * places(phrase, text.title) for phrase in these
                )
                if frequency > 0:
                    saturation = self.k1 * (1 - self.b + self.b * length / average)
                    score += weight * frequency / (frequency + saturation)
                    matched += word in query
            is_met = all(condition.is_met(text) for condition in conditions)
            if score > 0 and matched >= required and is_met and category in (None, text.category):
                hits[text.external_id, text.chunk_index] = score
        return hits


def check(rows: list[tuple[str, int, float]], expected: dict[tuple[str, int], float], limit: int | None = None) -> None:
    """Check that the rows are the best ones; rows that are equal except for rounding may replace each other."""
    best = sorted(expected.values(), reverse=True)[:limit]
    assert [score for _, _, score in rows] == [pytest.approx(score, abs=1e-9) for score in best]
    assert all(score == pytest.approx(expected[name, index], abs=1e-9) for name, index, score in rows)
    assert len({row[:2] for row in rows}) == len(rows)


# The first words are the most common.
VOCABULARY = [
    "bonn",
    "graz",
    "kyiv",
    "lima",
    "oslo",
    "riga",
    "rome",
    "bern",
    "cork",
    "nice",
]
words = st.sampled_from([*VOCABULARY[:6], *STOP_WORDS])
bodies = st.lists(words, max_size=10).map(tuple)
parts = st.lists(words, min_size=1, max_size=3).map(tuple)
phrases = parts.filter(lambda phrase: not set(phrase) <= set(STOP_WORDS))
conditions = st.one_of(
    st.builds(Condition, st.lists(parts, min_size=1, max_size=2)),
    st.builds(Condition, st.lists(parts, min_size=1, max_size=1), st.just(True)),
)


def create(db: Connection, name: str, k1: float, b: float, title_weight: float) -> None:
    db.execute(
        "select braid.create_collection(%s, text_config => 'english', ranking => %s)",
        (name, Jsonb({"k1": k1, "b": b, "title_weight": title_weight, "statistics_scope": "collection"})),
    )


def define(db: Connection, entries: dict[Words, list[Words]], collection: str) -> None:
    for word, synonyms in entries.items():
        db.execute(
            "select braid.set_synonyms(%s, %s::text[], %s)",
            (" ".join(word), [" ".join(synonym) for synonym in synonyms], collection),
        )


@given(
    documents=st.lists(
        st.tuples(bodies, st.lists(bodies, min_size=1, max_size=2)),
        min_size=1,
        max_size=12,
    ),
    gone=st.sets(st.integers(0, 11), max_size=4),
    entries=st.dictionaries(phrases, st.lists(phrases, min_size=1, max_size=3), min_size=1, max_size=3),
    asked=st.lists(
        st.tuples(
            st.lists(parts, min_size=1, max_size=3),
            st.sampled_from(["any", "all", "60%"]),
            st.lists(conditions, max_size=2),
        ),
        min_size=4,
        max_size=4,
    ),
    settings_=st.tuples(
        st.sampled_from([0.0, 1.2]),
        st.sampled_from([0.0, 0.75]),
        st.sampled_from([0.0, 1.0, 2.5]),
    ),
)
@settings(
    max_examples=16,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_any_phrases_in_any_texts(
    shared_db: Connection,
    documents: list[tuple[Words, list[Words]]],
    gone: set[int],
    entries: dict[Words, list[Words]],
    asked: list[tuple[list[Words], str, list[Condition]]],
    settings_: tuple[float, float, float],
) -> None:
    name = f"c{next(NUMBERS)}"
    create(shared_db, name, *settings_)
    define(shared_db, entries, name)
    texts = []
    for number, (title, chunks) in enumerate(documents):
        # A document without words would have no chunk.
        written = [chunk or ("nice",) for chunk in chunks]
        upsert(
            shared_db,
            [
                {
                    "external_id": f"d{number:02}",
                    "title": " ".join(title) or None,
                    "chunks": [{"content": " ".join(chunk)} for chunk in written],
                }
            ],
            name,
        )
        if number in gone:
            shared_db.execute("select braid.delete_document(%s, %s)", (f"d{number:02}", name))
        else:
            texts += [Text(f"d{number:02}", index, title, chunk) for index, chunk in enumerate(written)]
    if not texts:
        return
    model = Model(texts, entries, *settings_)
    for plain, match, demands in asked:
        query = tuple(word for part in plain for word in part)
        query_text = " ".join([*query, *(condition.written() for condition in demands)])
        rows = full_text(shared_db, query_text, match=match, collection=name)
        check(rows, model.search(query, match, conditions=demands))
    shared_db.execute("select braid.drop_collection(%s)", (name,))


def test_the_best_of_many_in_several_segments(db: Connection) -> None:
    """The best of many texts are found in several segments, with lists long enough to be added as blocks, and after
    deletes, merges and changes of settings."""
    rng = random.Random(5)
    vocabulary = [*VOCABULARY, *STOP_WORDS]
    weights = [1 / (rank + 1) for rank in range(len(VOCABULARY))] + [0.3, 0.1]

    def some(longest: int) -> Words:
        return tuple(rng.choices(vocabulary, weights, k=rng.randint(1, longest)))

    create(db, "many", 1.2, 0.75, 1.0)
    texts: dict[str, list[Text]] = {}
    number = 0
    for size in (1000, 300, 90, 8):
        batch = []
        for _ in range(size):
            name, title = f"d{number:04}", some(3) if rng.random() < 0.2 else ()
            category = rng.choice(["often"] * 30 + ["seldom"])
            texts[name] = [Text(name, index, title, some(25), category) for index in range(rng.choice([1, 1, 2]))]
            batch.append(
                {
                    "external_id": name,
                    "title": " ".join(title) or None,
                    "category": category,
                    "chunks": [{"content": " ".join(text.body)} for text in texts[name]],
                }
            )
            number += 1
        upsert(db, batch, "many")
    for name in rng.sample(sorted(texts), 70):
        db.execute("select braid.delete_document(%s, 'many')", (name,))
        del texts[name]
    assert db.execute("select count(*) > 5 from braid_store.postings where blocks is not null").fetchone() == (True,)
    entries: dict[Words, list[Words]] = {
        ("nice",): [("bonn", "graz"), ("cork",)],
        ("cork", "nice"): [("bonn", "graz", "kyiv"), ("riga",)],
        ("lima", "oslo"): [("bonn", "bonn"), ("lima", "rome")],
        ("bern",): [("graz", "bonn"), ("bonn", "kyiv"), ("kyiv", "bonn", "bonn")],
        ("unknown",): [("rome", "riga"), ("graz", "kyiv")],
        ("seldom",): [("bonn", "of")],
    }
    define(db, entries, "many")
    model = Model([text for these in texts.values() for text in these], entries, 1.2, 0.75, 1.0)
    queries: list[Words] = [
        ("nice",),
        ("cork", "nice"),
        ("lima", "oslo"),
        ("bern",),
        ("unknown",),
    ]
    demands = [
        [Condition([("lima", "of")])],
        [Condition([("of",), ("graz", "the")])],
        [Condition([("of", "lima")], True)],
        [Condition([("of",)], True), Condition([("graz",)])],
    ]
    for title_weight in (1.0, 3.0, 0.0):
        if title_weight != 1:
            db.execute(
                "select braid.set_ranking('many', jsonb_build_object('title_weight', %s::float8))", (title_weight,)
            )
            model.title_weight = title_weight
        for query in [
            *queries,
            *(tuple(rng.sample([*VOCABULARY, "unknown"], rng.randint(1, 5))) for _ in range(6)),
        ]:
            match, limit = (
                rng.choice(["any", "any", "all", "60%"]),
                rng.choice([1, 10, 40, 5000]),
            )
            said = rng.choice([None, None, "often", "seldom"])
            filters = None if said is None else Jsonb({"category": said})
            rows = full_text(
                db,
                " ".join(query),
                match=match,
                match_count=limit,
                filters=filters,
                collection="many",
            )
            check(rows, model.search(query, match, said), limit)
        for query, conditions in itertools.product([("seldom",), ("seldom", "bern")], demands):
            written = " ".join([*query, *(condition.written() for condition in conditions)])
            rows = full_text(db, written, match_count=limit, collection="many")
            check(rows, model.search(query, "any", conditions=conditions), limit)
        if title_weight == 1:
            db.execute("select braid.maintain()")
