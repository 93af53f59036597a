"""A static embedder is a table of token vectors, by which the database embeds texts."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as tried
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from pgbraid.embedders.local import LocalEmbedder
from pgbraid_tools import static_embedder
from support import OtherSession
from support.calls import full_text, hybrid, one, set_tenant, upsert
from support.waiting import processor_limit, until

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]

TOKENS: dict[str, list[float]] = {
    "harbour": [1, 0.25, 0],
    "port": [1, 0.5, 0],
    "ship": [0.5, 0, 0.25],
    "##s": [0, 0, 0.25],
    "invoice": [0, 1, 0],
}
HERE = {"collection": "ports"}


def store(db: Connection, name: str = "tiny", tokens: dict[str, list[float]] = TOKENS, **arguments: Any) -> int:
    vectors = [str(vector) for vector in tokens.values()]
    given = "".join(f", {key} => %s" for key in arguments)
    count: int = one(
        db,
        f"select braid.set_static_embedder(%s, %s, %s::text[]::halfvec[]{given})",
        name,
        list(tokens),
        vectors,
        *arguments.values(),
    )
    return count


def create(
    db: Connection, name: str = "ports", model: str = "tiny", dimensions: int = 3, embedder: str = "tiny"
) -> None:
    db.execute(
        "select braid.create_collection(%s, embedding_model => %s, dimensions => %s, ranking => %s)",
        (name, model, dimensions, Jsonb({"static_embedder": embedder, "smoothing": 0})),
    )


@pytest.fixture
def tiny(db: Connection) -> Iterator[Connection]:
    """Yield a connection to a database with an embedder of few tokens, which all tenants share."""
    store(db)
    yield db
    for name in ("ports", "docs"):
        db.execute("select braid.drop_collection(%s)", (name,))
    db.execute("select braid.set_static_embedder('tiny', null, null)")


@pytest.fixture
def ports(tiny: Connection) -> Connection:
    create(tiny)
    return tiny


def test_a_new_collection_of_the_model_embeds_documents_and_queries(tiny: Connection) -> None:
    tiny.execute("select braid.create_collection('ports', embedding_model => 'tiny', dimensions => 3)")
    upsert(tiny, [{"external_id": "a", "content": "the harbour"}, {"external_id": "b", "content": "invoice"}], "ports")
    answer = one(tiny, "select braid.search_json('port', collection => 'ports')")
    assert answer["stats"]["query_embedding"] == "static" and answer["results"][0]["external_id"] == "a"
    settings = "select full_text_weight, semantic_weight, parts ->> 'static_embedder' from braid.collections"
    assert tiny.execute(f"{settings} where name = 'ports'").fetchone() == (0.8, 0.2, "tiny")
    # The same call again changes nothing; what the caller gives stays.
    tiny.execute("select braid.create_collection('ports', embedding_model => 'tiny', dimensions => 3)")
    given = Jsonb({"static_embedder": None, "semantic_weight": 0.5})
    tiny.execute(
        "select braid.create_collection('docs', embedding_model => 'tiny', dimensions => 3, ranking => %s)", (given,)
    )
    assert tiny.execute(f"{settings} where name = 'docs'").fetchone() == (0.6, 0.5, None)
    # Vectors of other dimensions are of another model.
    tiny.execute("select braid.drop_collection('docs')")
    tiny.execute("select braid.create_collection('docs', embedding_model => 'tiny', dimensions => 4)")
    assert tiny.execute(f"{settings} where name = 'docs'").fetchone() == (0.6, 0.4, None)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return LocalEmbedder()._parts[0]


@pytest.fixture(scope="module")
def vocabulary(tokenizer: Any) -> static_embedder.StaticEmbedder:
    """Return the model's vocabulary with random vectors of few dimensions, which tell tokens apart as well."""
    names = static_embedder.vocabulary(tokenizer)
    kept = [name for name in names[static_embedder.FIRST_TOKEN :] if not name.startswith("[unused")]
    vectors = np.random.default_rng(1).normal(size=(len(kept), 4)).astype(np.float16).astype(np.float32)
    return static_embedder.StaticEmbedder("words", None, kept, vectors, static_embedder.letters(tokenizer))


