"""Test pgvector's types as arguments and results, in any schema of the extension."""

from __future__ import annotations

import os
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from pgvector import HalfVector, SparseVector, Vector

import pgbraid
from pgbraid import embedded
from pgbraid.errors import DimensionMismatchError, InvalidArgumentError
from pgbraid.install import install
from support import HashEmbedder

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]

NUMBERS = [0.5, 0.0, -2.0]
FORMS: dict[str, Callable[[list[float]], Any]] = {
    "list": list,
    "tuple": tuple,
    "float32": lambda numbers: np.array(numbers, dtype=np.float32),
    "float64": np.array,
    "Vector": Vector,
    "HalfVector": HalfVector,
    "SparseVector": SparseVector,
}


@pytest.fixture
def three(client: pgbraid.Client) -> pgbraid.Client:
    """Create a collection `three` of three dimensions; return the client."""
    client.create_collection("three", dimensions=3, embedding_model="mine")
    return client


@pytest.mark.parametrize("form", FORMS)
def test_vectors_of_every_kind_are_written_and_searched_with(three: pgbraid.Client, form: str) -> None:
    make = FORMS[form]
    three.add_documents(
        [
            {"external_id": "a", "content": "a", "embedding": make(NUMBERS)},
            {"external_id": "b", "chunks": [{"content": "b", "embedding": make([0.0, 1.0, 0.0])}]},
        ],
        collection="three",
    )
    found = three.search(embedding=make(NUMBERS), collection="three")
    assert [row.external_id for row in found] == ["a", "b"]
    assert found[0].semantic_score == pytest.approx(1)
    with pytest.raises(DimensionMismatchError, match="2 dimensions"):
        three.search(embedding=make([1.0, 2.0]), collection="three")


@pytest.mark.parametrize("form", FORMS)
def test_an_embedder_may_give_any_of_them(three: pgbraid.Client, dsn: str, form: str) -> None:
    class Embedder:
        model_name = "mine"
        dimensions = 3

        def embed_documents(self, texts: list[str]) -> Any:
            return [FORMS[form](NUMBERS) for _ in texts]

        def embed_query(self, text: str) -> Any:
            return FORMS[form](NUMBERS)

    with pgbraid.connect(dsn, embedder=Embedder()) as client:
        client.add_documents([{"external_id": "a", "content": "a"}], collection="three")
        assert client.embed_pending("three") == 1
        assert client.search("b", mode="semantic", collection="three")[0].semantic_score == pytest.approx(1)


@pytest.mark.parametrize(("name", "is_other"), [("mine", False), ("mine@3", True), ("yours", True)])
def test_an_embedder_of_another_name_is_used_and_told_of(
    three: pgbraid.Client, dsn: str, name: str, is_other: bool
) -> None:
    class Embedder:
        model_name = name
        dimensions = 3

        def embed_documents(self, texts: list[str]) -> Any:
            return [NUMBERS for _ in texts]

        def embed_query(self, text: str) -> Any:
            return NUMBERS

    with pgbraid.connect(dsn, embedder=Embedder()) as client:
        client.add_documents([{"external_id": "a", "content": "a"}], collection="three")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            assert client.embed_pending("three") == 1
        found = client.search("b", mode="semantic", collection="three")
        assert len(found) == 1
        assert [warning["code"] for warning in found.warnings] == ["other_embedding_model"] * is_other
        messages = [*(str(warning.message) for warning in told), *(warning["message"] for warning in found.warnings)]
        assert len(messages) == 2 * is_other
        for message in messages:
            assert f"the embedder of {name}:" in message and "model mine," in message
        assert all(warning.filename == __file__ for warning in told)


@pytest.mark.parametrize(
    ("embedding", "message"),
    [
        ([0.0, float("nan"), 1.0], "NaN or infinite"),
        (Vector([float("inf"), 0.0, 1.0]), "NaN or infinite"),
        ([1e39, 0.0, 1.0], "1e\\+39"),
        (np.zeros((2, 3)), "not a vector"),
        ("abc", "not a vector"),
        ([], "is empty"),
        (SparseVector({}, 1_000_000_000), "1000000000 dimensions"),
        ([1.0] * 16_001, "16001 dimensions"),
        (np.ones(70_000), "70000 dimensions"),
        ([10**400, 0, 1], "no vector holds"),
        ("123", "not a vector"),
        (b"123", "not a vector"),
        ({1: 2, 3: 4, 5: 6}, "not a vector"),
    ],
)
def test_what_is_no_vector_is_refused(three: pgbraid.Client, embedding: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message) as caught:
        three.search(embedding=embedding, collection="three")
    assert caught.value.hint
    with pytest.raises(InvalidArgumentError, match=f"embedding of document 'a' .*{message}") as caught:
        three.add_documents([{"external_id": "a", "content": "a", "embedding": embedding}], collection="three")
    assert caught.value.hint


@pytest.mark.parametrize("text", ["[.5,1.,+2]", " [ 5e-1 , 1 , 2 ] ", "[0.5,1,2]"])
def test_documents_take_the_text_form(three: pgbraid.Client, text: str) -> None:
    three.add_documents([{"external_id": "a", "content": "a", "embedding": text}], collection="three")
    assert three.search(embedding=[0.5, 1, 2], collection="three")[0].semantic_score == pytest.approx(1)


