"""Files that are too large are refused before they are read, in one line."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pgbraid
from pgbraid.ingestion.documents import MOST_BATCH_BYTES, MOST_CONTENT_BYTES

pytestmark = pytest.mark.any_version
Run = Callable[..., Any]


def sparse(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


def test_a_text_of_200_megabytes(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    sparse(tmp_path / "huge.txt", 200_000_000)
    (tmp_path / "small.txt").write_text("giraffes are tall")
    tracemalloc.start()
    done = run("ingest", tmp_path, "--no-embed")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (done.code, done.out) == (2, "")
    message, hint = done.err.strip().splitlines()
    assert message.endswith(f"huge.txt: 200000000 bytes, and a document has at most {MOST_CONTENT_BYTES}")
    assert "divide the file" in hint
    assert peak < 4 * MOST_CONTENT_BYTES
    skipped = run("ingest", tmp_path, "--no-embed", "--skip-bad")
    assert (skipped.code, "1 skipped" in skipped.out) == (0, True)
    assert [row.external_id for row in client.search("giraffes", mode="full_text")] == ["small.txt"]


def test_a_text_of_the_most_bytes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"\xef\xbb\xbf" + b" " * (MOST_CONTENT_BYTES - 7) + b"giraffe")
    assert "1 document: 1 inserted" in run("ingest", path, "--no-embed").out
    path.write_bytes(b" " * (MOST_CONTENT_BYTES - 6) + b"giraffe")
    done = run("ingest", path, "--no-embed")
    assert (done.code, len(done.err.strip().splitlines())) == (2, 2)
    assert f"more than {MOST_CONTENT_BYTES}" in done.err


def test_a_line_that_is_too_long(run: Run, tmp_path: Path) -> None:
    path = sparse(tmp_path / "huge.jsonl", MOST_BATCH_BYTES + 2)
    with path.open("ab") as file:
        file.write(b"\n" + json.dumps({"external_id": "a", "content": "giraffe"}).encode())
    done = run("ingest", path, "--no-embed")
    assert (done.code, done.out) == (2, "")
    assert f"huge.jsonl:1: a line of more than {MOST_BATCH_BYTES} bytes" in done.err
    assert "1 document: 1 inserted" in run("ingest", path, "--no-embed", "--skip-bad").out


def test_batches_are_bounded_by_bytes(client: pgbraid.Client) -> None:
    """Of 40 documents of 300000 bytes no batch has more than 13."""
    written: list[int] = []
    documents = ({"external_id": str(number), "content": "é" + " " * 150_000 + "é" * 75_000} for number in range(40))
    client.add_documents(documents, progress=written.append)
    assert written == [13, 26, 39, 40]
