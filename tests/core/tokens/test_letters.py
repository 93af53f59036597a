"""Letters that a reader takes for the same are equal: each form of a word finds the others, and is marked as
written."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import psycopg
import pytest

from support.calls import upsert

Connection = psycopg.Connection[Any]
CONFIGS = ("simple", "english", "arabic")

# Each line has forms of one word.
WORDS: list[list[str]] = [
    ["كتاب", "کتاب", "ڪتاب", "كتـــاب", "ﻛﺘﺎﺏ", "کتا\u200dب"],
    ["علي", "علی", "على", "علے"],
    ["بيت", "بیت"],
    ["هذا", "ہذا", "ھذا", "ەذا", "هٰذا"],
    ["مكتبة", "مکتبۃ", "مكتبۃ"],
    ["خانه", "خانۂ", "خانۀ", "خانہ"],
    ["ٱلبيت", "البيت", "الْبَيْت", "ﺍﻟﺒﻴﺖ"],
    ["سلام", "سﻼم"],
    ["میخواهم", "می\u200cخواهم", "ميخواهم"],
    ["١٢٣٤", "۱۲۳۴", "1234", "१२३४", "১২৩৪", "૧૨૩૪", "௧௨௩௪", "౧౨౩౪", "೧೨೩೪", "൧൨൩൪", "੧੨੩੪", "１２３４"],
    ["١٢٫٥", "۱۲٫۵", "12.5"],
    ["١٬٢٣٤٬٥٦٧", "1,234,567", "1234567"],
    ["п'ять", "п’ять", "пʼять", "п‘ять", "пʾять", "пꞌять"],
    ["Hawaiʻi", "Hawai'i", "Hawai’i", "Hawai‘i"],
    ["Qurʾan", "Qur'an", "Qurʼan"],
    ["צ׳כיה", "צ'כיה"],
    ["צה״ל", "צהל"],
    ["שָׁלוֹם", "שלום", "שׁלום"],
    ["בית־ספר", "בית-ספר", "ביתספר"],
    ["ﬁle", "file", "ｆｉｌｅ"],
    ["ｶﾞｷﾞ", "ガギ"],
    ["λόγος", "ΛΟΓΟΣ", "λόγοσ", "λογος"],
    ["straße", "STRAẞE"],
    ["İzmir", "izmir", "IZMIR", "ızmır"],
    ["café", "cafe\u0301", "CAFÉ", "cafe"],
    ["Việt", "Vie\u0323\u0302t", "Viet"],
    ["Þórdal", "Thordal"],
    ["co\u00adoperate", "cooperate"],
    ["क़लम", "क\u093cलम", "कलम"],
    ["한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"],
    ["H₂O", "H2O"],
    ["ёлка", "е\u0308лка", "елка"],
]
# Unicode does not fold these words, and no reader confuses them.
APART = [("pope", "роре"), ("تاب", "باب"), ("كتاب", "كتب"), ("pan", "pin")]


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    for config in CONFIGS:
        name = f"letters_{config}"
        shared_db.execute("select braid.create_collection(%s, text_config => %s)", (name, config))
        words = [
            {"external_id": f"{place}/{form}", "content": f"aaa {word}, bbb"}
            for place, forms in enumerate(WORDS)
            for form, word in enumerate(forms)
        ]
        upsert(shared_db, words, name)
    return shared_db


@pytest.mark.parametrize("config", CONFIGS)
def test_each_form_of_a_word_finds_the_others(filled: Connection, config: str) -> None:
    missing = {}
    for place, forms in enumerate(WORDS):
        for word in forms:
            rows = filled.execute(
                "select external_id from braid.full_text_search(%s, 100, collection => %s)",
                (f'+"{word}"', f"letters_{config}"),
            ).fetchall()
            found = {row[0] for row in rows}
            # English stems can depend on marks, so marks are removed after stemming.
            if not found >= {f"{place}/{form}" for form in range(len(forms))}:
                missing[word] = found
    assert missing == {}


@pytest.mark.parametrize("config", CONFIGS)
def test_each_form_is_marked_as_it_was_written(filled: Connection, config: str) -> None:
    for forms in WORDS:
        for word in forms:
            ((found,),) = filled.execute(
                "select jsonb_object_agg(content, snippet) from braid.full_text_search(%s, 100, collection => %s,"
                """ options => '{"snippet": {"start_tag": "[", "stop_tag": "]"}}')""",
                (word, f"letters_{config}"),
            ).fetchall()
            for form in forms:
                text = f"aaa {form}, bbb"
                found[text] = unescape(found[text])
                assert re.sub(r"[\[\]]", "", found[text]) == text
                assert found[text] == f"aaa [{form}], bbb", (word, form)


def test_the_index_of_these_letters_is_right(filled: Connection) -> None:
    for config in CONFIGS:
        assert filled.execute("select * from braid.check_index(%s)", (f"letters_{config}",)).fetchall() == []


def test_other_letters_stay_apart(filled: Connection) -> None:
    for config in CONFIGS:
        for pair in APART:
            rows = filled.execute(
                "select lexeme, count(distinct text_number) from braid_store.tokenize(%s, %s, true) group by 1",
                (list(pair), config),
            ).fetchall()
            assert all(count == 1 for _, count in rows), pair


def notes(db: Connection) -> int:
    return int(db.execute("select count(*) from braid_store.due_parts where task = 'rebuild_index'").fetchall()[0][0])


def as_before_the_upgrade(db: Connection) -> None:
    """Write the lexemes as an earlier version did, and note an index rebuild as due, as a migration does."""
    db.execute("update braid_store.forward_rows set lexemes = replace(lexemes, 'كتاب', 'کتاب')")
    db.execute("update braid_store.postings_a set lexeme = 'کتاب' where lexeme = 'كتاب'")
    db.execute(
        "insert into braid_store.due_parts (tenant_id, collection_id, task)"
        " select distinct tenant_id, collection_id, 'rebuild_index' from braid_store.postings where lexeme = 'کتاب'"
    )


def search(db: Connection, query: str) -> list[str]:
    return [row[0] for row in db.execute("select external_id from braid.full_text_search(%s)", (query,)).fetchall()]


def test_maintenance_indexes_anew_what_an_earlier_version_wrote(db: Connection) -> None:
    upsert(db, [{"external_id": "fa", "content": "کتاب"}])
    as_before_the_upgrade(db)
    assert (notes(db), search(db, "كتاب")) == (1, [])
    assert db.execute("select * from braid.check_index()").fetchall() == []
    assert "index_outdated" in {row[1] for row in db.execute("select * from braid.health()").fetchall()}
    db.execute("select braid.maintain()")
    assert (notes(db), search(db, "كتاب"), search(db, "کتاب")) == (0, ["fa"], ["fa"])
    assert db.execute("select * from braid.check_index()").fetchall() == []
    assert "index_outdated" not in {row[1] for row in db.execute("select * from braid.health()").fetchall()}


def test_a_large_part_is_named_and_left_to_rebuild_index(db: Connection) -> None:
    upsert(db, [{"external_id": "fa", "chunks": [{"content": "کتاب"}] * 1001}])
    as_before_the_upgrade(db)
    db.execute('select braid.set_indexed_attributes(\'{"year": "number"}\')')
    for _ in range(3):
        db.execute("select braid.maintain()")
    assert notes(db) == 1
    # The rebuild hinders no other work.
    assert db.execute("select count(*) from braid_store.due_collections").fetchall() == [(0,)]
    ((command,),) = db.execute("select command from braid.health() where code = 'index_outdated'").fetchall()
    db.execute(command)
    assert (notes(db), search(db, "كتاب")[:1]) == (0, ["fa"])
    assert db.execute("select * from braid.check_index()").fetchall() == []
