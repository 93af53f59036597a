"""Test a client during a model change: it always uses the embedder of the model that searches use."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

import pgbraid
from pgbraid.cli import cli
from pgbraid.errors import (
    DimensionMismatchError,
    InvalidArgumentError,
    MissingExtraError,
    OtherModelError,
    PermissionDeniedError,
)
from support import HashEmbedder

pytestmark = pytest.mark.any_version


class NamedEmbedder(HashEmbedder):
    """Embed under any model name with any number of dimensions; texts that share words are near each other, and each
    model gives other numbers."""

    def __init__(self, model_name: str, dimensions: int = 64) -> None:
        self.model_name = model_name
        self.dimensions = dimensions
        self.asked = 0

    def embed_documents(self, texts: list[str]) -> Any:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Any:
        self.asked += 1
        return super()._embed(f"{text} {self.model_name}")


DOCUMENTS = [{"external_id": word, "content": f"about {word}"} for word in ("amber", "birch", "cedar")]


@pytest.fixture
def both(dsn: str) -> Iterator[pgbraid.Client]:
    with pgbraid.connect(dsn, embedder=[NamedEmbedder("old"), NamedEmbedder("new")]) as client:
        client.create_collection("moving", dimensions=64, embedding_model="old")
        client.add_documents(DOCUMENTS, collection="moving")
        assert client.embed_pending("moving") == 3
        yield client


def best(client: pgbraid.Client, word: str) -> tuple[str, list[str]]:
    found = client.search(f"about {word}", mode="semantic", collection="moving", match_count=3)
    assert len(found) == 3
    assert found[0].semantic_score == pytest.approx(1, abs=0.01)
    return found[0].external_id, [warning["code"] for warning in found.warnings]


def test_from_start_to_finish(both: pgbraid.Client, dsn: str) -> None:
    with pgbraid.connect(dsn, embedder=[NamedEmbedder("new"), NamedEmbedder("old")]) as other:
        assert best(other, "birch") == ("birch", [])
        both.start_model_change("moving", "new", 64)
        both.add_documents([{"external_id": "downy", "content": "about downy"}], collection="moving")
        both.maintain()
        both.pause_model_change("moving")
        assert both.embed_pending("moving") == 1
        both.resume_model_change("moving")
        with pytest.raises(InvalidArgumentError, match="4 chunks of 1 tenants"):
            both.cut_over_model_change("moving")
        assert both.embed_pending("moving", batch_size=3) == 4
        state = both.status("moving")["collections"][0]["model_change"]
        assert (state["state"], state["embedded_chunks"]) == ("filling", 4)
        assert best(other, "downy") == ("downy", [])
        # The other client, which still takes the old model for searches, notices the cut-over in time.
        for step, model in (
            (both.cut_over_model_change, "new"),
            (both.roll_back_model_change, "old"),
        ):
            step("moving")
            assert best(other, "cedar") == ("cedar", [])
            assert best(both, "cedar") == ("cedar", [])
            assert other._spaces._known["moving"][0].model == model
        both.start_model_change("moving", "new", 64)
        both.maintain()
        both.embed_pending("moving")
        both.cut_over_model_change("moving")
        both.finish_model_change("moving")
        assert best(other, "amber") == ("amber", [])
        assert other.embed_pending("moving") == 0


def test_workers_embed_for_their_own_model(both: pgbraid.Client, dsn: str) -> None:
    both.start_model_change("moving", "new", 32)
    both.add_documents([{"external_id": "downy", "content": "about downy"}], collection="moving")
    both.maintain()
    new, unnamed = NamedEmbedder("new", 32), NamedEmbedder("what it is called at home")
    with pgbraid.connect(dsn, embedder=new) as worker, pgbraid.connect(dsn, embedder=unnamed) as old_worker:
        with pytest.warns(UserWarning, match="the embedder of what it is called at home"):
            assert (old_worker.embed_pending("moving"), old_worker.embed_pending("moving")) == (1, 0)
        assert (worker.embed_pending("moving"), worker.embed_pending("moving")) == (4, 0)
        # Without an embedder for the searches' model, a search falls back to full text.
        found = worker.search("birch", collection="moving")
        assert [row.external_id for row in found] == ["birch"]
        assert [warning["code"] for warning in found.warnings] == ["embedding_unavailable"]
        with pytest.raises(MissingExtraError, match="needs an embedder for old"):
            worker.search("birch", mode="semantic", collection="moving")
        assert len(old_worker.search("birch", mode="semantic", collection="moving")) == 4
        both.cut_over_model_change("moving")
        assert worker.search("about birch", mode="semantic", collection="moving")[0].external_id == "birch"
        with pytest.raises(MissingExtraError, match="needs an embedder for new"):
            old_worker.search("birch", mode="semantic", collection="moving")


def test_the_same_model_with_other_dimensions(both: pgbraid.Client, dsn: str) -> None:
    with pytest.raises(InvalidArgumentError, match="embedding_model is 'old'") as raised:
        both.start_model_change("moving", "old", 16)
    assert "old@16" in str(raised.value.hint)
    both.start_model_change("moving", "old@16", 16, distance="l2")
    both.maintain()
    with pgbraid.connect(dsn, embedder=[NamedEmbedder("old", 16), NamedEmbedder("old")]) as client:
        assert client.embed_pending("moving") == 3
        assert best(client, "amber") == ("amber", [])
        client.cut_over_model_change("moving")
        assert best(client, "amber") == ("amber", [])


def test_embeddings_of_the_callers_own(both: pgbraid.Client, dsn: str) -> None:
    both.start_model_change("moving", "new", 3)
    both.maintain()
    with pgbraid.connect(dsn, embedder=NamedEmbedder("new", 3)) as worker:
        worker.embed_pending("moving")
    with pytest.raises(DimensionMismatchError, match="3 dimensions"):
        both.search(embedding=[1, 0, 0], collection="moving")
    with pgbraid.connect(dsn, embedder=NamedEmbedder("old")) as other:
        assert len(other.search(embedding=[1.0] * 64, collection="moving")) == 3
        both.cut_over_model_change("moving")
        # A vector that now fits is accepted, and the error for another vector stays exact.
        assert len(other.search(embedding=[1, 0, 0], collection="moving")) == 3
        both.roll_back_model_change("moving")
        with pytest.raises(DimensionMismatchError, match="has 64"):
            other.search(embedding=[1, 0, 0], collection="moving")


def test_a_vector_of_another_model_is_refused_by_name(both: pgbraid.Client) -> None:
    options = {"embedding_model": "new"}
    with pytest.raises(InvalidArgumentError, match="option embedding_model is 'new'"):
        both.search(embedding=[1.0] * 64, collection="moving", options=options)
    assert len(both.search(embedding=[1.0] * 64, collection="moving", options={"embedding_model": "old"})) == 3
    with pytest.raises(InvalidArgumentError, match="option embedding_model is 1"):
        both.search("amber", collection="moving", options={"embedding_model": 1})


def test_async(both: pgbraid.Client, dsn: str) -> None:
    async def session() -> list[str]:
        embedders = [NamedEmbedder("old"), NamedEmbedder("new")]
        async with await pgbraid.connect_async(dsn, embedder=embedders) as client:
            await client.start_model_change("moving", "new", 64)
            await client.maintain()
            await client.embed_pending("moving")
            await client.cut_over_model_change("moving")
            found = await client.search("about cedar", mode="semantic", collection="moving")
            return [row.external_id for row in found[:1]]

    assert asyncio.run(session()) == ["cedar"]


def test_steps_are_for_administrators(both: pgbraid.Client, dsn: str, make_login: Any) -> None:
    login = make_login("ana", "braid_writer")
    with psycopg.connect(dsn) as administrator:
        administrator.execute("select braid.add_tenant_member('default', %s)", (login,))
    with pgbraid.connect(f"{dsn}&user={login}" if "?" in dsn else f"{dsn}?user={login}") as ana:
        with pytest.raises(PermissionDeniedError):
            ana.start_model_change("moving", "new", 64)
        with pytest.raises(PermissionDeniedError):
            ana.cut_over_model_change("moving")


def test_the_command_line_shows_how_far_it_is(both: pgbraid.Client, dsn: str) -> None:
    command = ["status", "--dsn", dsn]
    assert "model change" not in CliRunner().invoke(cli, command).output
    both.start_model_change("moving", "new", 64)
    both.maintain()
    shown = CliRunner().invoke(cli, command).output
    assert "moving: model change from old to new (64 dimensions) is filling; 0 chunks embedded, 0 failed" in shown


def after_the_change(both: pgbraid.Client, dsn: str) -> None:
    both.start_model_change("moving", "new", 3)
    both.maintain()
    with pgbraid.connect(dsn, embedder=NamedEmbedder("new", 3)) as worker:
        worker.embed_pending("moving")
    both.cut_over_model_change("moving")
    both.finish_model_change("moving")


def test_a_process_with_the_old_embedder_searches_by_full_text_and_says_so(both: pgbraid.Client, dsn: str) -> None:
    with pgbraid.connect(dsn, embedder=NamedEmbedder("old")) as other:
        assert best(other, "amber") == ("amber", [])
        after_the_change(both, dsn)

        def told(found: Any) -> list[str]:
            return [warning["code"] for warning in found.warnings]

        found = other.search("amber", collection="moving")
        assert [row.external_id for row in found] == ["amber"] and "embedding_unavailable" in told(found)
        assert "has 3" in found.warnings[0]["message"] and "connect with an embedder for new" in str(found.warnings)
        found = other.search(["amber", "birch"], collection="moving")
        assert {row.external_id for row in found} == {"amber", "birch"} and "embedding_unavailable" in told(found)
        found = other.recall("amber", collection="moving", timeframe=None)
        assert [row.external_id for row in found] == ["amber"] and "embedding_unavailable" in told(found)
        context = other.assemble_context("amber", collection="moving")
        assert [row.external_id for row in context] == ["amber"] and told(context) == ["embedding_unavailable"]
        *_, last = other.search_stream("amber", collection="moving")
        assert [row.external_id for row in last] == ["amber"] and told(last) == ["embedding_unavailable"]
        for semantic in (
            lambda: other.search("amber", mode="semantic", collection="moving"),
            lambda: other.search(["amber", "birch"], mode="semantic", collection="moving"),
            lambda: list(other.search_stream("amber", mode="semantic", collection="moving")),
        ):
            with pytest.raises(DimensionMismatchError, match="64 dimensions") as error:
                semantic()
            assert isinstance(error.value, OtherModelError) and "new" in str(error.value.hint)

    async def searched() -> None:
        async with await pgbraid.connect_async(dsn, embedder=NamedEmbedder("old")) as client:
            found = await client.search("amber", collection="moving")
            assert [row.external_id for row in found] == ["amber"] and "embedding_unavailable" in told(found)
            with pytest.raises(OtherModelError):
                await client.search("amber", mode="semantic", collection="moving")

    asyncio.run(searched())