@pytest.mark.parametrize("text", ['"123"', '{"1":2}', "[" * 100_000, "[1,2,]", "[1_0,2,3]", "[[1],[2],[3]]", "1,2,3"])
def test_a_text_of_another_form_is_refused(three: pgbraid.Client, text: str) -> None:
    with pytest.raises(InvalidArgumentError, match="the embedding of document 'a' is not a vector") as caught:
        three.add_documents([{"external_id": "a", "content": "a", "embedding": text}], collection="three")
    assert caught.value.hint


def test_an_iterator_is_read_once_wherever_a_batch_ends(three: pgbraid.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pgbraid.document_batches.BATCH_BYTES", 200)
    documents = [
        {"external_id": f"d{number}", "content": "a" * 30, "embedding": iter([1.0, float(number), 0.0])}
        for number in range(5)
    ]
    three.add_documents(documents, collection="three")
    found = three.search(embedding=[1.0, 4.0, 0.0], collection="three")
    assert found[0].external_id == "d4"
    assert found[0].semantic_score == pytest.approx(1)


def test_a_wrong_vector_of_a_later_batch_is_told_by_its_document(
    three: pgbraid.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pgbraid.document_batches.BATCH_DOCUMENTS", 50)
    documents: list[dict[str, Any]] = [
        {"external_id": f"d{number}", "content": "a", "embedding": [1.0, 2.0, 3.0]} for number in range(51)
    ]
    documents[50]["embedding"] = [1.0, 2.0]
    with pytest.raises(InvalidArgumentError, match='embedding of document "d50" has 2 dimensions'):
        three.add_documents(documents, collection="three")


def test_vectors_travel_in_binary(dsn: str, tmp_path: Path) -> None:
    """The protocol's trace shows each parameter's format, and never pgvector's text form."""
    dimensions = 384

    class Halves(HashEmbedder):
        def embed_documents(self, texts: list[str]) -> Any:
            return [[0.5] * dimensions for _ in texts]

    with pgbraid.connect(dsn, embedder=Halves()) as client:
        client.add_documents([{"external_id": "a", "content": "fox"}])
        with (tmp_path / "trace").open("w") as file:
            trace = os.dup(file.fileno())
            client.connection.pgconn.trace(trace)
            try:
                assert client.embed_pending() == 1
                client.add_documents([{"external_id": "b", "content": "b", "embedding": [0.5] * dimensions}])
                assert len(client.search("fox", mode="semantic")) == 2
                assert len(client.search(embedding=[1.0] + [0.5] * (dimensions - 1))) == 2
            finally:
                client.connection.pgconn.untrace()
                os.close(trace)
    statements = [line for line in (tmp_path / "trace").read_text().splitlines() if "\tBind\t" in line]
    with_vectors = [line for line in statements if len(line) > dimensions]
    assert len(with_vectors) >= 4
    assert not any("0.5,0.5" in line or "0.0,0.0" in line for line in statements)


@pytest.fixture
def elsewhere(server: embedded.Server) -> Iterator[str]:
    """Yield the DSN of a database with the extension in a schema outside the search_path."""
    name = f"elsewhere_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as connection:
        connection.execute(f"create database {name}")
        try:
            with psycopg.connect(server.dsn_for(name), autocommit=True) as inside:
                inside.execute('create schema "some where"')
                inside.execute('create extension vector schema "some where"')
            install(server.dsn_for(name))
            yield server.dsn_for(name)
        finally:
            connection.execute(f"drop database {name} with (force)")


def test_the_extension_may_be_in_any_schema(elsewhere: str) -> None:
    with pgbraid.connect(elsewhere, embedder=HashEmbedder()) as client:
        client.add_documents([{"external_id": "a", "content": "fox"}])
        assert client.embed_pending() == 1
        assert [row.external_id for row in client.search("fox", mode="semantic")] == ["a"]
        given = client.connection.execute(
            """
            select '[1,2]'::"some where".vector, '[1,2]'::"some where".halfvec, '{2:5}/3'::"some where".sparsevec,
                   array['[1,2]'::"some where".vector]
            """
        ).fetchone()
        assert given is not None
        assert given[0] == Vector([1, 2])
        assert isinstance(given[1], HalfVector) and given[1].to_list() == [1, 2]
        assert isinstance(given[2], SparseVector) and given[2].to_list() == [0, 5, 0]
        assert given[3] == [Vector([1, 2])]
        back = client.connection.execute("select %s, %s", [given[0], given[1]], binary=True).fetchone()
        assert back == (given[0], given[1])


def test_the_callers_connection_gives_what_it_gave(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        client = pgbraid.connect(connection, embedder=HashEmbedder())
        client.add_documents([{"external_id": "a", "content": "fox"}])
        assert client.embed_pending() == 1
        assert len(client.search("fox", mode="semantic")) == 1
        schema = connection.execute(
            "select extnamespace::regnamespace::text from pg_extension where extname = 'vector'"
        )
        ((name,),) = schema.fetchall()
        assert connection.execute(f"select '[1,2]'::{name}.vector").fetchone() == ("[1,2]",)


def test_a_client_made_of_a_connection_takes_vectors_too(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        client = pgbraid.Client(connection)
        assert len(client.search(embedding=[0.5] * 384)) == 0
