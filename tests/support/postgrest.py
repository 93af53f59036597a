"""Run a real PostgREST in front of a database, and send requests to it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pgbraid.embedded.programs import Account, server_account
from support.servers import temporary_folder
from support.waiting import PATIENCE

SECRET = "a secret of at least thirty-two characters"


@dataclass(frozen=True)
class Answer:
    """Hold an answer; `data` is the body as JSON, None without one."""

    status: int
    headers: Mapping[str, str]
    data: Any

    @property
    def code(self) -> str | None:
        """Return an error's SQLSTATE or PGRST code."""
        return self.data["code"] if isinstance(self.data, dict) and self.status >= 400 else None


class Gateway:
    """Send requests to a PostgREST on one connection that stays open."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._connection.close()

    def call(self, function: str, arguments: Any, token: str | None = None) -> tuple[int, Any]:
        """Return the status and the JSON answer of an RPC."""
        answer = self.post(function, arguments, token)
        return answer.status, answer.data

    def post(self, function: str, arguments: Any, token: str | None = None, query: str = "", **headers: str) -> Answer:
        headers = {"Content-Type": "application/json", "Content-Profile": "braid", **headers}
        return self._request("POST", f"/rpc/{function}?{query}", json.dumps(arguments), token, headers)

    def get(self, function: str, arguments: Mapping[str, str], token: str | None = None, **headers: str) -> Answer:
        headers = {"Accept-Profile": "braid", **headers}
        return self._request("GET", f"/rpc/{function}?{urlencode(arguments)}", None, token, headers)

    def read(self, view: str, query: str, token: str | None = None) -> Answer:
        return self._request("GET", f"/{view}?{query}", None, token, {"Accept-Profile": "braid"})

    def send(self, method: str, view: str, query: str, body: Any, token: str | None = None, **headers: str) -> Answer:
        headers = {"Content-Type": "application/json", "Content-Profile": "braid", **headers}
        text = None if body is None else json.dumps(body)
        return self._request(method, f"/{view}?{query}", text, token, headers)

    def _request(self, method: str, path: str, body: str | None, token: str | None, headers: dict[str, str]) -> Answer:
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
            text = response.read()
        except OSError:
            self._connection.close()
            raise
        return Answer(response.status, dict(response.getheaders()), json.loads(text) if text else None)


def sign(claims: dict[str, Any], secret: str = SECRET, algorithm: str = "HS256") -> str:
    """Return a JSON web token. The algorithm "none" leaves the signature out."""

    def encode(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    parts = [encode(json.dumps(part).encode()) for part in ({"alg": algorithm, "typ": "JWT"}, claims)]
    signature = b"" if algorithm == "none" else hmac.digest(secret.encode(), ".".join(parts).encode(), hashlib.sha256)
    return ".".join([*parts, encode(signature)])


def token_for(tenant: str, role: str = "authenticated", **claims: Any) -> str:
    return sign({"role": role, "app_metadata": {"tenant_id": tenant}, **claims})


@contextmanager
def running(
    binary: Path, dsn: str, login: str = "authenticator", anonymous: str = "anon", **settings: str
) -> Iterator[Gateway]:
    """Run PostgREST on loopback, never as root but as the embedded server's own OS user. `settings` are PostgREST's
    settings, such as PGRST_DB_MAX_ROWS."""
    account = server_account()
    folder = temporary_folder()
    try:
        folder.chmod(0o755)
        program = folder / "postgrest"
        shutil.copy(binary, program)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        environment = {
            "PATH": os.environ["PATH"],
            "PGRST_DB_URI": make_conninfo(dsn, user=login),
            "PGRST_DB_SCHEMAS": "braid",
            "PGRST_DB_ANON_ROLE": anonymous,
            "PGRST_DB_POOL": "2",
            "PGRST_JWT_SECRET": SECRET,
            "PGRST_SERVER_HOST": "127.0.0.1",
            "PGRST_SERVER_PORT": str(port),
            **settings,
        }
        with (
            _let_in(account, dsn),
            (folder / "log").open("w+b") as log,
            _started(program, environment, account, log) as process,
        ):
            gateway = Gateway(port)
            try:
                _wait(gateway, process, folder / "log")
                yield gateway
            finally:
                gateway.close()
                process.terminate()
    finally:
        shutil.rmtree(folder)


@contextmanager
def _let_in(account: Account, dsn: str) -> Iterator[None]:
    """Let the server's own OS user connect for a while: a server that root started lets in only root. A server
    reached over TCP has rules of its own."""
    if not account.switch or not str(conninfo_to_dict(dsn).get("host", "/")).startswith("/"):
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


def _started(program: Path, environment: dict[str, str], account: Account, log: Any) -> subprocess.Popen[bytes]:
    become: dict[str, Any] = {"user": account.uid, "group": account.gid, "extra_groups": []} if account.switch else {}
    return subprocess.Popen(
        [program], env=environment, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, **become
    )


def _wait(gateway: Gateway, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until PostgREST has loaded its schema cache: only then does it check the function's privileges."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            answer = gateway.post("version", {})
            if answer.status == 200 or answer.code == "42501":
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.1)
    raise AssertionError(f"PostgREST does not answer:\n{log.read_text()[-3000:]}")
