"""Test --embedding-url and --embedding-model with every command that embeds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tools.cli.conftest import Run

import pgbraid
from pgbraid.embedders import LocalEmbedder
from support import JsonServer

pytestmark = pytest.mark.any_version


@pytest.fixture
def service() -> Iterator[JsonServer]:
    def answer(body: Any) -> Any:
        return {"data": [{"index": i, "embedding": [len(text), 1, 0]} for i, text in enumerate(body["input"])]}

    with JsonServer(answer) as server:
        yield server


@pytest.fixture(params=["options", "environment"])
def given(request: pytest.FixtureRequest, service: JsonServer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the options that name the service, or none where environment variables name it."""
    if request.param == "options":
        return ["--embedding-url", service.url, "--embedding-model", "theirs"]
    monkeypatch.setenv("PGBRAID_EMBEDDING_URL", service.url)
    monkeypatch.setenv("PGBRAID_EMBEDDING_MODEL", "theirs")
    return []


@pytest.fixture
def papers(client: pgbraid.Client) -> list[str]:
    client.create_collection("papers", dimensions=3, embedding_model="theirs")
    return ["--collection", "papers"]


def asked(service: JsonServer) -> list[str]:
    texts = [text for request in service.requests for text in request["input"]]
    assert {request["model"] for request in service.requests} <= {"theirs"}
    service.requests.clear()
    return texts


def test_every_command_that_embeds_takes_a_service(
    run: Run,
    client: pgbraid.Client,
    db: psycopg.Connection[Any],
    service: JsonServer,
    given: list[str],
    papers: list[str],
    tmp_path: Path,
) -> None:
    (tmp_path / "zebra.md").write_text("# Zebras\n\nA zebra crossing.\n")
    assert run("ingest", tmp_path, *papers, *given).code == 0
    assert len(asked(service)) == 1
    db.execute("create table items as select 1 as id, 'A snake.' as body")
    columns = ["items", "--id-column", "id", "--text-column", "body"]
    assert run("import", *columns, *papers, *given).code == 0
    assert asked(service) == ["A snake."]
    assert client.status("papers")["collections"][0]["pending_embeddings"] == 0
    for command in ("search", "recall"):
        answer = json.loads(run(command, f"zebra for {command}", "--json", *papers, *given).out)
        assert answer["warnings"] == []
        assert {row["semantic_rank"] for row in answer["results"]} == {1, 2}
        assert asked(service) == [f"zebra for {command}"]
    assert run("explain", "zebra", *papers, *given).code == 0
    assert asked(service) == ["zebra"]
    assert run("vector", "four", *given).out == "[4,1,0]\n"
    # Query operators are not embedded.
    assert run("vector", "four -renewal", *given).out == "[4,1,0]\n"


def test_collections_of_the_offline_model_keep_it(
    run: Run, client: pgbraid.Client, service: JsonServer, given: list[str]
) -> None:
    client.add_documents([{"external_id": "z", "content": "zebra crossing"}])
    with pgbraid.connect(client.connection, embedder=LocalEmbedder()) as local:
        local.embed_pending()
    (row,) = json.loads(run("search", "zebra", "--json", *given).out)["results"]
    assert row["semantic_rank"] == 1
    assert service.requests == []


def test_each_interface_can_be_named(run: Run, service: JsonServer, monkeypatch: pytest.MonkeyPatch) -> None:
    named = [
        "--embedding-api",
        "azure",
        "--embedding-url",
        f"{service.url}?api-version=1",
        "--embedding-model",
        "theirs",
    ]
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "secret")
    assert run("vector", "four", *named).out == "[4,1,0]\n"
    assert service.paths == ["/v1/embeddings?api-version=1"]
    assert service.headers[0]["api-key"] == "secret"
    assert service.headers[0]["Authorization"] is None
    monkeypatch.setenv("PGBRAID_EMBEDDING_API", "tei")
    service.answer = lambda body: [[len(text)] for text in body["inputs"]]
    assert run("vector", "four", *named[2:]).out == "[4]\n"
    assert service.paths[1:] == ["/v1/embed?api-version=1"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--embedding-api", "voyage"], "--embedding-api needs --embedding-model"),
        (["--embedding-api", "tei", "--embedding-model", "m"], "--embedding-api tei needs --embedding-url"),
        (["--embedding-api", "other", "--embedding-model", "m"], "'other' is not one of"),
    ],
)
def test_what_an_interface_needs(run: Run, options: list[str], said: str) -> None:
    refused = run("vector", "x", *options)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err


@pytest.mark.usefixtures("papers")
def test_another_model_is_not_taken_for_the_collections(run: Run, service: JsonServer) -> None:
    done = run(
        "search", "zebra", "--collection", "papers", "--embedding-url", service.url, "--embedding-model", "other"
    )
    assert done.code == 0
    assert 'collection "papers" needs an embedder for theirs' in done.out
    assert "--embedding-model" in done.out
    assert service.requests == []


@pytest.mark.usefixtures("papers")
def test_a_service_that_is_down(run: Run, client: pgbraid.Client) -> None:
    client.add_documents([{"external_id": "z", "content": "zebra crossing"}], collection="papers")
    down = ["--embedding-url", "http://127.0.0.1:9/v1", "--embedding-model", "theirs", "--collection", "papers"]
    done = run("search", "zebra", *down)
    assert done.code == 0
    assert "zebra crossing" in done.out
    assert "searched by full text only" in done.out
    refused = run("search", "zebra", "--mode", "semantic", *down)
    assert (refused.code, refused.out) == (2, "")
    assert "unreachable" in refused.err


@pytest.mark.parametrize("command", [["search", "x"], ["recall", "x"], ["explain", "x"], ["vector", "x"], ["work"]])
@pytest.mark.parametrize(("one", "other"), [("url", "model"), ("model", "url")])
def test_address_and_model_belong_together(run: Run, command: list[str], one: str, other: str) -> None:
    refused = run(*command, f"--embedding-{one}", "http://127.0.0.1:9/v1")
    assert (refused.code, refused.out) == (2, "")
    assert f"--embedding-{one} needs --embedding-{other}" in refused.err
    assert f"PGBRAID_EMBEDDING_{other.upper()}" in refused.err