@pytest.fixture
def words(db: Connection, vocabulary: static_embedder.StaticEmbedder) -> Connection:
    if one(db, "select count(*) from braid.static_embedders() where name = 'words'") == 0:
        assert static_embedder.load(db, vocabulary) == len(vocabulary.tokens)
    return db


def embedded(db: Connection, text: str, embedder: str) -> list[float] | None:
    vector = one(db, "select braid.embed_text(%s, %s)::real[]", text, embedder)
    return None if vector is None else list(vector)


@pytest.fixture(scope="module")
def expected(tokenizer: Any, vocabulary: static_embedder.StaticEmbedder) -> Callable[[str], Any]:
    """Return a function that computes a text's vector from the tokens of the model's own tokenizer."""
    known = dict(zip(vocabulary.tokens, vocabulary.embeddings, strict=True))

    def vector(text: str) -> Any:
        found = [known[token] for token in tokenizer.encode(text, add_special_tokens=False).tokens if token != "[UNK]"]
        total = np.sum(found, axis=0, dtype=np.float64)
        return total / np.linalg.norm(total) if found else None

    return vector


# These are blocks of Latin with accents, Greek and Cyrillic, Hebrew to Thai, signs, and East Asian scripts.
SCRIPTS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30),
    st.text(st.characters(min_codepoint=0xC0, max_codepoint=0x24F), max_size=20),
    st.text(st.characters(min_codepoint=0x370, max_codepoint=0x52F), max_size=20),
    st.text(st.characters(min_codepoint=0x590, max_codepoint=0xE7F), max_size=20),
    st.text(st.characters(min_codepoint=0x1E00, max_codepoint=0x2BFF), max_size=20),
    st.text(st.characters(min_codepoint=0x3000, max_codepoint=0x9FFF), max_size=20),
    st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xFAFF, exclude_categories=["Cs"]), max_size=20),
    st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIÉÈÜß'-.,()[]{}!?@#_ \t\n\r\x0b\x7f0123456789", max_size=60),
    st.sampled_from(["İstanbul", "STRASSE ẞ", "naïve café", "東京 tower", "한국어 검색", "ﬁne Ǆ", "Ελληνικά ΣΊΣΥΦΟΣ"]),
    st.sampled_from(
        ["e\u0301tude", "x\u200by", "\ufffd", "a\u00adb", "\u2028z", "nonbreaking\u00a0space", "don't stop"]
    ),
    st.sampled_from(["C++", "unbelievableness", "\uf900", "𠀋𪛖", "ไทย", "हिन्दी", "عربى", "zzzzqqqxxxw"]),
)


