"""Stand in for a service that takes and answers JSON."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from support.waiting import PATIENCE


class JsonServer(ThreadingHTTPServer):
    """Answer each request with `answer(body)`, bytes unchanged, after using up the statuses in `failures`."""

    daemon_threads = True

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.failures: list[int] = []
        # The server calls this first with each body.
        self.before: Callable[[Any], object] | None = None
        self.retry_after: str | None = "0"
        # The server holds back all answers while this event is cleared.
        self.answers = threading.Event()
        self.answers.set()
        # `clock` is the server's wrong time, if set. `missing_bytes` are announced but not sent.
        self.clock: datetime | None = None
        self.missing_bytes: int | None = None
        # The server announces chunks (RFC 9112, 7.1), and sends none.
        self.is_chunked = False
        self.headers: list[Message] = []
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.authorization: str | None = None
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self) -> JsonServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.answers.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: JsonServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        self.server.paths.append(self.path)
        self.server.headers.append(self.headers)
        self.server.authorization = self.headers["Authorization"]
        if self.server.before is not None:
            self.server.before(body)
        self.server.answers.wait(PATIENCE)
        status = self.server.failures.pop(0) if self.server.failures else 200
        self.send_response(status)
        if self.server.retry_after is not None:
            self.send_header("Retry-After", self.server.retry_after)
        self.send_header("Location", "/elsewhere")
        if self.server.is_chunked:
            self.send_header("Transfer-Encoding", "chunked")
        answer = self.server.answer(body)
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        if self.server.missing_bytes is not None:
            self.send_header("Content-Length", str(len(content) + self.server.missing_bytes))
        self.end_headers()
        with suppress(OSError):  # the client has given up
            self.wfile.write(content)

    def date_time_string(self, timestamp: float | None = None) -> str:
        return super().date_time_string(self.server.clock.timestamp() if self.server.clock else timestamp)

    def log_message(self, *_: Any) -> None:
        pass
