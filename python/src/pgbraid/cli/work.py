"""pgbraid work."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from pgbraid.cli.options import dsn_option

if TYPE_CHECKING:
    import psycopg

    from pgbraid.embedders import Embedder

# Chunks of one tenant before the others have their turn.
ROUND = 512
# A model is given with its dimensions where it can be cut to several.
BACKLOG = """
select b.tenant, b.collection, b.waiting_count, b.claimable_count, b.last_error
from braid.embedding_backlog() b
where b.embedding_model in (%(model)s, %(model)s || '@' || b.dimensions)
order by b.tenant, b.collection
"""


class _EnoughError(Exception):
    pass


@click.command(short_help="Embed and maintain, for all tenants, until stopped.")
@dsn_option
@click.option("--interval", default=5.0, show_default=True, type=click.FloatRange(min=0.1), help="Seconds at rest.")
@click.option("--once", is_flag=True, help="End when nothing is left to do now.")
@click.option("--embedding-url", envvar="PGBRAID_EMBEDDING_URL", metavar="URL", help="Of a service like OpenAI's.")
@click.option("--embedding-model", envvar="PGBRAID_EMBEDDING_MODEL", metavar="NAME", help="Its model.")
def work(dsn: str | None, interval: float, once: bool, embedding_url: str | None, embedding_model: str | None) -> None:
    """Embed what waits in the outbox and maintain the indexes, for all tenants, until stopped. Several may run at once.

    The login is a service that writes: grant braid_writer to NAME; select braid.add_trusted_role('NAME', 'service');

    Embeds with the offline model, or with the service of --embedding-url, whose key is in OPENAI_API_KEY, for the
    collections of that model. With --once, the exit code is 1 if chunks of these are left that could not be embedded,
    or that another worker has.
    """
    import psycopg

    from pgbraid._dsn import find_dsn
    from pgbraid.errors import PgbraidError

    dsn = find_dsn(dsn)
    embedder = _embedder(embedding_url, embedding_model)
    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        while not stopped.is_set():
            busy = False
            try:
                busy = _round(dsn, embedder, stopped)
            except (PgbraidError, psycopg.Error) as error:
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


def _embedder(url: str | None, model: str | None) -> Embedder:
    from pgbraid.embedders import LocalEmbedder, OpenAIEmbedder

    if url is None:
        return LocalEmbedder()
    if model is None:
        raise click.UsageError("--embedding-url needs --embedding-model")
    return OpenAIEmbedder(model, base_url=url)


def _round(dsn: str, embedder: Embedder, stopped: threading.Event) -> bool:
    """Embed for each tenant in turn, then maintain. Whether there is more to do at once."""
    import psycopg

    import pgbraid
    from pgbraid.errors import EmbeddingError, InvalidArgumentError

    busy = False
    with psycopg.connect(dsn, autocommit=True) as connection:
        for tenant, collection, _, claimable, _ in _backlog(connection, embedder):
            if not claimable:
                continue
            embedded = 0

            def count(done: int) -> None:
                nonlocal embedded
                embedded = done
                if done >= ROUND or stopped.is_set():
                    raise _EnoughError

            with pgbraid.connect(dsn, tenant=tenant, embedder=embedder) as client:
                try:
                    client.embed_pending(collection, progress=count)
                except _EnoughError:
                    busy = True
                except (EmbeddingError, InvalidArgumentError) as error:
                    click.echo(f"{tenant}, {collection}: {error.message}", err=True)
            if embedded:
                click.echo(f"{tenant}, {collection}: {embedded} chunks embedded")
            if stopped.is_set():
                return False
        done = _maintain(connection, 5)
        if "seconds_needed" in done:
            done = _maintain(connection, done["seconds_needed"])
        return busy or not done["complete"]


def _backlog(connection: psycopg.Connection[Any], embedder: Embedder) -> list[tuple[str, str, int, int, str | None]]:
    """Tenant, collection, chunks that wait, those of them that can be claimed, and an error."""
    import psycopg

    from pgbraid.errors import PermissionDeniedError

    try:
        return connection.execute(BACKLOG, {"model": embedder.model_name}).fetchall()
    except psycopg.errors.InsufficientPrivilege as error:
        raise PermissionDeniedError(
            f"the login {connection.info.user} is no service of this database",
            hint=f"have an administrator run: grant braid_writer to {connection.info.user};"
            f" select braid.add_trusted_role('{connection.info.user}', 'service')",
            sqlstate=error.sqlstate,
        ) from error


def _maintain(connection: psycopg.Connection[Any], seconds: float) -> dict[str, Any]:
    row = connection.execute("select braid.maintain(make_interval(secs => %s))", (seconds,)).fetchone()
    assert row is not None
    return dict(row[0])


def _report_left(dsn: str, embedder: Embedder) -> bool:
    """Say what is left in the outbox of the embedder's model; whether anything is."""
    import psycopg

    with psycopg.connect(dsn, autocommit=True) as connection:
        left = _backlog(connection, embedder)
    for tenant, collection, count, _, error in left:
        reason = f", last error: {error}" if error else ", claimed by another worker"
        click.echo(f"{tenant}, {collection}: {count} chunks not embedded{reason}", err=True)
    return bool(left)
