"""A PostgREST in front of a database, set up as the README says."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from helpers import temporary_folder
from pgbraid.embedded.programs import Account, server_account

SECRET = "a secret of at least thirty-two characters"


@dataclass(frozen=True)
class Gateway:
    url: str

    def call(self, function: str, arguments: dict[str, Any], token: str | None = None) -> tuple[int, Any]:
        """Status and JSON answer of an RPC."""
        headers = {"Content-Type": "application/json", "Content-Profile": "braid"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        request = urllib.request.Request(f"{self.url}/rpc/{function}", json.dumps(arguments).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)


def sign(claims: dict[str, Any]) -> str:
    """A JSON web token, HS256."""

    def encode(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    parts = [encode(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims)]
    signature = hmac.digest(SECRET.encode(), ".".join(parts).encode(), hashlib.sha256)
    return ".".join([*parts, encode(signature)])


def token_for(tenant: str) -> str:
    return sign({"role": "authenticated", "app_metadata": {"tenant_id": tenant}})


@contextmanager
def running(binary: Path, dsn: str) -> Iterator[Gateway]:
    """PostgREST on loopback, never as root: then as the embedded server's own OS user."""
    account = server_account()
    folder = temporary_folder()
    try:
        folder.chmod(0o755)
        program = folder / "postgrest"
        shutil.copy(binary, program)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with (
            _let_in(account, dsn),
            (folder / "log").open("w+b") as log,
            _started(program, dsn, port, account, log) as process,
        ):
            try:
                gateway = Gateway(f"http://127.0.0.1:{port}")
                _wait(gateway, process, folder / "log")
                yield gateway
            finally:
                process.terminate()
    finally:
        shutil.rmtree(folder)


@contextmanager
def _let_in(account: Account, dsn: str) -> Iterator[None]:
    """A server that root started lets in root only; its own OS user may connect for the while."""
    if not account.switch:
        yield
        return
    with psycopg.connect(dsn, autocommit=True) as connection:
        ident_file = Path(connection.execute("show ident_file").fetchone()[0])  # type: ignore[index]
        before = ident_file.read_text()
        try:
            ident_file.write_text(f"{before}pgbraid {account.name} all\n")
            connection.execute("select pg_reload_conf()")
            yield
        finally:
            ident_file.write_text(before)
            connection.execute("select pg_reload_conf()")


def _started(program: Path, dsn: str, port: int, account: Account, log: Any) -> subprocess.Popen[bytes]:
    env = {
        "PATH": os.environ["PATH"],
        "PGRST_DB_URI": make_conninfo(dsn, user="authenticator"),
        "PGRST_DB_SCHEMAS": "braid",
        "PGRST_DB_ANON_ROLE": "anon",
        "PGRST_DB_POOL": "2",
        "PGRST_JWT_SECRET": SECRET,
        "PGRST_SERVER_HOST": "127.0.0.1",
        "PGRST_SERVER_PORT": str(port),
    }
    become: dict[str, Any] = {"user": account.uid, "group": account.gid, "extra_groups": []} if account.switch else {}
    return subprocess.Popen([program], env=env, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, **become)


def _wait(gateway: Gateway, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until its schema cache is loaded, when it knows the function."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if gateway.call("version", {}, sign({"role": "authenticated"}))[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"PostgREST does not answer:\n{log.read_text()[-3000:]}")
