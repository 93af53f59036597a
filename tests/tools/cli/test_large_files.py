"""Check that files above a size limit are refused before they are read, in one line."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pgbraid
from pgbraid.document_batches import MOST_BATCH_BYTES

pytestmark = pytest.mark.any_version
Run = Callable[..., Any]


def sparse(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


def test_a_text_is_read_in_parts(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    """A text is split into documents of about a million characters."""
    path = tmp_path / "long.txt"
    paragraphs = [f"{' ' * 9_980}line {number}\n\n" for number in range(380)]
    path.write_text("".join(paragraphs) + "a giraffe at the end\n")
    assert run("ingest", path, "--no-embed").code == 0
    row = client.search("giraffe", mode="full_text")[0]
    assert (row.external_id, row.title) == (f"{path}#part-4", "long")
    assert len(client.list_documents()) == 4
    assert "1 unchanged" in run("ingest", path, "--no-embed").out
    # The shortened file has fewer parts; its first part is unchanged.
    path.write_text("".join(paragraphs[:150]))
    done = run("ingest", path, "--no-embed")
    assert "1 unchanged" in done.out.splitlines()[1]
    assert "2 documents deleted" in done.out
    assert len(client.list_documents()) == 2


@pytest.mark.parametrize("name", ["long.txt", "long.csv", "long.json", "long.mbox"])
def test_a_large_file_is_never_held_as_a_whole(run: Run, tmp_path: Path, name: str) -> None:
    piece = {
        "long.csv": "{0},{1}\n",
        "long.json": ',{{"id": "{0}", "text": "{1}"}}\n',
        "long.mbox": "From x\nSubject: {0}\nMessage-ID: <{0}>\n\n{1}\n\n",
    }.get(name, "{1}\n\n")
    start = {"long.csv": "id,text\n", "long.json": '[{"id": "a", "text": "b"}\n'}.get(name, "")
    text = "Of animals and more. " * 1_000
    with (tmp_path / name).open("w") as file:
        file.write(start)
        file.writelines(piece.format(number, text) for number in range(1_500))
        file.write("]" if name == "long.json" else "")
    run("ingest", tmp_path, "--dry-run", "--exclude", "*")
    tracemalloc.start()
    done = run("ingest", tmp_path, "--dry-run")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert done.code == 0
    assert "1 to index" in done.out
    assert (tmp_path / name).stat().st_size > 30_000_000
    assert peak < 25_000_000


def test_zeros_are_no_text(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    path = sparse(tmp_path / "huge.txt", 200_000_000)
    (tmp_path / "small.txt").write_text("giraffes are tall")
    done = run("ingest", tmp_path, "--no-embed")
    assert done.code == 1
    assert f"failed: {path}: contains NUL (0x00)" in done.err
    assert [row.external_id for row in client.search("giraffes", mode="full_text")] == [f"{tmp_path}/small.txt"]


def test_a_line_that_is_too_long(run: Run, tmp_path: Path) -> None:
    path = sparse(tmp_path / "huge.jsonl", MOST_BATCH_BYTES + 2)
    with path.open("ab") as file:
        file.write(b"\n" + json.dumps({"external_id": "a", "content": "giraffe"}).encode())
    done = run("ingest", path, "--no-embed", "--strict")
    assert (done.code, done.out) == (2, "")
    assert f"huge.jsonl:1: a line of more than {MOST_BATCH_BYTES} bytes" in done.err
    assert "1 document: 1 inserted" in run("ingest", path, "--no-embed").out


def test_batches_are_bounded_by_bytes(client: pgbraid.Client) -> None:
    """Documents of 300,000 bytes are written in batches of at most 13."""
    written: list[int] = []
    documents = ({"external_id": str(number), "content": "é" + " " * 150_000 + "é" * 75_000} for number in range(40))
    client.add_documents(documents, progress=written.append)
    assert written == [13, 26, 39, 40]
