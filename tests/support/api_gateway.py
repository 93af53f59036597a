"""Stand in for Supabase's API gateway in front of PostgREST, which replaces keys by tokens."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.waiting import PATIENCE


class ApiGateway(ThreadingHTTPServer):
    """Forward requests. `tokens` maps each publishable or secret key to its token; a legacy key is itself a token."""

    daemon_threads = True

    def __init__(self, port: int, tokens: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port = port
        self.tokens = tokens
        self.requests: list[Mapping[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: ApiGateway

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append({name.lower(): value for name, value in self.headers.items()})
        key = self.headers.get("apikey")
        if key is None or key not in self.server.tokens:
            self._send(401, {"message": "Invalid API key" if key else "No API key found in request"})
            return
        given = self.headers.get("Authorization")
        keeps = ("Accept-Profile", "Content-Profile", "Content-Type", "Accept", "x-braid-tenant")
        headers = {name: self.headers[name] for name in keeps if name in self.headers}
        headers["Authorization"] = (
            given if given and not given.startswith("Bearer sb_") else f"Bearer {self.server.tokens[key]}"
        )
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        connection.request(self.command, self.path.removeprefix("/rest/v1"), body, headers)
        response = connection.getresponse()
        self._send(response.status, response.read())
        connection.close()

    def _send(self, status: int, answer: Any) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(answer if isinstance(answer, bytes) else json.dumps(answer).encode())

    do_GET = do_POST = _answer  # noqa: N815

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def running(port: int, tokens: Mapping[str, str]) -> Iterator[ApiGateway]:
    gateway = ApiGateway(port, tokens)
    thread = threading.Thread(target=gateway.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield gateway
    finally:
        gateway.shutdown()
        thread.join()
        gateway.server_close()
