"""Progress of reading files, on stderr."""

from __future__ import annotations

import sys
import time

import click

from pgbraid.cli.progress import SECONDS_BETWEEN_LINES
from pgbraid.display import clean

__all__ = ["ByteProgress"]


class ByteProgress:
    """How many bytes are done, how fast, and how long the rest will take. Other lines go through `say`."""

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
