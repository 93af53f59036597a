"""Share an embedder among workers: decide whether service or text is at fault, adapt the batch size, and pause."""

from __future__ import annotations

import random
import threading
import time
import urllib.error
from typing import TYPE_CHECKING

from pgbraid._http import retry_after
from pgbraid.embedders.http import Usage
from pgbraid.errors import DimensionMismatchError, EmbeddingError, MissingExtraError, PgbraidError
from pgbraid.text_vectors import embedder_failure
from pgbraid.vectors import to_vector

if TYPE_CHECKING:
    from pgvector import Vector

    from pgbraid.embedders import Embedder

FIRST_BATCH = 64
# Seconds per batch: a quicker batch makes the next larger, a slower one smaller.
QUICK, SLOW = 2.0, 10.0
# Seconds of pauses while the service is down; the service may ask for up to LONGEST_ASKED.
FIRST_PAUSE, LONGEST_PAUSE, LONGEST_ASKED = 0.5, 60.0, 3600.0
# No model refuses this text. If it fails, the service is at fault, and not the previous text.
HARMLESS = "warm up"
# The request was wrong whatever its text: a key, or an account without money. Gateways may send 403, 404, 405 and
# redirects for a text that looks like an attack, so these are not listed.
WRONG_REQUEST = (401, 402, 407)
# These HTTP statuses mean that the service is overloaded. After MOST_OVERLOADED such answers to one text alone, the
# text counts as refused, because it may exceed a limit of the service.
OVERLOADED = (425, 429)
MOST_OVERLOADED = 8
REFUSED_TEXT = (400, 413, 414, 422)


