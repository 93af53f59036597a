"""Send requests to services that take and return JSON."""

from __future__ import annotations

import http.client
import json
import os
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from datetime import datetime, timezone
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any

from pgbraid.errors import InvalidArgumentError, PgbraidError

LONGEST_WAIT = 60.0
# Bounds a response: it is read until the timeout, and an endless one would fill the memory.
MOST_BYTES = 256 << 20


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follow no redirect: a redirected POST would become a GET, and take the API key to another server."""

    def redirect_request(self, *_: object) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


class JsonService:
    """Send POST requests to one address.

    `api_key` defaults to the environment variable named `environment`; without a key, no `key_header` is sent.
    `timeout` is in seconds per request. Responses 429 and 5xx are retried up to `retries` times, after the service's
    Retry-After, or else after 0.5, 1, 2, … seconds, plus or minus half. They are not retried if Retry-After exceeds
    LONGEST_WAIT; nor is a request to an unreachable service. Until Retry-After has passed, other threads wait as well.
    `error` makes the exception to raise from a description of what the service did.
    """

    def __init__(
        self,
        base_url: str,
        path: str,
        *,
        error: Callable[[str], PgbraidError],
        api_key: str | None,
        environment: str | None,
        key_header: str = "Authorization",
        timeout: float,
        retries: int,
    ) -> None:
        parts = urllib.parse.urlsplit(base_url)
        if parts.scheme not in ("http", "https"):
            raise InvalidArgumentError(f"base_url {base_url!r} is not an http(s) address")
        if "@" in parts.netloc:
            raise InvalidArgumentError(
                "base_url has a user name or a password", hint="leave them out, and give the service's key as api_key"
            )
        if not timeout > 0:
            raise InvalidArgumentError(f"timeout is {timeout}", hint="give seconds, more than 0")
        if retries < 0:
            raise InvalidArgumentError(f"retries is {retries}", hint="use a number from 0")
        if api_key is None and environment is not None:
            api_key = os.environ.get(environment)
        # A header can hold no other character, and the message must not quote the key.
        if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
            raise InvalidArgumentError("api_key has a line break or other characters that no key has")
        # The address may have a query, as Azure's has its api-version.
        parts = parts._replace(path=parts.path.rstrip("/") + path)
        self.url = urllib.parse.urlunsplit(parts)
        # Error messages, which tenants see, name this address: a query may hold a key.
        self.address = urllib.parse.urlunsplit(parts._replace(query="", fragment=""))
        self._error = error
        self._key_header = key_header
        self._api_key = api_key
        self._timeout = timeout
        self._retries = retries
        self._not_before = 0.0

    def post(self, body: dict[str, Any], *, within: float | None = None) -> Any:
        """Return the parsed response. Do not retry if the retry could not be sent within `within` seconds."""
        headers = {"Content-Type": "application/json", "User-Agent": "pgbraid"}
        if self._api_key:
            scheme = "Bearer " if self._key_header == "Authorization" else ""
            headers[self._key_header] = scheme + self._api_key
        # The scheme was checked to be http(s).
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers, method="POST")
        give_up = float("inf") if within is None else time.monotonic() + within
        for attempt in range(self._retries + 1):
            self._wait_until(self._not_before, give_up, "asked to wait")
            try:
                return json.loads(self._read(request))
            except urllib.error.HTTPError as error:
                detail = _beginning(error)
                said = f"answered {error.code} {error.reason}: {detail}"
                if error.code != 429 and error.code < 500:
                    raise self._error(said) from error
                asked = retry_after(error.headers)
                if asked is not None:
                    self._not_before = time.monotonic() + asked
                if attempt == self._retries:
                    raise self._error(said) from error
                # The random factor keeps clients that failed together from retrying together.
                pause = 0.5 * 2.0**attempt * random.uniform(0.5, 1.5) if asked is None else asked
                self._wait_until(time.monotonic() + pause, give_up, said)
            except http.client.IncompleteRead as error:
                raise self._error("broke off its answer") from error
            except (ValueError, RecursionError) as error:
                raise self._error("did not answer JSON") from error
            except (OSError, http.client.HTTPException) as error:
                raise self._error(f"is unreachable: {getattr(error, 'reason', error)}") from error
        raise AssertionError("unreachable")

    def _read(self, request: urllib.request.Request) -> bytes:
        """Return the whole response within the timeout; a socket's timeout bounds each read only."""
        deadline = time.monotonic() + self._timeout
        parts: list[bytes] = []
        size = 0
        with _opener.open(request, timeout=self._timeout) as response:
            while part := response.read1(1 << 16):
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    raise self._error(f"answered more than {MOST_BYTES >> 20} MB")
                if time.monotonic() > deadline:
                    raise TimeoutError(f"no whole answer within {self._timeout:g} s")
            if response.length:
                raise http.client.IncompleteRead(b"", response.length)
        return b"".join(parts)

    def _wait_until(self, moment: float, give_up: float, why: str) -> None:
        seconds = moment - time.monotonic()
        if seconds > LONGEST_WAIT or moment > give_up:
            raise self._error(f"{why}; the next request would be possible in {seconds:.1f} s, which is too late")
        if seconds > 0:
            time.sleep(seconds)


def _beginning(error: urllib.error.HTTPError) -> str:
    with error:
        try:
            return error.read(500).decode("utf-8", "replace").strip()
        except (OSError, http.client.HTTPException):
            # The service sent nothing, or broke the connection off.
            return ""


def retry_after(headers: Message) -> float | None:
    """Return seconds; None without the header, or if it is neither seconds nor a date (RFC 9110, 10.2.3)."""
    value = headers.get("Retry-After")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        moment = _moment(value)
        if moment is None:
            return None
        # Use the service's clock, which may differ from ours.
        now = _moment(headers.get("Date")) or datetime.now(timezone.utc)
        seconds = (moment - now).total_seconds()
    return max(seconds, 0.0) if seconds == seconds else None


def _moment(value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    # A date without a zone is in UTC.
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
