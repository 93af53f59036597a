"""pgbraid work."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import TYPE_CHECKING

import click

from pgbraid.cli.options import dsn_option, embedding_options, embedding_service
from pgbraid.display import clean

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid.embedders import Embedder
    from pgbraid.stored import EmbeddingBacklog

# Chunks of one tenant before the others have their turn, and before the worker looks whether it is to stop.
ROUND = 512
BATCH = 64


@click.command(short_help="Embed and maintain, for all tenants, until stopped.")
@dsn_option
@click.option("--interval", default=5.0, show_default=True, type=click.FloatRange(min=0.1), help="Seconds at rest.")
@click.option("--once", is_flag=True, help="End when nothing is left to do now.")
@embedding_options
def work(dsn: str | None, interval: float, once: bool, embedding_url: str | None, embedding_model: str | None) -> None:
    """Embed what waits in the outbox and maintain the indexes, for all tenants, until stopped. Several may run at once.

    The login is a service that writes: grant braid_writer to NAME; select braid.add_trusted_role('NAME', 'service');

    Embeds with the offline model, or with the service of --embedding-url, whose key is in OPENAI_API_KEY, for the
    collections of that model. With --once, the exit code is 1 if chunks of these are left that could not be embedded,
    or that another worker has.
    """
    from pgbraid._dsn import find_dsn
    from pgbraid.embedders import LocalEmbedder
    from pgbraid.errors import PgbraidError

    dsn = find_dsn(dsn)
    embedder = embedding_service(embedding_url, embedding_model) or LocalEmbedder()
    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        while not stopped.is_set():
            busy = False
            try:
                busy = _round(dsn, embedder, stopped)
            except PgbraidError as error:
                if once:
                    raise
                click.echo(f"tried again after {interval:g} s: {error}", err=True)
            if once and not busy:
                if not stopped.is_set() and _report_left(dsn, embedder):
                    raise SystemExit(1)
                return
            if not busy:
                stopped.wait(interval)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _round(dsn: str, embedder: Embedder, stopped: threading.Event) -> bool:
    """Embed for each tenant in turn, then maintain. Whether there is more to do at once."""
    import pgbraid

    busy = False
    with pgbraid.connect(dsn, embedder=embedder) as client:
        for waiting in _backlog(client, embedder):
            if waiting.claimable_count:
                client.tenant = waiting.tenant
                busy |= _embed(client, waiting, stopped)
            if stopped.is_set():
                return False
        done = client.maintain(5)
        if "seconds_needed" in done:
            done = client.maintain(done["seconds_needed"])
        return busy or not done["complete"]


def _embed(client: Client, waiting: EmbeddingBacklog, stopped: threading.Event) -> bool:
    """Embed for one tenant until its turn is over; whether more may wait."""
    from pgbraid.errors import EmbeddingError, InvalidArgumentError

    done = 0
    more = True
    try:
        while more and done < ROUND and not stopped.is_set():
            embedded = client.embed_pending(waiting.collection, limit=BATCH)
            done += embedded
            more = embedded > 0
    except (EmbeddingError, InvalidArgumentError) as error:
        more = False
        click.echo(clean(f"{waiting.tenant}, {waiting.collection}: {error.message}"), err=True)
    if done:
        click.echo(clean(f"{waiting.tenant}, {waiting.collection}: {done} chunks embedded"))
    return more


def _backlog(client: Client, embedder: Embedder) -> list[EmbeddingBacklog]:
    """What waits for an embedding of the embedder's model."""
    from pgbraid.errors import PermissionDeniedError

    try:
        backlog = client.embedding_backlog()
    except PermissionDeniedError as error:
        login = client.connection.info.user
        raise PermissionDeniedError(
            f"the login {login} is no service of this database",
            hint=f"have an administrator run: grant braid_writer to {login};"
            f" select braid.add_trusted_role('{login}', 'service')",
            sqlstate=error.sqlstate,
        ) from error
    # A model is given with its dimensions where it can be cut to several.
    name = embedder.model_name
    return [waiting for waiting in backlog if waiting.embedding_model in (name, f"{name}@{waiting.dimensions}")]


def _report_left(dsn: str, embedder: Embedder) -> bool:
    """Say what is left in the outbox of the embedder's model; whether anything is."""
    import pgbraid

    with pgbraid.connect(dsn) as client:
        left = _backlog(client, embedder)
    for waiting in left:
        reason = f", last error: {waiting.last_error}" if waiting.last_error else ", claimed by another worker"
        click.echo(
            clean(f"{waiting.tenant}, {waiting.collection}: {waiting.waiting_count} chunks not embedded{reason}"),
            err=True,
        )
    return bool(left)
