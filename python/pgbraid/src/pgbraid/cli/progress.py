"""Progress on stderr: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

__all__ = ["SECONDS_BETWEEN_LINES", "embed", "progress"]

SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Gives a function to call with the number done so far."""
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
    """Embed what waits in the collection. Without an embedder, say so: full text finds the text anyway."""
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
