"""Test pgbraid ingest."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pgbraid

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write two texts, one of them in a subfolder, and files that are not ingested; return the folder."""
    notes = tmp_path / "notes" / "deep"
    notes.mkdir(parents=True)
    (tmp_path / "notes" / "first.md").write_text("```\n# no heading\n```\n\n## The *first* note ##\n\nzebra crossing")
    (notes / "second.txt").write_text("\ufeffgiraffes are tall", encoding="utf-8")
    (notes / "empty.txt").write_text("")
    (notes / "picture.png").write_bytes(b"\xff")
    (notes / ".hidden.md").write_text("hidden zebra")
    return tmp_path / "notes"


def lines(path: Path, *documents: Any) -> Path:
    path.write_text("".join((d if isinstance(d, str) else json.dumps(d)) + "\n" for d in documents))
    return path


def found(client: pgbraid.Client, query: str) -> list[str]:
    return [row.external_id for row in client.search(query, mode="full_text")]


def test_a_folder_of_texts(run: Run, client: pgbraid.Client, folder: Path) -> None:
    done = run("ingest", folder, "--no-embed")
    assert done.code == 0
    assert "4 files: 2 indexed, 0 unchanged, 2 skipped, 0 failed" in done.out
    assert "2 documents: 2 inserted" in done.out
    assert f"skipped: {folder / 'deep' / 'picture.png'}: unknown kind .png" in done.err
    assert f"skipped: {folder / 'deep' / 'empty.txt'}: no text" in done.err
    row = client.search("zebra")[0]
    assert (row.external_id, row.title) == (f"{folder}/first.md", "The *first* note")
    assert row.source_uri == (folder / "first.md").as_uri()
    row = client.search("giraffes")[0]
    assert (row.external_id, row.title, row.content) == (f"{folder}/deep/second.txt", "second", "giraffes are tall")
    assert "0 indexed, 2 unchanged, 2 skipped, 0 failed" in run("ingest", folder, "--no-embed").out


def test_json_lines(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    given = {"external_id": "z", "content": "zebra", "metadata": {"legs": 4}, "occurred_at": "2026-03-01T12:00:00Z"}
    path = tmp_path / "animals.jsonl.gz"
    path.write_bytes(gzip.compress(f"{json.dumps(given)}\n\n".encode()))
    assert run("ingest", path, "--no-embed").code == 0
    row = client.search("zebra", filters={"legs": 4})[0]
    assert row.occurred_at is not None
    assert row.occurred_at.isoformat() == "2026-03-01T12:00:00+00:00"


def test_the_local_model_embeds_what_was_ingested(run: Run, dsn: str, folder: Path) -> None:
    done = run("ingest", folder)
    assert "embedding chunks: 2 of 2" in done.err
    with pgbraid.connect(dsn) as local:
        assert local.search("very high animals", mode="semantic")[0].external_id == f"{folder}/deep/second.txt"


GOOD = {"external_id": "good", "content": "zebra"}
BAD_LINES = {
    "broken": ('{"external_id": ', "not JSON"),
    "no object": ("[1]", "not dict"),
    "null": ("null", "null"),
    "unknown key": ({"external_id": "x", "text": "y"}, "'text'"),
    "no id": ({"content": "y"}, "external_id"),
    "NaN": ('{"external_id": "x", "importance": NaN}', "cannot be sent"),
    "NUL": ({"external_id": "x", "content": "a\0b"}, "NUL"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_named_and_the_rest_or_nothing_indexed(
    run: Run, client: pgbraid.Client, tmp_path: Path, name: str
) -> None:
    line, message = BAD_LINES[name]
    path = lines(tmp_path / "animals.jsonl", GOOD, line, {**GOOD, "external_id": "last"})
    refused = run("ingest", path, "--strict", "--no-embed")
    assert refused.code == 2
    assert f"{path}:2: " in refused.err
    assert message in refused.err
    assert found(client, "zebra") == []

    done = run("ingest", path, "--no-embed")
    assert done.code == 1
    assert f"failed: {path}:2: " in done.err
    assert message in done.err
    assert "hint: " in done.err
    assert "1 failed" in done.out
    assert sorted(found(client, "zebra")) == ["good", "last"]


def test_what_only_the_database_refuses(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    bad = {"external_id": "bad", "content": "zebra", "importance": "high"}
    path = lines(tmp_path / "animals.jsonl", GOOD, bad, {**GOOD, "external_id": "last"})
    refused = run("ingest", path, "--strict", "--no-embed")
    assert refused.code == 2
    assert "importance" in refused.err
    assert found(client, "zebra") == []

    done = run("ingest", path, "--no-embed")
    assert done.code == 1
    assert f"failed: {path}:2: " in done.err
    assert "2 inserted" in done.out
    assert sorted(found(client, "zebra")) == ["good", "last"]


def test_a_damaged_archive(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "animals.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"external_id": "x"}\n' * 1000)[:-20])
    refused = run("ingest", path, "--strict")
    assert refused.code == 2
    assert str(path) in refused.err


def test_an_id_that_comes_twice(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    path = lines(tmp_path / "animals.jsonl", GOOD, {"external_id": "good", "content": "giraffe"})
    done = run("ingest", path, "--no-embed")
    assert done.code == 1
    assert f"{path}:2: external_id 'good' came before" in done.err
    assert found(client, "zebra") == ["good"]


def test_nothing_to_index(run: Run, tmp_path: Path) -> None:
    done = run("ingest", tmp_path)
    assert (done.code, done.out, done.err) == (0, "", "nothing to index\n")


@pytest.mark.parametrize("arguments", [["missing.md"], []])
def test_wrong_usage(run: Run, arguments: list[str]) -> None:
    refused = run("ingest", *arguments)
    assert refused.code == 2
    assert "hint: run: pgbraid ingest --help" in refused.err


def test_an_unknown_kind_of_file(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"zebra")
    refused = run("ingest", tmp_path / "x.bin")
    assert refused.code == 2
    assert "--format" in refused.err
    assert "jsonl" in refused.err
    assert run("ingest", tmp_path / "x.bin", "--format", "text", "--no-embed").code == 0
    assert found(client, "zebra") == [f"{tmp_path}/x.bin"]
    assert run("ingest", tmp_path / "x.bin", "--format", "bin").code == 2


def test_an_unknown_collection(run: Run, folder: Path) -> None:
    refused = run("ingest", folder, "--collection", "nowhere")
    assert refused.code == 2
    assert "nowhere" in refused.err
    assert "hint: " in refused.err
