"""Commands search on a standby."""

from __future__ import annotations

import re
import sys

import pytest
from core.standby.conftest import Database
from core.standby.test_reading import FOX, paused

import pgbraid
from pgbraid.cli import main
from support.api import API

pytestmark = pytest.mark.any_version

Capture = pytest.CaptureFixture[str]
FOUND = re.compile("quick fox|full text  1 candidates")
COMMANDS = [
    ["search", "fox", "--mode", "full_text"],
    *([["recall", "fox", "--strategy", "full_text"]] if "recall" in API else []),
    # The collection has no model, so this searches by words alone.
    ["explain", "fox", "--collection", "words"],
]


def run(monkeypatch: pytest.MonkeyPatch, capsys: Capture, *arguments: str) -> tuple[object, str, str]:
    monkeypatch.setattr(sys, "argv", ["pgbraid", *arguments])
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        main()
    return (caught.value.code, *capsys.readouterr())


def test_searches_on_the_standby(database: Database, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    with pgbraid.connect(database.primary) as client:
        client.create_collection("words", dimensions=3, embedding_model="none")
        with paused(database.pair):
            for collection in ("default", "words"):
                client.add_documents([FOX], collection=collection)
            compare(database, monkeypatch, capsys)


def compare(database: Database, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    for command in COMMANDS:
        for options, is_found in (([], True), (["--read-dsn", database.standby], False)):
            code, out, err = run(monkeypatch, capsys, *command, "--dsn", database.primary, *options)
            assert (code, err) == (0, "") and bool(FOUND.search(out)) == is_found, command
    monkeypatch.setenv("PGBRAID_READ_DSN", database.standby)
    # PGBRAID_READ_DSN names a standby of the environment's database, and --dsn could name any other database, so the
    # command reads the primary.
    assert "quick fox" in run(monkeypatch, capsys, *COMMANDS[0], "--dsn", database.primary)[1]
    monkeypatch.setenv("PGBRAID_DSN", database.primary)
    assert "quick fox" not in run(monkeypatch, capsys, *COMMANDS[0])[1]


def test_bad_input(database: Database, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    other = database.pair.standby.dsn_for("postgres")
    for given, said in (("nonsense", "cannot be read"), (other, "leads to another database")):
        code, out, err = run(monkeypatch, capsys, *COMMANDS[0], "--dsn", database.primary, "--read-dsn", given)
        assert (code, out) == (2, "") and said in err and "hint: " in err and "Traceback" not in err
        assert len(err.splitlines()) == 2
    # A warning names a standby that does not exist, and the primary answers.
    gone = "postgresql://postgres@/pgbraid?host=/nonexistent"
    code, _, _ = run(monkeypatch, capsys, *COMMANDS[0], "--dsn", database.primary, "--read-dsn", gone)
    assert code == 0
