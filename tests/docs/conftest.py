"""Provide a database with the example documents, and programs of this environment to use it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import psycopg
import pytest
from psycopg import sql

import pgbraid
from docs.documents import example
from docs.markdown import inline
from pgbraid.embedded.programs import installed_programs
from pgbraid.embedders import LocalEmbedder
from support import npm
from support.postgrest import Gateway, running

Python = Callable[[str], str]
Shell = Callable[..., "subprocess.CompletedProcess[str]"]
SECONDS = 300
GATEWAY_ROLES = ("authenticator", "authenticated", "anon", "repeatable_reader", "hasty")


class RememberingEmbedder(LocalEmbedder):
    """Embed with the offline model, and compute each vector once."""

    def __init__(self) -> None:
        super().__init__()
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}

    def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, super().embed_documents(new), strict=True))
        return np.array([self._vectors[text] for text in texts])


@pytest.fixture(scope="session")
def embedder() -> LocalEmbedder:
    return RememberingEmbedder()


@pytest.fixture
def filled(dsn: str, embedder: LocalEmbedder) -> str:
    """Return the DSN of a database that holds the example documents, embedded by the offline model."""
    fill(dsn, "default", embedder)
    return dsn


def fill(dsn: str, tenant: str, embedder: LocalEmbedder) -> None:
    with pgbraid.connect(dsn, tenant=tenant, embedder=embedder) as client:
        with client.transaction():
            client.connection.execute("select set_config('braid.tenant', %s, true)", (tenant,))
            client.connection.execute(example().code.encode())
        client.embed_pending()


@pytest.fixture
def environment(dsn: str, pg_version: int, tmp_path: Path) -> dict[str, str]:
    """Return environment variables: PGBRAID_DSN, this environment's programs, and an empty home."""
    programs = [str(Path(sys.executable).parent), str(installed_programs(pg_version))]
    home = tmp_path / "home"
    home.mkdir()
    # The model stays in the user's cache, so that it is not downloaded again.
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    return {
        "PATH": os.pathsep.join([*programs, os.environ["PATH"]]),
        "HOME": str(home),
        "XDG_CACHE_HOME": cache,
        "PGBRAID_DSN": dsn,
        "LC_ALL": "C.UTF-8",
        "PGTZ": "UTC",
        "HAYSTACK_TELEMETRY_ENABLED": "False",
    }


@pytest.fixture
def shell(environment: dict[str, str], tmp_path: Path) -> Shell:
    """Run a program, or a line of bash, in an empty folder."""

    def run(*command: str | Path, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        arguments = ["bash", "-euo", "pipefail", "-c", *command] if len(command) == 1 else list(command)
        done = subprocess.run(
            arguments,
            env={**environment, **more},
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done

    return run


# The interpreter runs programs one after the other, each in a module of its own.
INTERPRETER = """
import json, sys, traceback

for line in sys.stdin:
    try:
        exec(compile(json.loads(line), "<block>", "exec"), {"__name__": "__main__"})
    except BaseException:
        traceback.print_exc()
        break
    print("\\n\\0", flush=True)
"""


@pytest.fixture
def python(environment: dict[str, str], tmp_path: Path) -> Iterator[Python]:
    """Yield a function that runs a program and returns its output: `python(program)`. One interpreter runs all
    programs of a test, because importing a framework takes longer than the examples."""
    started: list[subprocess.Popen[str]] = []
    errors = tmp_path / "errors"

    def start() -> subprocess.Popen[str]:
        with errors.open("w") as opened:
            return subprocess.Popen(
                ["python", "-W", "error", "-c", INTERPRETER],
                env=environment,
                cwd=tmp_path,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=opened,
                text=True,
            )

    def run(program: str) -> str:
        if not started:
            started.append(start())
        stdin, stdout = started[0].stdin, started[0].stdout
        assert stdin and stdout
        timer = threading.Timer(SECONDS, started[0].kill)
        timer.start()
        try:
            stdin.write(json.dumps(program) + "\n")
            stdin.flush()
            lines: list[str] = []
            while (line := stdout.readline()) != "\0\n":
                assert line, f"{program}: {errors.read_text()}"
                lines.append(line)
        finally:
            timer.cancel()
        return "".join(lines)

    yield run
    for interpreter in started:
        interpreter.communicate(timeout=SECONDS)
        assert interpreter.returncode == 0, errors.read_text()


@pytest.fixture
def forget_roles(dsn: str) -> Iterator[Callable[..., None]]:
    """Yield a function that names roles which a snippet makes on the server, dropped after the test:
    `forget_roles("app")`."""
    names: list[str] = []
    yield lambda *roles: names.extend(roles)
    with psycopg.connect(dsn, autocommit=True) as connection:
        for name in names:
            connection.execute(sql.SQL("drop owned by {} cascade").format(sql.Identifier(name)))
            connection.execute(sql.SQL("drop role {}").format(sql.Identifier(name)))


@pytest.fixture
def postgrest(filled: str, embedder: LocalEmbedder, forget_roles: Callable[..., None]) -> Iterator[Gateway]:
    """Yield PostgREST with Supabase's three roles and the documented grants; tenant acme has the documents, too."""
    binary = npm.postgrest()
    grants = inline("grant braid_writer to authenticated")
    assert re.fullmatch(r"((grant|select braid\.add_trusted_role)[^;]+;\s*)+", grants)
    with psycopg.connect(filled, autocommit=True) as connection:
        connection.execute("create role authenticator login noinherit; create role authenticated; create role anon")
        forget_roles(*GATEWAY_ROLES)
        connection.execute("create role repeatable_reader in role authenticated")
        connection.execute("alter role repeatable_reader set default_transaction_isolation = 'repeatable read'")
        connection.execute("create role hasty in role authenticated")
        connection.execute("alter role hasty set statement_timeout = '5ms'")
        connection.execute("grant authenticated, anon, repeatable_reader, hasty to authenticator")
        connection.execute(grants.encode())
        connection.execute("select braid.create_tenant('acme')")
        connection.execute(
            "create function braid.fail_with(state text) returns void language plpgsql"
            " as $$ begin raise exception 'it failed' using errcode = state; end $$"
        )
    fill(filled, "acme", embedder)
    with running(binary, filled) as gateway:
        yield gateway
