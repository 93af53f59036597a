"""Test refused documents: the error names a document's place in the list; on_error="skip" writes all others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from pgbraid.client import Client
from pgbraid.errors import InvalidArgumentError
from support import HashEmbedder

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]

BAD: dict[str, dict[str, Any]] = {
    "NUL": {"content": "a\0b"},
    "lone surrogate": {"content": "a\ud800b"},
    "NaN in the vector": {"content": "a", "embedding": [math.nan] * 384},
    "vector of another length": {"content": "a", "embedding": [1.0, 2.0]},
    "NaN in metadata": {"content": "a", "metadata": {"a": math.nan}},
    "unknown key": {"content": "a", "speakr": "Ana"},
    "no time": {"content": "a", "occurred_at": "soon"},
    "language of no type": {"content": "a", "importance": "much"},
}


def documents(bad: dict[str, Any], *, embedded: bool = False) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"external_id": f"d{number}", "content": f"fox {number}"} for number in range(20)]
    if embedded:
        for document in found:
            document["embedding"] = [1.0] * 384
    found[7] = {"external_id": "d7", **bad}
    return found


@pytest.mark.parametrize("bad", BAD)
def test_an_error_has_the_documents_place(client: Client, bad: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"documents\[7\]") as caught:
        client.add_documents(documents(BAD[bad]))
    assert "d7" in caught.value.message and caught.value.hint
    assert client.count() == 0


@pytest.mark.parametrize("make", [list, iter], ids=["list", "iterator"])
@pytest.mark.parametrize("embedded", [False, True], ids=["texts", "vectors"])
@pytest.mark.parametrize("bad", BAD)
def test_the_others_are_written(client: Client, bad: str, embedded: bool, make: Callable[..., Any]) -> None:
    given = [*documents(BAD[bad], embedded=embedded), {"external_id": "", "content": "no id"}]
    written = client.add_documents(make(given), on_error="skip")
    assert written.inserted == client.count() == 19
    assert [(failed.index, failed.external_id) for failed in written.failed] == [(7, "d7"), (20, "")]
    assert all(failed.message and failed.hint for failed in written.failed)
    assert "2 failed" in str(written)


def test_inside_a_transaction(client: Client) -> None:
    with client.transaction():
        assert len(client.add_documents(documents(BAD["no time"]), on_error="skip").failed) == 1
    assert client.count() == 19


def test_all_are_refused(client: Client) -> None:
    given = [{"external_id": f"d{number}", "content": "a", "embedding": [1.0]} for number in range(9)]
    written = client.add_documents(given, on_error="skip")
    assert written.documents == 0 and [failed.index for failed in written.failed] == list(range(9))


def test_another_on_error_is_refused(client: Client) -> None:
    with pytest.raises(InvalidArgumentError, match="on_error is 'ignore'"):
        client.add_documents([], on_error="ignore")  # type: ignore[arg-type]


def langchain(dsn: str, **on_error: Any) -> Any:
    from langchain_core.documents import Document

    from langchain_pgbraid import PgbraidVectorStore

    store = PgbraidVectorStore(HashEmbedder(), dsn=dsn)
    return store.add_documents([Document("fox"), Document("a\0b"), Document("hen")], **on_error)


def llamaindex(dsn: str, **on_error: Any) -> Any:
    from llama_index.core.schema import TextNode
    from llama_index.vector_stores.pgbraid import PgbraidVectorStore

    store = PgbraidVectorStore(dsn=dsn, embed=False)
    return store.add([TextNode(text=text) for text in ("fox", "a\0b", "hen")], **on_error)


def haystack(dsn: str, **on_error: Any) -> Any:
    from haystack import Document
    from haystack.utils import Secret

    from haystack_integrations.document_stores.pgbraid import PgbraidDocumentStore

    store = PgbraidDocumentStore(dsn=Secret.from_token(dsn), embed=False)
    return range(store.write_documents([Document(content=text) for text in ("fox", "a\0b", "hen")], **on_error))


@pytest.mark.parametrize("add", [langchain, llamaindex, haystack])
def test_frameworks(dsn: str, add: Callable[..., Any]) -> None:
    """A framework may make new ids that nobody has seen, so the error names the document by its place."""
    with pytest.raises(InvalidArgumentError, match=r"documents\[1\]"):
        add(dsn)
    with pytest.warns(UserWarning, match=r"documents\[1\] was left out"):
        assert len(add(dsn, on_error="skip")) == 2