@settings(max_examples=120, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@tried(st.lists(SCRIPTS, min_size=1, max_size=4).map(" ".join))
def test_words_are_split_as_the_models_tokenizer_splits_them(
    words: Connection, expected: Callable[[str], Any], text: str
) -> None:
    if any(special in text for special in ("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]")):
        return  # The tokenizer keeps these words whole; they have no vectors.
    # Python and PostgreSQL decompose the letters that both know. A letter of a newer Unicode may differ.
    text = "".join(letter for letter in text if unicodedata.category(letter) != "Cn")
    want = expected(text)
    found = embedded(words, text, "words")
    if want is None:
        assert found is None
    else:
        assert found is not None and np.allclose(found, want, atol=2e-6), text


def test_many_different_letters_take_no_longer(tiny: Connection) -> None:
    """33,000 ideographs took 3 seconds when each replaced its letter in the whole text."""
    letters = [chr(0x3400 + number) for number in range(20000)]
    known = {letters[0]: [1.0, 0.0, 0.0], letters[-1]: [0.0, 1.0, 0.0]}
    store(tiny, "ideographs", known, letters=Jsonb([[0x3400, 0x9FFF, None]]))
    with processor_limit(tiny, 1.5):
        found = embedded(tiny, "".join(letters) + "".join(letters[:13000]), "ideographs")
    assert found == pytest.approx([2 / 5**0.5, 1 / 5**0.5, 0])
    tiny.execute("select braid.set_static_embedder('ideographs', null, null)")


def test_a_long_word_and_an_unknown_word_count_for_nothing(words: Connection) -> None:
    assert embedded(words, "a" * 101, "words") is None and embedded(words, "a" * 100, "words") is not None
    assert embedded(words, "", "words") is None
    assert embedded(words, "price \u16a0", "words") == embedded(words, "price", "words")


def test_a_document_gets_its_vector_when_it_is_written(ports: Connection) -> None:
    upsert(
        ports,
        [{"external_id": "a", "content": "Ships leave the Harbour."}, {"external_id": "b", "content": "Invoice"}],
        "ports",
    )
    ports.execute("select braid.upsert_document('c', 'unknown words', collection => 'ports')")
    assert one(ports, "select count(*) from braid.list_embedding_jobs(collection => 'ports')") == 0
    near = ports.execute(
        "select external_id, semantic_score"
        " from braid.semantic_search(braid.embed_text('port', 'tiny'), collection => 'ports')"
    ).fetchall()
    ship = np.array([1.5, 0.25, 0.5])
    port = np.array([1, 0.5, 0])
    cosine = ship @ port / np.linalg.norm(ship) / np.linalg.norm(port)
    assert near[0][0] == "a" and near[0][1] == pytest.approx(cosine, abs=1e-3)
    assert {row[0] for row in near} == {"a", "b", "c"}
    # A given vector stays, and a replaced text gets a new one.
    upsert(ports, [{"external_id": "b", "content": "Invoice", "embedding": [0, 0, 1]}], "ports")
    upsert(ports, [{"external_id": "a", "content": "an invoice for a ship"}], "ports")
    assert ports.execute(
        "select external_id from braid.semantic_search('[0,0,1]', match_count => 1, collection => 'ports')"
    ).fetchall() == [("b",)]
    assert ports.execute(
        "select external_id from braid.semantic_search(braid.embed_text('invoice', 'tiny'), match_count => 1,"
        " collection => 'ports')"
    ).fetchall() == [("a",)]


def test_a_text_alone_is_searched_by_meaning(ports: Connection) -> None:
    upsert(
        ports,
        [{"external_id": "a", "content": "A ship in the harbour"}, {"external_id": "b", "content": "An invoice"}],
        "ports",
    )
    assert full_text(ports, "port", **HERE) == []
    assert hybrid(ports, query_text="port", **HERE)[0][0] == "a"
    given = hybrid(ports, query_text="port", query_embedding=str(embedded(ports, "port", "tiny")), **HERE)
    assert hybrid(ports, query_text="port", **HERE) == given
    stats = one(ports, "select braid.search_json('port', collection => 'ports') -> 'stats'")
    assert (stats["mode"], stats["query_embedding"]) == ("hybrid", "static")
    explained = one(ports, "select braid.explain_search('port', collection => 'ports')")
    assert explained["query"]["embedding"] == "static"
    # Without a known word, a search is by full text, and one search can do without the embedder.
    stats = one(ports, "select braid.search_json('zebra', collection => 'ports') -> 'stats'")
    assert stats["mode"] == "full_text" and "query_embedding" not in stats
    assert hybrid(ports, query_text="port", **HERE, options={"ranking": {"static_embedder": None}}) == []
    assert hybrid(ports, query_text="port", **HERE, semantic_weight=0) == []


def test_pages_go_on_with_the_static_vector(ports: Connection) -> None:
    upsert(ports, [{"external_id": f"d{n}", "content": f"port {n} " + "ship " * n} for n in range(9)], "ports")
    whole = [row[0] for row in hybrid(ports, query_text="port", **HERE, options={"cursor": ""})]
    pages: list[str] = []
    cursor = ""
    while cursor is not None:
        answer = one(
            ports, "select braid.search_json('port', match_count => 4, collection => 'ports', options => %s)",
            Jsonb({"cursor": cursor}),
        )  # fmt: skip
        pages += [row["external_id"] for row in answer["results"]]
        cursor = answer["stats"]["next_cursor"]
    assert pages == whole and len(whole) == 9


def test_vectors_that_add_up_to_zero_have_no_direction(tiny: Connection) -> None:
    store(tiny, tokens={"rise": [1, 0, 0], "fall": [-1, 0, 0], "still": [0, 0, 0]})
    create(tiny)
    assert one(tiny, "select braid.embed_text('rise fall', 'tiny')") is None
    contents = {"both": "rise fall", "still": "still", "rise": "rise"}
    upsert(tiny, [{"external_id": name, "content": text} for name, text in contents.items()], "ports")
    assert full_text(tiny, "still", **HERE)[0][0] == "still"
    rows = tiny.execute("select external_id, semantic_score from braid.hybrid_search('rise', collection => 'ports')")
    scores = dict(rows.fetchall())
    assert scores["rise"] == pytest.approx(1) and scores["both"] == scores["still"] == pytest.approx(3**-0.5)
    found = tiny.execute("select external_id from braid.hybrid_search('rise fall', collection => 'ports')").fetchall()
    assert {row[0] for row in found} == {"both", "rise"}


def test_tenants_share_the_table_and_nothing_else(ports: Connection) -> None:
    upsert(ports, [{"external_id": "mine", "content": "the harbour"}], "ports")
    before = set_tenant(ports, "another")
    try:
        ports.execute("select braid.create_tenant('another')")
        assert hybrid(ports, query_text="port", **HERE) == []
        upsert(ports, [{"external_id": "other", "content": "the harbour"}], "ports")
        assert [row[0] for row in hybrid(ports, query_text="port", **HERE)] == ["other"]
    finally:
        set_tenant(ports, before)
    assert [row[0] for row in hybrid(ports, query_text="port", **HERE)] == ["mine"]


def test_a_collection_of_the_source_model_embeds_queries_alone(tiny: Connection) -> None:
    db = tiny
    store(db, source_model="test")
    db.execute("select braid.create_collection('docs', dimensions => 3, embedding_model => 'test')")
    db.execute("select braid.set_ranking('docs', '{\"static_embedder\": \"tiny\"}')")
    upsert(
        db,
        [{"external_id": "a", "content": "quay", "embedding": [1, 0.25, 0]}, {"external_id": "b", "content": "crane"}],
        "docs",
    )
    assert one(db, "select count(*) from braid.list_embedding_jobs(collection => 'docs')") == 1
    assert hybrid(db, query_text="port", collection="docs")[0][0] == "a"


TINY, NONE = (f'\'{{"static_embedder": "{name}"}}\'' for name in ("tiny", "none"))
REFUSED = [
    (
        f"select braid.create_collection('x', dimensions => 3, embedding_model => 'tiny', ranking => {NONE})",
        "42704",
        'static embedder "none" does not exist',
        "pgbraid static-embedder",
    ),
    (
        f"select braid.create_collection('x', dimensions => 4, embedding_model => 'tiny', ranking => {TINY})",
        "22023",
        '3 dimensions for tiny, but collection "x" has 4 dimensions of tiny',
        "dimensions => 3",
    ),
    (f"select braid.set_ranking('default', {TINY})", "22023", "all-MiniLM-L6-v2", "start_model_change"),
    (
        f"select braid.hybrid_search('x', options => jsonb_build_object('ranking', {NONE}::jsonb))",
        "42704",
        "none",
        "pgbraid",
    ),
    (
        f"select braid.hybrid_search('x', options => jsonb_build_object('ranking', {TINY}::jsonb))",
        "22023",
        "tiny",
        "dimensions => 3",
    ),
    ("select braid.embed_text('x', 'none')", "42704", "none", "static_embedders"),
    ("select braid.embed_text('x', null)", "42704", "does not exist", "static_embedders"),
    ("select braid.embed_text(repeat('x', 100001), 'tiny')", "54000", "100001 bytes", "pieces"),
    (
        "select braid.set_static_embedder('tiny', '{a}', '{[1]}')",
        "22023",
        'collection "ports" uses',
        "start_model_change",
    ),
    ("select braid.set_static_embedder('tiny', null, null)", "22023", 'collection "ports" uses', "start_model_change"),
    ("select braid.set_static_embedder('', '{a}', '{[1]}')", "22023", "name is", "1 to 255"),
    (
        "select braid.set_static_embedder('t', '{a,b}', '{[1]}')",
        "22023",
        "tokens has 2 elements, embeddings 1",
        "one vector",
    ),
    ("select braid.set_static_embedder('t', '{a}', null)", "22023", "embeddings 0", "one vector"),
    ("select braid.set_static_embedder('t', '{}', '{}')", "22023", "tokens is empty", "null to remove"),
    (
        "select braid.set_static_embedder('t', '{a,b}', array['[1]','[1,2]']::halfvec[])",
        "22023",
        'token "b" has 2 dimensions',
        "one model",
    ),
    ("select braid.set_static_embedder('t', '{a,NULL}', '{[1],[2]}')", "22023", "token null", "1 to 255"),
    (
        "select braid.set_static_embedder('t', '{a}', '{[1]}', append => true)",
        "42704",
        'embedder "t" does not exist',
        "append",
    ),
    ("select braid.set_static_embedder('t', '{a,b,a}', '{[1],[2],[3]}')", "22023", "'a' twice", "once"),
    (
        "select braid.set_static_embedder('t', '{a}', array[array_fill(1::real, '{4001}')::halfvec])",
        "22023",
        "4001 dimensions",
        "fewer",
    ),
    ("select braid.set_static_embedder('t', '{a}', '{null}')", "22023", 'token "a" is null', "one vector"),
    ("select braid.set_static_embedder('t', '{a,b}', '{[1],null}')", "22023", 'token "b" is null', "one vector"),
    (
        "select braid.set_static_embedder('t', '{a}', '{[1]}', letters => '[[200,200,\"\"],[200,201,\"\"]]')",
        "22023",
        "codes of [200, 201",
        "one range",
    ),
    (
        "select braid.set_static_embedder('t', '{a}', '{[1]}', letters => '[[300,300,\"\"],[200,300,\"\"]]')",
        "22023",
        "codes of [300, 300",
        "one range",
    ),
    (
        "select braid.set_static_embedder('t', '{a}', '{[1]}', letters => '[[200.5,201,\"\"]]')",
        "22023",
        "[200.5, 201",
        "the codes are",
    ),
    ("select braid.set_static_embedder('t', '{a b}', '{[1]}')", "22023", "'a b'", "white space"),
    (
        "select braid.set_static_embedder('t', '{a}', '{[1]}', letters => '[[1,2,\"\"]]')",
        "22023",
        "letters has [1, 2",
        "128",
    ),
    (
        "select braid.set_static_embedder('t', '{a}', '{[1]}', letters => '[[900,800,\"\"]]')",
        "22023",
        "letters has [900",
        "128",
    ),
    ("select braid.set_static_embedder('t', '{a}', '{[1]}', letters => '{}')", "22023", "a JSON object", "128"),
    (
        "select braid.set_static_embedder('t', '{a}', '{[1]}', source_model => 't')",
        "22023",
        "source_model is 't'",
        "another model",
    ),
]


@pytest.mark.parametrize(("statement", "code", "message", "hint"), REFUSED)
def test_bad_input_is_refused(ports: Connection, statement: str, code: str, message: str, hint: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        ports.execute(statement.encode())
    assert caught.value.sqlstate == code
    assert message in str(caught.value.diag.message_primary)
    assert hint in str(caught.value.diag.message_hint)


def test_an_embedder_comes_in_pieces_and_goes(db: Connection) -> None:
    with db.transaction():
        assert store(db, "pieces", {"aé": [1.0]}) == 1
        with db.transaction():
            assert store(db, "pieces", {"b": [2.0]}, append=True) == 2
    assert store(db, "pieces", {"c": [2.0, 1.0]}) == 1
    listed = db.execute("select * from braid.static_embedders() where name = 'pieces'").fetchall()
    assert listed == [("pieces", None, 2, 1)]
    assert one(db, "select braid.set_static_embedder('pieces', null, null)") == 0
    assert db.execute("select * from braid.static_embedders() where name = 'pieces'").fetchall() == []


FIRST: dict[str, Any] = {
    "tokens": {"a": [1.0], "b": [2.0]},
    "source_model": "model",
    "letters": Jsonb([[200, 300, ""]]),
}


@pytest.mark.parametrize(
    ("piece", "message"),
    [
        ({"tokens": {"c": [1.0]}, "source_model": "other"}, 'source_model is "other", and static embedder'),
        ({"tokens": {"c": [1.0, 2.0]}}, "2 dimensions, others have 1"),
        ({"tokens": {"c": [1.0], "b": [2.0]}}, "'b' of an earlier piece"),
        ({"tokens": {"c": [1.0]}, "letters": Jsonb([[250, 260, ""]])}, r"codes of \[250, 260"),
    ],
)
def test_a_piece_of_another_table_is_refused(db: Connection, piece: dict[str, Any], message: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message), db.transaction():
        store(db, "pieces", **FIRST)
        store(db, "pieces", **piece, append=True)
    assert one(db, "select count(*) from braid.static_embedders() where name = 'pieces'") == 0


def test_all_pieces_come_in_one_transaction(db: Connection) -> None:
    """Nobody can use an embedder that has come in part, and loading it again begins anew."""
    store(db, "pieces", **FIRST)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="was stored by another transaction") as caught:
        store(db, "pieces", {"c": [1.0]}, append=True)
    assert "without append" in str(caught.value.diag.message_hint)
    assert store(db, "pieces", **FIRST) == 2
    db.execute("select braid.set_static_embedder('pieces', null, null)")


def test_two_loaders_do_not_mix_their_tokens(db: Connection, other_session: OtherSession) -> None:
    with other_session() as first, other_session(autocommit=True) as second:
        store(first, "pieces", {"a": [1.0], "b": [2.0]})
        written = threading.Thread(target=store, args=(second, "pieces", {"c": [3.0]}))
        written.start()
        waiting = "select count(*) from pg_locks where not granted and pid = %s"
        until(lambda: one(db, waiting, second.info.backend_pid) > 0)
        assert store(first, "pieces", {"d": [4.0]}, append=True) == 3
        first.commit()
        written.join()
    assert one(db, "select token_count from braid.static_embedders() where name = 'pieces'") == 1
    db.execute("select braid.set_static_embedder('pieces', null, null)")


def test_health_finds_an_embedder_that_is_gone(ports: Connection) -> None:
    findings = "select code, command from braid.health() where subject = 'collection ports' and code ~ '^static_'"
    assert ports.execute(findings).fetchall() == []
    ports.execute("select braid.set_ranking('ports', '{\"static_embedder\": null}')")
    ((code, command),) = ports.execute(findings).fetchall()
    assert code == "static_embedder_unused"
    ports.execute(command.encode())
    assert ports.execute(findings).fetchall() == []
