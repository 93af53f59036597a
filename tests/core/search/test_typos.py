"""With typos auto, a misspelt word finds the words at one or two edits, by comparison with every word in Python."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from support.calls import set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя")


def distance(a: str, b: str) -> int:
    """Return the optimal string alignment distance."""
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def is_at_start(word: str, other: str) -> bool:
    """Tell whether one edit at the first letter makes one word of the other."""
    tails = {(word[1:], other[1:]), (word, other[1:]), (word[1:], other)}
    return any(a == b for a, b in tails) or (word[1::-1] == other[:2] and word[2:] == other[2:])


def expected(word: str, frequencies: dict[str, int], two_edits_from: int = 8) -> set[str]:
    """Return the words that a word of no text finds."""
    if not any(set(word) <= set(letters) for letters in ALPHABETS) or len(word) < 4:
        return set()
    near = {other: distance(word, other) for other in frequencies}
    once = {other for other, edits in near.items() if edits == 1}
    kept = {other for other in once if other[0] == word[0]}
    has_two = len(word) >= two_edits_from
    twice = {o for o, edits in near.items() if edits == 2 and o[0] == word[0] and len(o) >= 4 and has_two}
    begun = {
        other: min((distance(word[:-rest], other), rest) for rest in (1, 2, 3))
        for other in frequencies
        if other[0] == word[0] and len(other) >= 4 and has_two
    }
    nearest = min((2, 0), *begun.values())
    begun_so = {other for other, difference in begun.items() if difference == nearest}
    found = kept or {other for other in once if is_at_start(word, other)} or twice or begun_so
    order = sorted(found, key=lambda other: (not other.startswith(word), -frequencies[other], other))
    return set(order[:3])


def search(
    db: Connection, query: str, collection: str = "words", options: Any = None, **arguments: Any
) -> dict[str, Any]:
    row = db.execute(
        "select braid.search_json(%s, collection => %s, match => %s, filters => %s, options => %s)",
        (
            query,
            collection,
            arguments.get("match", "any"),
            Jsonb(arguments["filters"]) if "filters" in arguments else None,
            Jsonb({"typos": "auto"} if options is None else options),
        ),
    ).fetchone()
    assert row is not None
    answer: dict[str, Any] = row[0]
    return answer


def found(answer: dict[str, Any]) -> list[str]:
    return [row["external_id"] for row in answer["results"]]


def vocabulary() -> list[str]:
    """Return many similar words."""
    random_ = random.Random(11)
    words = {"".join(random_.choices("abcd", k=random_.randint(3, 10))) for _ in range(400)}
    words |= {"".join(random_.choices("абвг", k=random_.randint(4, 8))) for _ in range(60)}
    return sorted(words)


@pytest.fixture
def frequencies(db: Connection) -> dict[str, int]:
    """Return the document frequency of each word of the collection `words`, after deletes, in several segments."""
    random_ = random.Random(12)
    db.execute("select braid.create_collection('words', text_config => 'simple')")
    texts = {f"d{number}": random_.sample(vocabulary(), 25) for number in range(60)}
    items = list(texts.items())
    for start in range(0, 60, 10):
        batch = [{"external_id": id_, "content": " ".join(content)} for id_, content in items[start : start + 10]]
        upsert(db, batch, "words")
    for id_ in [id_ for number, (id_, _) in enumerate(items) if number % 4 == 0]:
        db.execute("select braid.delete_document(%s, 'words')", (id_,))
        del texts[id_]
    counts: dict[str, int] = {}
    for content in texts.values():
        for word in content:
            counts[word] = counts.get(word, 0) + 1
    return counts


def test_many_words_begin_alike(db: Connection) -> None:
    """Near words are found, whether they come first or last among thousands with the same two letters."""
    db.execute("select braid.create_collection('words', text_config => 'simple')")
    words = ["st" + "".join(letters) for letters in itertools.product("abcdefghijklmno", repeat=3)]
    upsert(db, [{"external_id": "1", "content": " ".join(words)}], "words")
    for word, near in (("stabcq", "stabc"), ("stoooq", "stooo"), ("tsooo", "stooo"), ("sqtooo", "stooo")):
        assert near in expected(word, dict.fromkeys(words, 1))
        assert set(search(db, word)["stats"]["terms"]) == expected(word, dict.fromkeys(words, 1))


def test_the_nearest_of_all(db: Connection, frequencies: dict[str, int]) -> None:
    near = st.sampled_from(vocabulary()).flatmap(
        lambda word: st.builds(
            lambda cuts, middle: word[: min(cuts)] + middle + word[max(cuts) :],
            st.lists(st.integers(0, len(word)), min_size=2, max_size=2),
            st.text("abcdбx", max_size=3),
        )
    )
    seen = []
    other = min(frequencies)

    @settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        word=st.one_of(near, st.text("abcd", min_size=1, max_size=10), st.text("абвг", min_size=1, max_size=8)),
        is_beside=st.booleans(),
    )
    def check(word: str, is_beside: bool) -> None:
        assume(word)
        terms = set(search(db, f"{word} {other}" if is_beside else word)["stats"]["terms"])
        seen.append(frozenset(terms))
        meant = {word} if word in frequencies else expected(word, frequencies, 4 if is_beside else 8)
        assert terms == (meant | {other} if is_beside else meant)

    check()
    assert len(set(seen)) > 10


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("databse", {"database"}),  # one letter is missing
        ("dattabase", {"database"}),  # one letter is added
        ("detabase", {"database"}),  # one letter is wrong
        ("databaes", {"database"}),  # two letters are exchanged
        ("dtaabsae", {"database"}),  # two edits, from eight letters on
        ("atabase", {"database"}),  # nothing begins with the same letter
        ("dxtxbxse", set()),
        ("rvie", set()),  # two edits are too many for four letters
        ("rvie car", {"river", "car"}),  # unless another word tells what is meant
        ("rvie boat", set()),  # which texts have
        ("riv", set()),
        ("rive", {"river"}),
        ("databa5e", set()),
        ("17.2.2", {"17", "17.2"}),
        ("ORA-00943", {"ora"}),
        ("DATABSE river", {"river"}),  # capitals beside other words are an acronym
        ("DATABSE", {"database"}),
        ("база", {"базар"}),
        ("databasе", set()),  # the last letter is Cyrillic
        ("+databse", set()),
        ('"databse"', set()),
        ("data*", {"data*"}),
        ("river -databse", {"river"}),
        ("databse database", {"database"}),
        ("x" * 10_000, set()),
    ],
)
def test_examples(db: Connection, query: str, terms: set[str]) -> None:
    db.execute("select braid.create_collection('words', text_config => 'simple')")
    upsert(db, [{"external_id": "1", "content": "database river the 17.2.1 ORA-00942 京都 базар car"}], "words")
    db.execute("select braid.create_collection('other', text_config => 'simple')")
    upsert(db, [{"external_id": "1", "content": "databsex rvie dxtxbxs"}], "other")
    assert set(search(db, query)["stats"]["terms"]) == terms


def test_it_is_off_unless_asked_for(db: Connection) -> None:
    upsert(db, [{"external_id": "1", "content": "the companies object"}])
    assert found(search(db, "compnai", "default", {})) == []
    assert found(search(db, "compnai", "default")) == ["1"]
    assert found(search(db, "compnai", "default", {"ranking": {"typos": "auto"}})) == ["1"]
    db.execute("select braid.set_ranking('default', '{\"typos\": \"auto\"}')")
    assert found(search(db, "compnai", "default", {})) == ["1"]
    assert found(search(db, "compnai", "default", {"typos": "off"})) == []
    assert found(search(db, "compnai objctn", "default", {}, match="all")) == []
    db.execute("select braid.create_collection('products', ranking => '{\"preset\": \"code\"}')")
    row = db.execute("select typos from braid.collections where name = 'products'").fetchone()
    assert row == ("auto",)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="typos"):
        db.execute("select braid.set_ranking('default', '{\"typos\": \"on\"}')")


def test_stems_stop_words_and_languages(db: Connection) -> None:
    upsert(db, [{"external_id": "1", "content": "their objections were accommodated constitutionally, ordinary"}])
    for query, term in (
        ("objectoin", "object"),  # the edit is in the ending
        ("objectional", "object"),
        ("thier", None),  # this is a stop word
        ("cnstitutionla", "constitut"),
        ("objectixnq", "object"),  # both edits are in the ending
    ):
        assert search(db, query, "default")["stats"]["terms"] == ([term] if term else []), query
    # The stem ends in a letter that the word does not have.
    assert search(db, "objections ornnary", "default")["stats"]["terms"] == ["object", "ordinari"]
    db.execute("select braid.create_collection('german', text_config => 'german')")
    upsert(db, [{"external_id": "1", "content": "Die Verträge der Kündigungen"}], "german")
    assert found(search(db, "Kündigugn", "german")) == ["1"]
    assert found(search(db, "vertrage", "german")) == found(search(db, "Vertärge", "german")) == ["1"]


def test_scores_are_those_of_the_words_meant_with_less_weight(db: Connection) -> None:
    texts = [("price river", "a"), ("price price seat", "b"), ("river seat", "c"), ("offer", "d")]
    upsert(db, [{"external_id": id_, "content": text, "category": "x" if id_ < "d" else "y"} for text, id_ in texts])
    arguments: list[dict[str, Any]] = [{}, {"filters": {"category": "x"}}]
    for extra in arguments:
        meant = search(db, "price", "default", {"explain": True}, **extra)
        typo = search(db, "priec", "default", {"explain": True, "typos": "auto"}, **extra)
        assert found(typo) == found(meant)
        for row, other in zip(typo["results"], meant["results"], strict=True):
            assert math.isclose(row["score"], 0.9 * other["score"], rel_tol=1e-12)
    row = db.execute("select braid.explain_search('priec seat', options => '{\"typos\": \"auto\"}')").fetchone()
    assert row is not None
    assert row[0]["query"]["corrections"] == [
        {"word": "priec", "correction": "price", "lexeme": "price", "edits": 1, "applied": True}
    ]
    (warning,) = row[0]["warnings"]
    assert warning == {"code": "did_you_mean", "message": 'Searched for "price" beside "priec".'}
    db.execute("select braid.set_ranking('default', '{\"typos\": \"auto\"}')")
    rows = db.execute("select chunk_id, score from braid.full_text_search('priec seat')").fetchall()
    sums = db.execute(
        "select chunk_id, sum(contribution) from braid.explain_score('priec seat', %s) group by 1",
        ([chunk_id for chunk_id, _ in rows],),
    ).fetchall()
    assert dict(sums) == pytest.approx(dict(rows))


def test_snippets_facets_pages_and_several_searches(db: Connection) -> None:
    upsert(db, [{"external_id": str(n), "content": f"a database of {n}", "category": str(n % 2)} for n in range(9)])
    row = db.execute(
        'select snippet from braid.full_text_search(\'databse\', options => \'{"typos": "auto", "snippet": true}\')'
    ).fetchone()
    assert row is not None and "<mark>database</mark>" in row[0]
    counts = db.execute(
        "select value #>> '{}', count from braid.facets('{category}', 'databse', options => '{\"typos\": \"auto\"}')"
    ).fetchall()
    assert dict(counts) == {"0": 5, "1": 4}
    ids: list[str] = []
    cursor = ""
    while cursor is not None:
        rows = db.execute(
            "select external_id, cursor from braid.full_text_search('databse', 4, options => %s)",
            (Jsonb({"typos": "auto", "cursor": cursor}),),
        ).fetchall()
        ids += [id_ for id_, _ in rows]
        cursor = rows[-1][1]
    assert sorted(ids) == [str(n) for n in range(9)]
    several = db.execute(
        "select jsonb_array_length(braid.multi_search(%s, options => %s) -> 'results')",
        (Jsonb([{"text": "databse"}]), Jsonb({"typos": "auto"})),
    ).fetchone()
    assert several == (9,)


def test_other_tenants_words_and_deleted_words_are_never_found(db: Connection) -> None:
    upsert(db, [{"external_id": "1", "content": "river"}, {"external_id": "2", "content": "zebrafink"}])
    db.execute("select braid.create_tenant('other')")
    set_tenant(db, "other")
    upsert(db, [{"external_id": "1", "content": "zebrafish"}])
    assert found(search(db, "zebrafsh", "default")) == ["1"]
    assert search(db, "rivre", "default")["stats"]["corrections"] == []
    set_tenant(db, "default")
    assert search(db, "zebrafsh", "default")["stats"]["terms"] == []
    db.execute("select braid.delete_document('2')")
    assert search(db, "zebrafnk", "default")["stats"]["terms"] == []


def test_hardly_known_words_count_as_misspelt(db: Connection) -> None:
    """In 20,000 chunks, a word of one chunk also finds a word of a hundred."""
    for start in range(0, 20_000, 5000):
        upsert(db, [{"external_id": str(n), "content": f"{'price' if n < 100 else 'seat'}"} for n in
                    range(start, start + 5000)])  # fmt: skip
    upsert(db, [{"external_id": "typo", "content": "prcie"}])
    assert search(db, "prcie", "default")["stats"]["terms"] == ["prcie", "price"]
    upsert(db, [{"external_id": "twice", "content": "prcie"}])
    assert search(db, "prcie", "default")["stats"]["terms"] == ["prcie"]
