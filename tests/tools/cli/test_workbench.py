"""Test the start and the end of pgbraid workbench."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import psycopg
import pytest

from support.waiting import PATIENCE

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]
COMMAND = [sys.executable, "-c", "from pgbraid.cli import main; main()", "workbench"]


class Started:
    """Run a server in a process of its own; keep its first line and, after its end, the rest of its output."""

    def __init__(self, dsn: str, *arguments: str, http: str = "127.0.0.1:0", **environment: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "--http", http, "--dsn", dsn, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **environment},
        )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        self.said = ""

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.said = self.line + self.process.communicate(timeout=PATIENCE)[0]


@contextmanager
def started(dsn: str, *arguments: str, **given: str) -> Iterator[Started]:
    running = Started(dsn, *arguments, **given)
    try:
        yield running
    finally:
        running.stop()


def asked(url: str, body: Any, token: str | None = None, **headers: str) -> Any:
    given = {"Content-Type": "application/json", **headers}
    if token is not None:
        given["Authorization"] = f"Bearer {token}"
    try:
        with urlopen(Request(url, json.dumps(body).encode(), given), timeout=PATIENCE) as answer:
            return json.load(answer)
    except HTTPError as error:
        with error:
            raise


def test_it_says_where_it_is_and_logs_no_token(dsn: str) -> None:
    with started(dsn, "--tenant", "default") as running:
        match = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/#code=([\w-]{43})\n", running.line)
        assert match, running.line
        token = asked(f"{match[1]}/api/enter", {"code": match[2]})["token"]
        assert asked(f"{match[1]}/api/session", {}, token)["tenant"] == "default"
    # The server prints the next address after a code was used.
    following = re.findall(rf"let in by {match[1]}/#code=([\w-]{{43}})\n", running.said)
    assert len(following) == 1 and following[0] != match[2]
    assert token not in running.said and "Traceback" not in running.said


def test_a_name_is_printed_as_the_address_that_it_stands_for(dsn: str) -> None:
    """A name is printed as its address, because localhost is also [::1], where somebody else may listen."""
    with started(dsn, http="localhost:0") as running:
        assert running.line.startswith("http://127.0.0.1:")


def test_all_interfaces_are_no_address_to_ask(dsn: str) -> None:
    with started(dsn, "--allowed-host", "search.example.com", http="0.0.0.0:0") as running:
        match = re.fullmatch(r"http://search\.example\.com:(\d+)/#code=([\w-]{43})\n", running.line)
        assert match, running.line
        url = f"http://127.0.0.1:{match[1]}/api/enter"
        with pytest.raises(HTTPError, match="421"):
            asked(url, {"code": match[2]}, Host=f"0.0.0.0:{match[1]}")
        assert asked(url, {"code": match[2]}, Host="search.example.com")["token"]


def test_a_token_of_the_environment_is_not_printed(dsn: str) -> None:
    token = "a-token.of_this~test-alone"
    with started(dsn, PGBRAID_WORKBENCH_TOKEN=token) as running:
        match = re.fullmatch(
            r"(http://127\.0\.0\.1:\d+)/ asks for the token of PGBRAID_WORKBENCH_TOKEN\n", running.line
        )
        assert match, running.line
        assert asked(f"{match[1]}/api/session", {}, token)["tenant"] == "default"
        with pytest.raises(HTTPError, match="401"):
            asked(f"{match[1]}/api/enter", {"code": token})
    assert token not in running.said and "code" not in running.said


def test_it_stops_while_a_search_runs(dsn: str) -> None:
    ended: list[Any] = []

    def search(url: str, token: str) -> None:
        try:
            ended.append(asked(url, {"query": "price", "mode": "full_text"}, token))
        except OSError as error:
            ended.append(error)

    with psycopg.connect(dsn) as holding:
        holding.execute("lock table braid_store.chunks in access exclusive mode")
        running = Started(dsn)
        address, _, code = running.line.strip().partition("#code=")
        token = asked(f"{address}api/enter", {"code": code})["token"]
        searching = threading.Thread(target=search, args=(f"{address}api/search", token))
        searching.start()
        waiting = """
            select count(*) from pg_locks l join pg_database d on d.oid = l.database
            where d.datname = current_database() and not l.granted
        """
        while holding.execute(waiting).fetchone() == (0,):
            assert searching.is_alive(), ended
        # The lock is held until the server has ended.
        running.stop()
        holding.rollback()
    searching.join(PATIENCE)
    assert "Traceback" not in running.said
    assert len(ended) == 1 and isinstance(ended[0], OSError)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--http", "8760"], "is not HOST:PORT"),
        (["--http", "0.0.0.0:0"], "other machines can reach 0.0.0.0"),
        *(
            (["--allowed-host", name], f"{name} is not a name alone")
            for name in ("https://a.example.com", "a.example.com:80", "[::1]", "0.0.0.0", "::", "a b", "a/b", "-a", "*")
        ),
        (["--tenant", "nobody"], "nobody"),
        (["--embedding-url", "http://localhost"], "--embedding-url needs --embedding-model"),
    ],
)
def test_what_is_wrong_is_told(run: Run, arguments: list[str], said: str) -> None:
    done = run("workbench", "--http", "127.0.0.1:0", *arguments)
    assert done.code == 2 and said in done.err and "Traceback" not in done.err


@pytest.mark.parametrize("token", ["short", f"{'x' * 30}…", f"{'x' * 30}%41", f"{'x' * 30}&", f" {'x' * 30}"])
def test_a_token_that_cannot_be_typed_or_sent_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("PGBRAID_WORKBENCH_TOKEN", token)
    done = run("workbench", "--http", "127.0.0.1:0")
    assert done.code == 2 and "PGBRAID_WORKBENCH_TOKEN needs 24" in done.err
