"""Test pgbraid psql: servers that ask for a password tell which password each one received."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pgbraid.cli import main
from support.waiting import PATIENCE

pytestmark = pytest.mark.any_version


class ReplacedError(Exception):
    """Stand for the end of this process: psql has replaced it."""


class AskingServer:
    """Ask for a password, accept any, and do nothing else. The list `told` holds each connection's password, None
    where the client had none. See https://www.postgresql.org/docs/current/protocol-flow.html"""

    def __init__(self) -> None:
        self.told: list[str | None] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        """Stop the server; afterwards `told` is complete."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as stream:
                (length,) = struct.unpack("!i", stream.read(4))
                stream.read(length - 4)
                connection.sendall(struct.pack("!cii", b"R", 8, 3))
                answer = stream.read(5)
                if answer[:1] != b"p":
                    self.told.append(None)
                    continue
                self.told.append(stream.read(struct.unpack("!i", answer[1:])[0] - 4).rstrip(b"\0").decode())
                version = b"server_version\x0018.0\0"
                status = struct.pack("!ci", b"S", 4 + len(version)) + version
                connection.sendall(struct.pack("!cii", b"R", 8, 0) + status + struct.pack("!cic", b"Z", 5, b"I"))


Servers = tuple[AskingServer, AskingServer]


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Servers]:
    """Yield two servers: the DSN's server and another one."""
    for name, value in {"HOME": str(tmp_path), "PGSSLMODE": "disable", "PGGSSENCMODE": "disable"}.items():
        monkeypatch.setenv(name, value)
    both = AskingServer(), AskingServer()
    yield both
    for server in both:
        server.close()


def psql(
    monkeypatch: pytest.MonkeyPatch, servers: Servers, *arguments: str, commands: str = "", password: str = "secret"
) -> None:
    """Run pgbraid psql; `{here}` and `{there}` in arguments and commands become the servers' ports."""
    ports = {"here": servers[0].port, "there": servers[1].port}

    def execve(program: str, command: list[str], environment: dict[str, str]) -> None:
        subprocess.run(
            command, env=environment, input=commands.format(**ports), text=True, close_fds=False, timeout=PATIENCE
        )
        for server in servers:
            server.close()
        raise ReplacedError

    dsn = f"postgresql://ana:{password}@127.0.0.1:{ports['here']}/notes"
    given = ["--no-psqlrc", "--no-password", *(argument.format(**ports) for argument in arguments)]
    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(sys, "argv", ["pgbraid", "psql", "--dsn", dsn, *given])
    monkeypatch.setenv("PGBRAID_DEBUG", "1")
    with pytest.raises(ReplacedError):
        main()


@pytest.mark.parametrize(
    "arguments", ["", "-U ana", "--username=ana -h 127.0.0.1 -p {here}", "-d other", "other ana", "-tA -v U=bob"]
)
def test_the_password_goes_with_its_login(monkeypatch: pytest.MonkeyPatch, servers: Servers, arguments: str) -> None:
    psql(monkeypatch, servers, *arguments.split())
    assert servers[0].told == ["secret"]


@pytest.mark.parametrize(
    "arguments",
    [
        "-tAUbob",
        "--user bob",
        "notes bob",
        "-d user=bob",
        "-d postgresql://bob@127.0.0.1:{here}/notes",
        "-h localhost",
    ],
)
def test_another_login_does_not_get_it(monkeypatch: pytest.MonkeyPatch, servers: Servers, arguments: str) -> None:
    psql(monkeypatch, servers, *arguments.split())
    assert servers[0].told == [None]


@pytest.mark.parametrize("database", ["port={there}", "postgresql://ana@127.0.0.1:{there}/notes"])
def test_another_server_does_not_get_it(monkeypatch: pytest.MonkeyPatch, servers: Servers, database: str) -> None:
    psql(monkeypatch, servers, "-d", database)
    assert (servers[0].told, servers[1].told) == ([], [None])


@pytest.mark.parametrize(
    ("command", "here", "there"),
    [
        ("\\connect other", ["secret", "secret"], []),
        ("\\connect - bob", ["secret", None], []),
        ("\\connect - - 127.0.0.1 {there}", ["secret"], [None]),
    ],
)
def test_connecting_elsewhere_from_within(
    monkeypatch: pytest.MonkeyPatch, servers: Servers, command: str, here: list[str | None], there: list[str | None]
) -> None:
    psql(monkeypatch, servers, commands=command)
    assert (servers[0].told, servers[1].told) == (here, there)


def test_passwords_of_the_users_file_are_known_as_well(
    monkeypatch: pytest.MonkeyPatch, servers: Servers, tmp_path: Path
) -> None:
    file = tmp_path / ".pgpass"
    file.write_text("127.0.0.1:*:*:ana:of the file\n")
    file.chmod(0o600)
    psql(monkeypatch, servers, commands="\\connect - - 127.0.0.1 {there}\n", password="a%3Ab%5Cc")
    assert (servers[0].told, servers[1].told) == ([r"a:b\c"], ["of the file"])


def test_pg_dump_is_that_of_the_embedded_server(
    shared_db: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "notes.sql"

    def execve(program: str, command: list[str], environment: dict[str, str]) -> None:
        subprocess.run(command, env=environment, check=True, timeout=PATIENCE)
        raise ReplacedError(program)

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(
        sys, "argv", ["pgbraid", "pg_dump", "--dsn", shared_db.info.dsn, "-n", "braid", "-f", str(file)]
    )
    monkeypatch.setenv("PGBRAID_DEBUG", "1")
    with pytest.raises(ReplacedError, match=r"/pg_dump$"):
        main()
    assert "CREATE FUNCTION braid.logged_search(" in file.read_text()
