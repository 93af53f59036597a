"""A sparse encoder is a table of weights, which makes sparse terms of a query's words in the database."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as tried
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

import pgbraid
from support.calls import full_text, hybrid, one, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
WEIGHTS = {
    "harbour": 5.0, "har": 1.0, "##bour": 2.0, "##s": 0.25, "ship": 3.0, "the": 0.0, "cafe": 2.5, "##master": 1.5,
    "-": 0.5, "海": 4.0, "##海": 1.0, "a": 0.125, "##a": 0.0625, "b": 7.0, "##b": 6.0, "##ab": 9.0,
}  # fmt: skip


def word_piece(text: str) -> dict[str, float]:
    """Run BERT's uncased tokenizer as its authors wrote it, and return each term's weight."""
    text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    terms = {}
    for word in re.findall(r"[\u4e00-\u9fff]|[!-/:-@\[-`{-~]|[^\s!-/:-@\[-`{-~\u4e00-\u9fff]+", text):
        pieces, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in WEIGHTS:
                    pieces.append(piece)
                    start = end
                    break
            else:
                pieces = []
                break
        terms.update({piece: WEIGHTS[piece] for piece in pieces if WEIGHTS[piece]})
    return terms


@pytest.fixture
def encoded(db: Connection) -> Connection:
    db.execute(
        "select braid.create_collection('e', dimensions => 3, embedding_model => 'test',"
        " ranking => '{\"smoothing\": 0}')"
    )
    assert one(db, "select braid.set_sparse_encoder('tiny', %s)", Jsonb(WEIGHTS)) == len(WEIGHTS)
    upsert(
        db,
        [
            {"external_id": "port", "content": "Quay and crane", "sparse": {"harbour": 2, "ship": 1}},
            {"external_id": "boat", "content": "A ship", "sparse": {"ship": 2, "##s": 3}},
            {"external_id": "none", "content": "The harbour of nothing"},
        ],
        "e",
    )
    return db


def terms_of(db: Connection, text: str) -> dict[str, float]:
    explained = one(db, "select braid.explain_search(%s, collection => 'e')", text)
    return dict(explained["legs"]["sparse"]["terms"])


def test_a_collection_with_an_encoder_searches_by_text_alone(encoded: Connection) -> None:
    plain = hybrid(encoded, query_text="harbours", collection="e")
    assert [row[0] for row in plain] == ["none"]
    encoded.execute("select braid.set_ranking('e', '{\"sparse_encoder\": \"tiny\"}')")
    assert one(encoded, "select parts ->> 'sparse_encoder' from braid.collections where name = 'e'") == "tiny"
    assert terms_of(encoded, "Harbours") == {"harbour": 5, "##s": 0.25}
    rows = encoded.execute(
        "select external_id, sparse_score from braid.hybrid_search('Harbours', collection => 'e')"
        " order by sparse_score desc"
    ).fetchall()
    assert rows == [("port", 10.0), ("boat", 0.75), ("none", 0.0)]
    # Searches by one leg stay the same, and so does a search without a sparse leg.
    assert full_text(encoded, "harbours", collection="e") == plain
    assert hybrid(encoded, query_text="harbours", collection="e", options={"sparse": False}) == plain
    assert hybrid(encoded, query_text="harbours", collection="e", options={"ranking": {"sparse_weight": 0}}) == plain
    # Given terms replace the encoder's terms.
    given = encoded.execute(
        "select external_id from braid.hybrid_search('harbours', collection => 'e',"
        ' options => \'{"sparse": {"x": 1}}\')'
    ).fetchall()
    assert given == [("none",)]
    encoded.execute("select braid.set_ranking('e', '{\"sparse_encoder\": null}')")
    assert hybrid(encoded, query_text="harbours", collection="e") == plain


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@tried(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    "harbour",
                    "Harbour",
                    "HARBOURS",
                    "harbourmaster",
                    "the",
                    "café",
                    "Café",
                    "ships",
                    "-",
                    "海",
                    "x",
                    " ",
                    "  ",
                ]
            ),
            st.text("ab-s ", max_size=7),
        ),
        min_size=1,
        max_size=6,
    ).map("".join)
)
def test_words_are_cut_as_by_bert(shared_db: Connection, text: str) -> None:
    shared_db.execute("select braid.create_collection('e', dimensions => 3, embedding_model => 'test')")
    shared_db.execute("select braid.set_sparse_encoder('tiny', %s)", (Jsonb(WEIGHTS),))
    shared_db.execute("select braid.set_ranking('e', '{\"sparse_encoder\": \"tiny\"}')")
    if text:
        assert terms_of(shared_db, text) == word_piece(text)


def test_tables_come_in_pieces_and_go(encoded: Connection) -> None:
    vocabulary = {f"w{number}": number + 1.0 for number in range(30_000)}
    names = list(vocabulary)
    for first in range(0, 30_000, 10_000):
        piece = {name: vocabulary[name] for name in names[first : first + 10_000]}
        assert (
            one(encoded, "select braid.set_sparse_encoder('big', %s, append => true)", Jsonb(piece)) == first + 10_000
        )
    encoded.execute(
        "select braid.create_collection('big', dimensions => 3, embedding_model => 'test',"
        ' ranking => \'{"sparse_encoder": "big"}\')'
    )
    upsert(encoded, [{"external_id": "last", "content": "x", "sparse": {"w29999": 1}}], "big")
    found = encoded.execute(
        "select external_id, sparse_score from braid.hybrid_search('w29999 w1', collection => 'big')"
    )
    assert found.fetchall() == [("last", 30_000.0)]
    with pytest.raises(psycopg.Error) as caught:
        encoded.execute("select braid.set_sparse_encoder('big', null)")
    assert 'collection "big" uses' in str(caught.value) and caught.value.diag.message_hint
    # An encoder that is stored again has only the new terms.
    assert one(encoded, "select braid.set_sparse_encoder('big', '{\"x\": 1}')") == 1
    answer = one(encoded, "select braid.search_json('w29999', collection => 'big')")
    assert "no_sparse_terms" in {warning["code"] for warning in answer["warnings"]}
    encoded.execute("select braid.drop_collection('big')")
    assert one(encoded, "select braid.set_sparse_encoder('big', null)") == 0
    assert one(encoded, "select count(*) from braid_store.sparse_encoder_terms") == len(WEIGHTS)


@pytest.mark.parametrize("first", [0, 1])
def test_nobody_removes_what_another_is_about_to_name(encoded: Connection, dsn: str, first: int) -> None:
    calls = [
        "select braid.set_ranking('e', '{\"sparse_encoder\": \"tiny\"}')",
        "select braid.set_sparse_encoder('tiny', null)",
    ]
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute("set lock_timeout = '100ms'")
        with encoded.transaction():
            encoded.execute(calls[first])
            with pytest.raises(psycopg.errors.LockNotAvailable):
                other.execute(calls[1 - first])
        with pytest.raises(psycopg.Error, match=r'collection "e" uses|does not exist'):
            other.execute(calls[1 - first])


def test_long_texts_are_bounded(encoded: Connection) -> None:
    encoded.execute("select braid.set_ranking('e', '{\"sparse_encoder\": \"tiny\"}')")
    assert terms_of(encoded, "ship " + "x" * 5000 + " harbour") == {"ship": 3}
    assert terms_of(encoded, "a" * 101 + " ship") == {"ship": 3}


def test_only_administrators_define(encoded: Connection, make_login: Any, dsn: str) -> None:
    writer = make_login("writer", "braid_writer")
    with (
        psycopg.connect(dsn, user=writer, autocommit=True) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("select braid.set_sparse_encoder('tiny', '{}')")


def test_scores_do_not_depend_on_the_session(encoded: Connection) -> None:
    encoded.execute("select braid.set_sparse_encoder('tiny', '{\"ship\": 1.2345678}')")
    encoded.execute("select braid.set_ranking('e', '{\"sparse_encoder\": \"tiny\"}')")
    for digits in (-15, 0, 1, 3):
        encoded.execute(f"set extra_float_digits = {digits}")
        assert terms_of(encoded, "ship") == {"ship": 1.2345678}
        score = "select max(sparse_score) = 2 * 1.2345678::float8 from braid.hybrid_search('ship', collection => 'e')"
        assert one(encoded, score)


def test_long_terms_do_not_make_long_texts_slow(encoded: Connection) -> None:
    encoded.execute("select braid.set_ranking('e', '{\"sparse_encoder\": \"tiny\"}')")
    encoded.execute("select braid.set_sparse_encoder('tiny', %s, append => true)", (Jsonb({"ab" * 49 + "xy": 1}),))
    text = " ".join(("ab" * 45 + letter + "ab" * 4) for letter in "abcdefghijklmnopqrstuvwxyzäöüßéèêñõåøœæç")
    with encoded.transaction():
        read = "select idx_scan from pg_stat_xact_all_tables where relid = 'braid_store.sparse_encoder_terms'::regclass"
        before = one(encoded, read)
        hybrid(encoded, query_text=text, collection="e")
        assert one(encoded, read) - before < 10_000


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("braid.set_ranking('e', '{\"sparse_encoder\": \"none\"}')", 'sparse encoder "none" does not exist'),
        (
            "braid.create_collection('new', ranking => '{\"sparse_encoder\": \"none\"}')",
            'sparse encoder "none" does not exist',
        ),
        ("braid.set_sparse_encoder('', '{}')", "name is ''"),
        ("braid.set_sparse_encoder('e', '[]')", "weights is a JSON array"),
        ("braid.set_sparse_encoder('e', '{\"a\": -1}')", 'the weight of "a" is -1'),
        ("braid.set_sparse_encoder('e', '{\"\": 1}')", "a term of 0 bytes"),
    ],
)
def test_bad_calls(encoded: Connection, call: str, message: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        encoded.execute(f"select {call}")
    assert message in str(caught.value)
    assert caught.value.sqlstate in ("22023", "42704") and caught.value.diag.message_hint


def test_the_client_stores_an_encoder(encoded: Connection, dsn: str) -> None:
    with pgbraid.connect(dsn) as client:
        assert client.set_sparse_encoder("words", {"quay": 2, "ship": 1}) == 2
        client.set_ranking("e", {"sparse_encoder": "words"})
    assert terms_of(encoded, "quay") == {"quay": 2}


def test_it_is_no_setting_of_a_collection_but_of_its_ranking(db: Connection) -> None:
    for call in ("create_collection('c', settings => %s)", "set_collection('default', %s)"):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="settings has the unknown key") as caught:
            db.execute(f"select braid.{call}", (Jsonb({"sparse_encoder": 1}),))
        assert 'braid.set_ranking with {"sparse_encoder": ' in (caught.value.diag.message_hint or "")
