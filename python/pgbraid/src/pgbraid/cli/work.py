"""Run workers: pgbraid work."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

import click

from pgbraid.cli.options import FiniteRange, dsn_option, embedding_options, embedding_service
from pgbraid.display import clean

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid.embedding_service import Service
    from pgbraid.worker.worker import Worker

# Seconds between checks for due upkeep.
MAINTENANCE_INTERVAL = 5.0
# Seconds that a batch has to end after a signal before it is given back; Docker kills after ten.
GRACE = 8.0
# Writers notify this channel of new chunks if the setting braid.notify_workers is on.
CHANNEL = "braid_embedding_jobs"


class _Stop(threading.Event):
    """Record when the event was set."""

    at = float("inf")

    def set(self) -> None:
        self.at = min(self.at, time.monotonic())
        super().set()


@click.command(short_help="Embed and maintain, for all tenants, until stopped.")
@dsn_option
@click.option("--once", is_flag=True, help="End when nothing is left to do now.")
@click.option(
    "--concurrency", default=1, show_default=True, type=click.IntRange(1, 64), help="Batches embedded at a time."
)
@click.option(
    "--interval", default=1.0, show_default=True, type=FiniteRange(min=0.1), help="Seconds at rest between looks."
)
@click.option(
    "--lease",
    default=300.0,
    show_default=True,
    type=FiniteRange(1, 86_400),
    help="Seconds after which other workers take a batch whose worker was killed.",
)
@click.option(
    "--price-per-million",
    type=FiniteRange(min=0),
    metavar="PRICE",
    help="Of tokens, for the costs in braid.embedding_usage().",
)
@embedding_options
def work(
    dsn: str | None,
    once: bool,
    concurrency: int,
    interval: float,
    lease: float,
    price_per_million: float | None,
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Embed pending chunks and maintain the indexes, for all tenants, until stopped. Several may run at once.

    The login is a service that writes: grant braid_writer to NAME; select braid.add_trusted_role('NAME', 'service');

    It embeds with the offline model, or with the service of --embedding-url, for collections of that model. On SIGTERM
    or Ctrl-C it finishes its batch, or gives the batch back. With --once, the exit code is 1 if chunks of these
    collections remain that could not be embedded, or that another worker has claimed.
    """
    from pgbraid._dsn import find_dsn
    from pgbraid.embedders import LocalEmbedder
    from pgbraid.embedding_service import Service
    from pgbraid.worker.worker import Worker

    dsn = find_dsn(dsn)
    stopped = _Stop()
    # The Service retries requests itself, so that a signal can interrupt it.
    embedder = embedding_service(embedding_url, embedding_model, retries=0) or LocalEmbedder()
    service = Service(embedder, stopped, price_per_million=price_per_million)
    workers = [
        Worker(
            dsn,
            service,
            stopped,
            _report,
            number=number,
            concurrency=concurrency,
            lease=lease,
            interval=interval,
            once=once,
        )
        for number in range(concurrency)
    ]

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()
        for worker in workers:
            worker.wake.set()
        # A second signal ends the process at once.
        for each, handler in before.items():
            signal.signal(each, handler)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        if once:
            is_left = _work_once(dsn, service, workers, stopped)
        else:
            is_left = False
            _work_on(dsn, service, workers, stopped, interval)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if is_left:
        raise SystemExit(1)


def _work_once(dsn: str, service: Service, workers: list[Worker], stopped: _Stop) -> bool:
    """Work until nothing is left to do; return whether chunks remain nevertheless."""
    import pgbraid
    from pgbraid.worker.worker import backlog

    threads: list[threading.Thread] = []
    told, told_upkeep = set[str](), set[str]()
    with pgbraid.connect(dsn, embedder=service.embedder) as client, _cancelled_by(stopped, client):
        # Checks first that the login may do this.
        backlog(client, service.embedder)
        while not stopped.is_set():
            is_applied = _apply_changes(client, told)
            before = sum(worker.embedded for worker in workers)
            threads = _start(workers)
            for thread in threads:
                while thread.is_alive() and not stopped.is_set():
                    thread.join(0.2)
            if stopped.is_set():
                break
            _raise_failure(workers)
            is_complete = _maintain(client, told_upkeep)
            if before == sum(worker.embedded for worker in workers):
                if is_complete and is_applied:
                    return _report_left(client, service)
                stopped.wait(0.2)  # remaining chunks wait for another session
    _end(dsn, workers, threads, stopped)
    _raise_failure(workers)
    return False


