"""A correction is the closest lexeme of the tenant's vocabulary, by comparison with every lexeme."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.calls import set_tenant, upsert
from support.roles import definer_role

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
LETTERS = re.compile("[a-zß-öø-ɏ]+|[\u0400-\u052f]+")


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


def expected(word: str, frequencies: dict[str, int]) -> str | None:
    if not LETTERS.fullmatch(word) or not 3 <= len(word) <= 64:
        return None
    limit = 1 if len(word) < 5 else 2
    found = [
        (distance(word, lexeme), -frequency, lexeme)
        for lexeme, frequency in frequencies.items()
        if LETTERS.fullmatch(lexeme) and abs(len(word) - len(lexeme)) <= limit
    ]
    edits, _, lexeme = min(found, default=(limit + 1, 0, ""))
    return lexeme if edits <= limit else None


def closest(db: Connection, word: str, collection: str = "words") -> str | None:
    row = db.execute(
        "select braid_store.closest_lexeme(braid.current_tenant_id(), "
        "(select id from braid_store.collections where name = %s), %s)",
        (collection, word),
    ).fetchone()
    assert row is not None
    found: str | None = row[0]
    return found


def vocabulary() -> list[str]:
    """Return many similar words, and lexemes that are not words."""
    random_ = random.Random(11)
    words = {"".join(random_.choices("abcd", k=random_.randint(1, 9))) for _ in range(500)}
    words |= {"".join(random_.choices("aбвг", k=random_.randint(2, 7))) for _ in range(60)}
    words |= {"".join(random_.choices("abé", k=random_.randint(3, 6))) for _ in range(40)}
    return [*sorted(words), "abc1", "abcd-1", "a.bcd", "abab@cd", "12345", "京都", "abcde京都", "aaaaaaaaa"]


@pytest.fixture
def frequencies(db: Connection) -> dict[str, int]:
    """Return the document frequency of each lexeme of the collection `words`, after deletes, in several segments."""
    random_ = random.Random(12)
    db.execute(
        "select braid.create_collection('words', text_config => 'simple', settings => '{\"fold_diacritics\": false}')"
    )
    words = vocabulary()
    texts = {f"d{number}": random_.sample(words, 25) for number in range(60)}
    items = list(texts.items())
    for start in range(0, 60, 10):
        batch = [{"external_id": id_, "content": " ".join(content)} for id_, content in items[start : start + 10]]
        upsert(db, batch, "words")
    for id_ in [id_ for number, (id_, _) in enumerate(items) if number % 4 == 0]:
        db.execute("select braid.delete_document(%s, 'words')", (id_,))
        del texts[id_]
    # These are the compounds' lexemes that consist of letters.
    parts = {"abc1": ["abc"], "abcd-1": ["abcd"], "a.bcd": ["bcd"], "abab@cd": ["abab"], "abcde京都": ["abcde"]}
    counts: Counter[str] = Counter()
    for content in texts.values():
        counts.update({lexeme for word in content for lexeme in [word, *parts.get(word, [])]})
    return dict(counts)


def test_the_closest_of_all(db: Connection, frequencies: dict[str, int]) -> None:
    near = st.sampled_from(vocabulary()).flatmap(
        lambda word: st.builds(
            lambda cuts, middle: word[: min(cuts)] + middle + word[max(cuts) :],
            st.lists(st.integers(0, len(word)), min_size=2, max_size=2),
            st.text("abcdéбx", max_size=3),
        )
    )
    found = []

    @settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(word=st.one_of(near, st.text("abcd", max_size=10), st.text("абвг", max_size=7)))
    def check(word: str) -> None:
        found.append(closest(db, word))
        assert found[-1] == expected(word, frequencies)

    check()
    assert len(set(found)) > 50
    for word in vocabulary():
        if LETTERS.fullmatch(word) and len(word) >= 3 and word not in frequencies:
            assert closest(db, word) == expected(word, frequencies) != word


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("databse", "database"),  # one letter is missing
        ("dattabase", "database"),  # one letter is added
        ("detabase", "database"),  # one letter is wrong
        ("adtabase", "database"),  # two letters are exchanged
        ("databaes", "database"),
        ("tdaabase", "database"),  # two pairs are exchanged at the beginning
        ("xyatabase", "database"),
        ("tabase", "database"),
        ("databa", "database"),
        ("dxtxbxse", None),
        ("riverr", "river"),
        ("rvie", None),  # two edits are too many for four letters
        ("rive", "river"),
        ("cab", "car"),  # "car" is more frequent than "cap"
        ("ca", None),
        ("c", None),
        ("", None),
        ("databa5e", None),
        ("17.2.2", None),
        ("ora00943", None),
        ("=thee", None),
        ("thw", "the"),
        ("京東", None),
        ("база", "базар"),
        ("databasе", None),  # the last letter is Cyrillic
        ("x" * 10_000, None),
    ],
)
def test_examples(db: Connection, word: str, meant: str | None) -> None:
    db.execute("select braid.create_collection('words', text_config => 'simple')")
    upsert(
        db,
        [
            {"external_id": "1", "content": "database river the 17.2.1 ORA-00942 京都 базар car"},
            {"external_id": "2", "content": "car"},
            {"external_id": "3", "content": "cap", "title": "cap cap cap"},
        ],
        "words",
    )
    db.execute("select braid.create_collection('other', text_config => 'simple')")
    upsert(db, [{"external_id": "1", "content": "databsex thw rvie dxtxbxs"}], "other")
    assert closest(db, word) == meant


def test_stop_words_and_stems(db: Connection) -> None:
    upsert(db, [{"external_id": "1", "content": "the companies"}])
    assert closest(db, "thw", "default") is None
    assert closest(db, "compnai", "default") == "compani"


def test_another_tenants_words_are_never_offered(
    db: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    db.execute("select braid.create_tenant('other')")
    upsert(db, [{"external_id": "1", "content": "river zebras"}])
    set_tenant(db, "other")
    upsert(db, [{"external_id": str(number), "content": "rivers zebrafish"} for number in range(5)])
    assert closest(db, "zebrafsh", "default") == "zebrafish"
    set_tenant(db, "default")
    assert closest(db, "zebrafsh", "default") is None
    # Even with the other tenant's id and the rights of the functions that search, no word is offered.
    row = db.execute("select id from braid_store.tenants where key = 'other'").fetchone()
    assert row is not None
    login = make_login("reader", "braid_reader", definer_role(db))
    db.execute("select braid.add_tenant_member('default', %s)", (login,))
    reader = connect_as(login)
    assert closest(reader, "rivr", "default") == "river"
    query = "select braid_store.closest_lexeme(%s, (select id from braid_store.collections where name = 'default'), %s)"
    assert reader.execute(query, (row[0], "zebrafsh")).fetchone() == (None,)


def test_deleted_words_are_not_offered(db: Connection) -> None:
    upsert(db, [{"external_id": "1", "content": "zebrafish"}, {"external_id": "2", "content": "zebrafink river"}])
    assert closest(db, "zebrafishh", "default") == "zebrafish"
    db.execute("select braid.delete_document('1')")
    # No candidate is left, neither one edit away nor two edits away.
    assert closest(db, "zebrafishh", "default") is None
    assert closest(db, "zebrafinkk", "default") == "zebrafink"
    db.execute("select braid.clear_collection()")
    assert closest(db, "zebrafinkk", "default") is None