class UnavailableError(EmbeddingError):
    """The service cannot embed anything now."""

    retryable = True

    def __init__(self, message: str, *, hint: str | None = None, is_overload: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.is_overload = is_overload


class MisconfiguredError(EmbeddingError):
    """The service will embed nothing until somebody changes an option or a key."""


class RefusedError(EmbeddingError):
    """The service embeds other texts, but not this one. `is_final` means that the service said so itself."""

    def __init__(self, error: PgbraidError, *, is_final: bool) -> None:
        super().__init__(error.message, hint=error.hint)
        self.is_final = is_final


class LateError(EmbeddingError):
    """Time ran out before it was known whether the service embeds this text."""


class Service:
    """Wrap an embedder for several threads."""

    def __init__(self, embedder: Embedder, stopped: threading.Event, *, price_per_million: float | None = None) -> None:
        self.embedder = embedder
        self.price_per_million = price_per_million
        # The largest batch of one request.
        self._most: int = getattr(embedder, "batch_size", 256)
        self.batch_size = min(FIRST_BATCH, self._most)
        self.failures = 0
        self._stopped = stopped
        self._not_before = 0.0
        self._paused_at = 0.0
        # Number of attempts at a text sent alone that met an overloaded service.
        self._overloads: dict[str, int] = {}
        self._lock = threading.Lock()

    def wait(self) -> bool:
        """Wait until the service may be called again; return False if the worker was stopped."""
        while (seconds := self._not_before - time.monotonic()) > 0:
            # The random part keeps threads that wait for the same moment from calling all at once.
            if self._stopped.wait(seconds + random.uniform(0, min(seconds, 1.0))):
                return False
        return not self._stopped.is_set()

    def embed(
        self, texts: list[str], dimensions: int, *, within: float = float("inf")
    ) -> list[Vector | RefusedError | LateError]:
        """Return for each text its vector or its error; after `within` seconds, stop looking for the texts at fault.
        Raise UnavailableError, MisconfiguredError, and DimensionMismatchError if the service's dimensions are not the
        collection's."""
        begun = time.monotonic()
        try:
            found = self._embed(texts, dimensions, begun + within, is_part=False)
        except UnavailableError as error:
            self._pause(error, begun)
            raise
        with self._lock:
            self.failures = 0
            seconds = time.monotonic() - begun
            if any(isinstance(one, LateError) for one in found):
                self.batch_size = max(1, min(self.batch_size, len(texts) // 8))
            elif seconds > SLOW:
                self.batch_size = max(1, len(texts) // 2)
            elif seconds < QUICK and len(texts) >= self.batch_size:
                self.batch_size = min(self._most, self.batch_size * 2)
        return found

    def apart(self, error: PgbraidError, texts: list[str], dimensions: int) -> list[Vector | RefusedError | LateError]:
        """Return as `embed` does, for texts that have failed together with this error."""
        return self._apart(error, texts, dimensions, float("inf"), is_part=False)

    def take_usage(self) -> Usage:
        """Return this thread's use of the service since its last call of take_usage."""
        take = getattr(self.embedder, "take_usage", None)
        return take() if take else Usage()

    def _embed(
        self, texts: list[str], dimensions: int, until: float, *, is_part: bool
    ) -> list[Vector | RefusedError | LateError]:
        if is_part and time.monotonic() > until:
            return [LateError("no time was left")] * len(texts)
        try:
            vectors = self._vectors(texts, dimensions)
            if len(texts) == 1:
                self._overloads.pop(texts[0], None)
            return [*vectors]
        except PgbraidError as error:
            return self._apart(error, texts, dimensions, until, is_part=is_part)

    def _apart(
        self, error: PgbraidError, texts: list[str], dimensions: int, until: float, *, is_part: bool
    ) -> list[Vector | RefusedError | LateError]:
        self._blame(error, texts[0] if len(texts) == 1 else None)
        status = status_of(error)
        if not is_part or len(texts) == 1:
            self._probe(dimensions)
        if len(texts) == 1:
            return [RefusedError(error, is_final=status in REFUSED_TEXT)]
        if status == 413:
            with self._lock:
                self.batch_size = max(1, min(self.batch_size, len(texts) // 2))
        half = len(texts) // 2
        return [
            *self._embed(texts[:half], dimensions, until, is_part=True),
            *self._embed(texts[half:], dimensions, until, is_part=True),
        ]

    def _vectors(self, texts: list[str], dimensions: int) -> list[Vector]:
        vectors = document_vectors(self.embedder, texts)
        for vector in vectors:
            if vector.dimensions() != dimensions:
                raise DimensionMismatchError(
                    f"{self.embedder.model_name} gives {vector.dimensions()} dimensions,"
                    f" and the collection has {dimensions}",
                    hint="embed with the collection's model, or move the collection to another model with"
                    " braid.start_model_change",
                )
        return vectors

    def _blame(self, error: PgbraidError, single: str | None = None) -> None:
        """Raise if the service is certainly at fault. `single` is the text if there was only one."""
        status = status_of(error)
        if status in WRONG_REQUEST or isinstance(error, MissingExtraError):
            raise MisconfiguredError(error.message, hint=error.hint) from error
        if status in OVERLOADED or (status == 503 and retry_after_of(error) is not None):
            if single is not None:
                with self._lock:
                    self._overloads[single] = self._overloads.get(single, 0) + 1
                    if self._overloads[single] > MOST_OVERLOADED:
                        del self._overloads[single]
                        return
            raise UnavailableError(error.message, hint=error.hint, is_overload=True) from error.__cause__

    def _probe(self, dimensions: int) -> None:
        """Raise if the service fails for a harmless text as well."""
        if self._stopped.is_set():
            raise UnavailableError("the worker stops")
        try:
            self._vectors([HARMLESS], dimensions)
        except DimensionMismatchError:
            raise
        except PgbraidError as error:
            self._blame(error)
            if 300 <= (status_of(error) or 0) < 500:
                raise MisconfiguredError(error.message, hint=error.hint) from error
            raise UnavailableError(error.message, hint=error.hint) from error.__cause__

    def _pause(self, error: UnavailableError, begun: float) -> None:
        asked = retry_after_of(error)
        with self._lock:
            # A request from before the last pause met the same outage.
            if begun < self._paused_at and asked is None:
                return
            seconds = min(FIRST_PAUSE * 2.0 ** min(self.failures, 10), LONGEST_PAUSE) * random.uniform(0.5, 1.5)
            if asked is not None:
                seconds = max(min(asked, LONGEST_ASKED), 0.05)
            if begun >= self._paused_at:
                self._paused_at = time.monotonic()
                self.failures += 1
                if error.is_overload:
                    self.batch_size = max(1, self.batch_size // 2)
            self._not_before = max(self._not_before, time.monotonic() + seconds)

    @property
    def pause(self) -> float:
        """Return the seconds until the service may be called again."""
        return max(0.0, self._not_before - time.monotonic())


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status of the service's error, None if there was no response."""
    cause = error.__cause__
    return cause.code if isinstance(cause, urllib.error.HTTPError) else None


def is_down(error: BaseException) -> bool:
    """Return whether the service was unreachable, or says that it is down. Other failures, such as 500, 502 and a
    timeout, may be a text's fault."""
    status = status_of(error)
    return status == 503 or (status is None and isinstance(error.__cause__, urllib.error.URLError))


def retry_after_of(error: BaseException) -> float | None:
    cause = error.__cause__
    return retry_after(cause.headers) if isinstance(cause, urllib.error.HTTPError) else None


def document_vectors(embedder: Embedder, texts: list[str]) -> list[Vector]:
    """Return a vector for each text; equal texts are embedded once. Raise EmbeddingError, InvalidArgumentError."""
    different = list(dict.fromkeys(texts))
    try:
        vectors = embedder.embed_documents(different)
        if len(vectors) != len(different):
            raise EmbeddingError(f"the embedder gave {len(vectors)} vectors for {len(different)} texts")
        vector_of = {text: to_vector(vector, "a chunk") for text, vector in zip(different, vectors, strict=True)}
    except PgbraidError:
        raise
    except Exception as error:
        raise embedder_failure(error) from error
    return [vector_of[text] for text in texts]