def _work_on(dsn: str, service: Service, workers: list[Worker], stopped: _Stop, interval: float) -> None:
    """Work until stopped. This thread maintains, and wakes the workers on notifications."""
    import pgbraid
    from pgbraid.errors import PgbraidError
    from pgbraid.worker.worker import backlog, pause_after

    threads: list[threading.Thread] = []
    told, told_upkeep = set[str](), set[str]()
    failures = 0
    while not stopped.is_set():
        try:
            with pgbraid.connect(dsn, embedder=service.embedder) as client, _cancelled_by(stopped, client):
                if not threads:
                    # Checks first that the login may do this.
                    backlog(client, service.embedder)
                    threads = _start(workers)
                _listen(client)
                while not stopped.is_set():
                    is_complete = _maintain(client, told_upkeep)
                    failures = 0
                    until = time.monotonic() + (MAINTENANCE_INTERVAL if is_complete else 0)
                    is_over = False
                    while not is_over and not stopped.is_set():
                        is_applied = _apply_changes(client, told)
                        _rest(client, workers, stopped, interval if is_applied and is_complete else min(interval, 0.5))
                        is_over = time.monotonic() > until
        except PgbraidError as error:
            if not threads and not error.retryable:
                raise
            failures += 1
            seconds = pause_after(failures)
            _report(f"tried again after {seconds:.1f} s: {error.message}", True)
            stopped.wait(seconds)
    _end(dsn, workers, threads, stopped)
    _raise_failure(workers)


@contextmanager
def _cancelled_by(stopped: _Stop, client: Client) -> Iterator[None]:
    """Cancel the client's running statement when the worker is stopped, and ignore the error of that."""
    import psycopg

    from pgbraid.errors import PgbraidError

    over = threading.Event()

    def cancel() -> None:
        # Cancel repeatedly, because the next statement may not have reached the server yet.
        while not over.wait(0.2):
            if stopped.is_set():
                with suppress(psycopg.Error):
                    client.connection.cancel_safe(timeout=2)

    thread = threading.Thread(target=cancel, daemon=True)
    thread.start()
    try:
        yield
    except PgbraidError:
        if not stopped.is_set():
            raise
    finally:
        over.set()
        thread.join()


def _start(workers: list[Worker]) -> list[threading.Thread]:
    # Daemons: the process does not wait for threads that do not end in time.
    threads = [threading.Thread(target=worker.run, daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    return threads


def _listen(client: Client) -> None:
    import psycopg

    from pgbraid.errors import from_psycopg

    try:
        client.connection.execute(f"listen {CHANNEL}")
    except psycopg.Error as error:
        raise from_psycopg(error) from error


def _rest(client: Client, workers: list[Worker], stopped: threading.Event, seconds: float) -> None:
    """Wake the workers for each notification, for some seconds. A signal ends this within half a second."""
    import psycopg

    from pgbraid.errors import from_psycopg

    until = time.monotonic() + seconds
    try:
        while (left := until - time.monotonic()) > 0 and not stopped.is_set():
            for _ in client.connection.notifies(timeout=min(left, 0.5), stop_after=1):
                for worker in workers:
                    worker.wake.set()
    except psycopg.Error as error:
        raise from_psycopg(error) from error


def _apply_changes(client: Client, told: set[str]) -> bool:
    """Apply changes of synced tables; return whether nothing is left to do now."""
    from pgbraid.worker.worker import has_function

    if not has_function(client, "apply_changes"):
        return True
    done = client.apply_changes(5)
    _tell(done["warnings"], told)
    # The problem of a warning stays, so an immediate retry would not help.
    return bool(done["complete"] or (done["warnings"] and not done["rows"]))


def _maintain(client: Client, told: set[str]) -> bool:
    """Run one step of upkeep, however long it takes; return whether nothing is left to do now."""
    done = client.maintain(5)
    if "seconds_needed" in done:
        line = f"building a vector index or merging takes about {done['seconds_needed']} seconds"
        if line not in told:
            _report(line, False)
        done = client.maintain()
        done["warnings"].append(line)
        told.add(line)
    _tell(done["warnings"], told)
    has_progress = any(count for name, count in done.items() if name not in ("complete", "warnings", "seconds_needed"))
    return bool(done["complete"] or (done["warnings"] and not has_progress))


def _tell(warnings: list[str], told: set[str]) -> None:
    """Report the warnings that the step before did not have."""
    for warning in sorted(set(warnings) - told):
        _report(warning, True)
    told.clear()
    told.update(warnings)


def _end(dsn: str, workers: list[Worker], threads: list[threading.Thread], stopped: _Stop) -> None:
    """Wait for running batches; give back the jobs of batches that take too long."""
    import pgbraid
    from pgbraid.errors import PgbraidError

    until = min(stopped.at, time.monotonic()) + GRACE
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    left = [worker for worker in workers if worker.held is not None]
    if not left:
        return
    try:
        with pgbraid.connect(dsn) as client:
            for worker in left:
                if count := worker.give_back(client):
                    _report(f"{count} chunks given back", False)
    except PgbraidError as error:
        _report(f"a batch can be claimed again when its lease is over: {error.message}", True)


def _raise_failure(workers: list[Worker]) -> None:
    for worker in workers:
        if worker.failure is not None:
            raise worker.failure


def _report(line: str, is_failure: bool) -> None:
    click.echo(clean(" ".join(line.split())), err=is_failure)


def _report_left(client: Client, service: Service) -> bool:
    """Report what remains in the outbox for the embedder's model; return whether anything does."""
    from pgbraid.worker.worker import backlog

    left = backlog(client, service.embedder)
    for waiting in left:
        if waiting.last_error:
            reason = f", last error: {waiting.last_error}"
        else:
            reason = "" if waiting.claimable_count else ", claimed by another worker"
        _report(f"{waiting.tenant}, {waiting.collection}: {waiting.waiting_count} chunks not embedded{reason}", True)
    return bool(left)
