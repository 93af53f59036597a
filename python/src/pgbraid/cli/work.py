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
WAITING = """
select distinct t.key, c.name
from braid_store.embedding_jobs j
join braid_store.tenants t on t.id = j.tenant_id
join braid_store.collections c on c.id = j.collection_id
join braid_store.vector_spaces s on s.id = j.vector_space_id
where (j.claimed_until is null or j.claimed_until <= now())
  and s.embedding_model in (%(model)s, %(model)s || '@' || s.dimensions)
order by 1, 2
"""
LEFT = """
select t.key, c.name, count(*), (array_agg(j.last_error order by j.chunk_id) filter (where j.last_error is not null))[1]
from braid_store.embedding_jobs j
join braid_store.tenants t on t.id = j.tenant_id
join braid_store.collections c on c.id = j.collection_id
join braid_store.vector_spaces s on s.id = j.vector_space_id
where s.embedding_model in (%(model)s, %(model)s || '@' || s.dimensions)
group by 1, 2
order by 1, 2
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
    """Embed what waits in the outbox and maintain the indexes, for all tenants, until stopped. For a login that may do
    so: the database's superuser, or the owner with BYPASSRLS. Several may run at once.

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
        for tenant, collection in connection.execute(WAITING, {"model": embedder.model_name}).fetchall():
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


def _maintain(connection: psycopg.Connection[Any], seconds: float) -> dict[str, Any]:
    row = connection.execute("select braid.maintain(make_interval(secs => %s))", (seconds,)).fetchone()
    assert row is not None
    return dict(row[0])


def _report_left(dsn: str, embedder: Embedder) -> bool:
    """Say what is left in the outbox of the embedder's model; whether anything is."""
    import psycopg

    with psycopg.connect(dsn, autocommit=True) as connection:
        left = connection.execute(LEFT, {"model": embedder.model_name}).fetchall()
    for tenant, collection, count, error in left:
        reason = f", last error: {error}" if error else ", claimed by another worker"
        click.echo(f"{tenant}, {collection}: {count} chunks not embedded{reason}", err=True)
    return bool(left)
