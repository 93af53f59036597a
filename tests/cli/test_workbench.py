"""pgbraid workbench, as it starts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

import pytest

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]
COMMAND = [sys.executable, "-c", "from pgbraid.cli import main; main()", "workbench", "--http", "127.0.0.1:0"]


def test_it_says_where_it_is_and_logs_no_token(dsn: str) -> None:
    process = subprocess.Popen(
        [*COMMAND, "--dsn", dsn, "--tenant", "default"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/#token=([\w-]{43})\n", line)
        assert match, line
        headers = {"Authorization": f"Bearer {match[2]}", "Content-Type": "application/json"}
        with urlopen(Request(f"{match[1]}/api/session", b"{}", headers), timeout=30) as answer:
            assert b'"tenant":"default"' in answer.read()
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert match[2] not in out + err and "Traceback" not in err


def test_a_token_of_the_environment_is_not_printed(dsn: str) -> None:
    token = "a-token-of-this-test-alone"
    process = subprocess.Popen(
        [*COMMAND, "--dsn", dsn],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PGBRAID_WORKBENCH_TOKEN": token},
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline()
    finally:
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=30)
    assert address.startswith("http://127.0.0.1:") and token not in address + rest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--http", "8760"], "is not HOST:PORT"),
        (["--http", "0.0.0.0:0"], "others may reach 0.0.0.0"),
        (["--tenant", "nobody"], "nobody"),
        (["--embedding-url", "http://localhost"], "--embedding-url needs --embedding-model"),
    ],
)
def test_what_is_wrong_is_told(run: Run, arguments: list[str], said: str) -> None:
    done = run("workbench", "--http", "127.0.0.1:0", *arguments)
    assert done.code == 2 and said in done.err and "Traceback" not in done.err


def test_a_short_token_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGBRAID_WORKBENCH_TOKEN", "short")
    done = run("workbench", "--http", "127.0.0.1:0")
    assert done.code == 2 and "PGBRAID_WORKBENCH_TOKEN needs 24" in done.err
