"""Report progress on stderr: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from pgbraid.display import clean

__all__ = ["ByteProgress", "embed", "progress"]

SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the number done so far."""
    if sys.stderr.isatty():
        with click.progressbar(length=max(total, 1), label=label, file=sys.stderr, show_pos=True) as bar:
            yield lambda done: bar.update(done - bar.pos)
        return
    said = time.monotonic()

    def say(done: int) -> None:
        nonlocal said
        if done >= total or time.monotonic() - said > SECONDS_BETWEEN_LINES:
            said = time.monotonic()
            click.echo(f"{label}: {done} of {total}", err=True)

    yield say


def embed(client: object, collection: str) -> None:
    """Embed the waiting chunks of the collection. Without an embedder, say so: full text finds the text anyway."""
    from pgbraid.client import Client
    from pgbraid.errors import MissingExtraError

    assert isinstance(client, Client)
    waiting = client.status(collection)["collections"][0]["pending_embeddings"]
    if not waiting:
        return
    try:
        with progress("embedding chunks", waiting) as done:
            client.embed_pending(collection, progress=done)
    except KeyboardInterrupt:
        click.echo("\nthe documents are indexed; run it again to go on embedding them", err=True)
        raise
    except MissingExtraError as error:
        click.echo(f"not embedded, found by full text only: {error.message}", err=True)
        click.echo(f"hint: {error.hint}", err=True)


class ByteProgress:
    """Report how many bytes are done, the rate, and the remaining time. Other lines go through `say`."""

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = total
        self._done = 0
        self._began = self._said = time.monotonic()
        self._on_terminal = sys.stderr.isatty()

    def update(self, done: int) -> None:
        self._done = max(self._done, done)
        now = time.monotonic()
        if now - self._said < (0.2 if self._on_terminal else SECONDS_BETWEEN_LINES):
            return
        self._said = now
        if self._on_terminal:
            click.echo(f"\r\x1b[K{self._line(now)}", err=True, nl=False)
        else:
            click.echo(self._line(now), err=True)

    def say(self, line: str) -> None:
        self.clear()
        click.echo(clean(line), err=True)

    def clear(self) -> None:
        if self._on_terminal:
            click.echo("\r\x1b[K", err=True, nl=False)

    def _line(self, now: float) -> str:
        rate = self._done / max(now - self._began, 0.001)
        left = f", {_duration((self._total - self._done) / rate)} left" if 0 < self._done < self._total else ""
        share = 100 * self._done // self._total if self._total else 100
        return f"{self._label}: {share}% of {_megabytes(self._total)}, {_megabytes(rate)}/s{left}"


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
