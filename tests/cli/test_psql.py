"""pgbraid psql: who it logs in as, and with whose password."""

from __future__ import annotations

import os
import sys

import pytest

from pgbraid.cli import main

pytestmark = pytest.mark.any_version

DSN = "postgresql://ana:secret@db.example:5433/notes"


class ReplacedError(Exception):
    """The process is psql from here on."""


def environment_of_psql(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> dict[str, str]:
    found: dict[str, str] = {}

    def execve(program: str, command: list[str], environment: dict[str, str]) -> None:
        assert command[-len(arguments) :] == list(arguments) if arguments else len(command) == 1
        found.update(environment)
        raise ReplacedError

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(sys, "argv", ["pgbraid", "psql", "--dsn", DSN, *arguments])
    monkeypatch.setenv("PGBRAID_DEBUG", "1")
    monkeypatch.delenv("PGPASSWORD", raising=False)
    with pytest.raises(ReplacedError):
        main()
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "-c select",
        "-U ana",
        "-Uana",
        "--username=ana -h db.example -p 5433",
        "-d other",
        "other ana",
        "-tA -v U=bob -c -Ubob",
    ],
)
def test_the_password_goes_with_its_login(monkeypatch: pytest.MonkeyPatch, arguments: str) -> None:
    environment = environment_of_psql(monkeypatch, *arguments.split())
    assert environment["PGPASSWORD"] == "secret"
    assert (environment["PGUSER"], environment["PGHOST"], environment["PGDATABASE"]) == ("ana", "db.example", "notes")


@pytest.mark.parametrize(
    "arguments",
    [
        "-U bob",
        "-Ubob",
        "-tAUbob",
        "--username=bob",
        "--user bob",
        "-h other.example",
        "--port 5432",
        "-d postgresql://bob@other.example/notes",
        "-d user=bob",
        "-c select host=other.example",
        "notes bob",
        "-d notes bob",
        "--no-such-option",
    ],
)
def test_another_login_does_not_get_it(monkeypatch: pytest.MonkeyPatch, arguments: str) -> None:
    environment = environment_of_psql(monkeypatch, *arguments.split())
    assert "PGPASSWORD" not in environment
    assert environment["PGHOST"] == "db.example"
