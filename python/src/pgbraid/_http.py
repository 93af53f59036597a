"""Requests to services that take JSON and answer JSON."""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any

from pgbraid.errors import InvalidArgumentError, PgbraidError

__all__ = ["JsonService"]

LONGEST_WAIT = 20.0


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected POST would become a GET, and take the API key to wherever it leads."""

    def redirect_request(self, *_: object) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


class JsonService:
    """POST requests to one address.

    `api_key` defaults to the environment variable named `environment`; without one, no Authorization header is sent.
    `timeout` is in seconds per request. Answers 429 and 5xx are repeated up to `retries` times, after the service's
    Retry-After or 0.5, 1, 2, … seconds; an unreachable service is not. `error` makes the exception that is raised
    of what the service did.
    """

    def __init__(
        self,
        base_url: str,
        path: str,
        *,
        error: Callable[[str], PgbraidError],
        api_key: str | None,
        environment: str | None,
        timeout: float,
        retries: int,
    ) -> None:
        if urllib.parse.urlsplit(base_url).scheme not in ("http", "https"):
            raise InvalidArgumentError(f"base_url {base_url!r} is not an http(s) address")
        if not timeout > 0:
            raise InvalidArgumentError(f"timeout is {timeout}", hint="give seconds, more than 0")
        if retries < 0:
            raise InvalidArgumentError(f"retries is {retries}", hint="use a number from 0")
        if api_key is None and environment is not None:
            api_key = os.environ.get(environment)
        # A header cannot hold anything else, and the key is not to be quoted.
        if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
            raise InvalidArgumentError("api_key has a line break or other characters that no key has")
        self.url = base_url.rstrip("/") + path
        self._error = error
        self._api_key = api_key
        self._timeout = timeout
        self._retries = retries

    def post(self, body: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json", "User-Agent": "pgbraid"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        # The scheme was checked to be http(s).
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers, method="POST")
        for attempt in range(self._retries + 1):
            try:
                with _opener.open(request, timeout=self._timeout) as response:
                    return json.loads(response.read())
            except urllib.error.HTTPError as error:
                with error:
                    detail = error.read(500).decode("utf-8", "replace").strip()
                if attempt == self._retries or (error.code != 429 and error.code < 500):
                    raise self._error(f"answered {error.code} {error.reason}: {detail}") from error
                time.sleep(_wait(error.headers.get("Retry-After"), attempt))
            except (ValueError, RecursionError) as error:
                raise self._error("did not answer JSON") from error
            except (OSError, http.client.HTTPException) as error:
                raise self._error(f"is unreachable: {getattr(error, 'reason', error)}") from error
        raise AssertionError("unreachable")


def _wait(retry_after: str | None, attempt: int) -> float:
    try:
        seconds = float(retry_after or "")
    except ValueError:
        seconds = 0.5 * 2.0**attempt
    return min(max(seconds, 0.0), LONGEST_WAIT)
