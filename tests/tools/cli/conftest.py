"""Run the command line in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import pgbraid
from pgbraid.cli import main
from pgbraid.stored import Document


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(dsn: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command on the test's database: `run("search", "fox")`."""
    monkeypatch.setenv("PGBRAID_DSN", dsn)

    def run_command(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["pgbraid", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capsys.readouterr()
        code = caught.value.code
        assert isinstance(code, int)
        return Outcome(code, out, err)

    return run_command


@pytest.fixture
def ingested(run: Run, client: pgbraid.Client, tmp_path: Path) -> Callable[..., list[Document]]:
    """Return a function that ingests a file into the source `s` and returns its documents: `ingested("a.md",
    content)`."""

    def ingest(name: str, content: str | bytes, *options: str, code: int = 0) -> list[Document]:
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        done = run("ingest", tmp_path / name, "--source", "s", "--no-embed", *options)
        assert done.code == code, done.err
        ingest.err, ingest.out = done.err, done.out  # type: ignore[attr-defined]
        listed = [client.get_document(document.external_id) for document in client.list_documents()]
        return [document for document in listed if document is not None]

    return ingest


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """Return a function that replaces a library where files are read: `library("pypdfium2", code)`. Without code,
    importing the library fails."""
    folder = tmp_path_factory.mktemp("libraries")

    def write(name: str, code: str = "raise ModuleNotFoundError(f'No module named {__name__!r}')\n") -> None:
        package, _, module = name.rpartition(".")
        path = folder / package / f"{module}.py" if package else folder / module / "__init__.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(code)
        monkeypatch.syspath_prepend(str(folder))

    return write
