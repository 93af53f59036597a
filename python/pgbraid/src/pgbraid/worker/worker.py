"""Embed pending chunks in one of several threads, for all tenants in turn."""

from __future__ import annotations

import random
import threading
import time
from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import psycopg

from pgbraid.client.embedding import abandon_refused, keep_token_vectors, storable, store_embedded
from pgbraid.client.session import TENANT
from pgbraid.embedding_service import LateError, MisconfiguredError, RefusedError, Service, UnavailableError
from pgbraid.errors import (
    ConflictError,
    ConnectionLostError,
    DimensionMismatchError,
    InstallationError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
    PgbraidError,
    from_psycopg,
)

if TYPE_CHECKING:
    from pgvector import Vector

    from pgbraid.client import Client
    from pgbraid.embedders.http import Usage
    from pgbraid.spaces import VectorSpace
    from pgbraid.stored import EmbeddingBacklog

# Seconds for one tenant before the next one's turn.
TURN = 5.0
# Seconds for which a collection is skipped if its dimensions differ from the model's.
PASSED_OVER = 60.0
# SQLSTATE classes that are not a text's fault: insufficient resources, operator intervention (statement_timeout).
NO_FAULT = ("53", "57")
# Consecutive failures before --once gives up.
MOST_FAILURES = 4

Report = Callable[[str, bool], object]


class Held(NamedTuple):
    """Hold claimed jobs; their leases end from `earliest_end` to `latest_end` by the server's clock."""

    tenant: str
    collection: str
    model: str
    chunk_ids: list[int]
    earliest_end: datetime
    latest_end: datetime


class Worker:
    """Embed in a thread. Setting `wake` ends its rest, and setting `stopped` ends it after the current batch. `held`
    has its claimed jobs. `report` receives lines, and whether they tell of a failure."""

    def __init__(
        self,
        dsn: str,
        service: Service,
        stopped: threading.Event,
        report: Report,
        *,
        number: int = 0,
        concurrency: int = 1,
        lease: float = 300.0,
        interval: float = 1.0,
        once: bool = False,
    ) -> None:
        self._dsn = dsn
        self._service = service
        self._stopped = stopped
        self._report = report
        # Where it starts among the waiting tenants, from 0 to 1.
        self._first = number / concurrency
        self._last: tuple[str, str, str] | None = None
        self._lease = lease
        self._interval = interval
        self._once = once
        self._progress = False
        self._has_given_up = False
        # Usage not recorded in the database yet.
        self._used: list[tuple[str, str, Usage]] = []
        self._passed_over: dict[tuple[str, str], float] = {}
        # The consecutive failures are counted by tenant and collection.
        self._failures: dict[tuple[str, str], int] = {}
        self.wake = threading.Event()
        self.held: Held | None = None
        self.embedded = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Work until stopped; with `once`, until nothing is left that it can do now. Keep an error in `failure`."""
        import pgbraid

        failures = 0
        while not self._stopped.is_set():
            try:
                with pgbraid.connect(self._dsn, embedder=self._service.embedder) as client:
                    self.give_back(client)
                    self._record_usage(client)
                    try:
                        self._work(client)
                    except MisconfiguredError:
                        self._record_usage(client)
                        raise
                    return
            except MisconfiguredError as error:
                self.failure = error
                self._stopped.set()
            except PgbraidError as error:
                if self._once:
                    self.failure = error
                    return
                # Success since the last failure restarts the count.
                failures = 1 if self._progress else failures + 1
                self._progress = False
                seconds = pause_after(failures)
                self._report(f"tried again after {seconds:.1f} s: {error.message}", True)
                self._stopped.wait(seconds)
            except BaseException as error:
                self.failure = error
                self._stopped.set()
                raise

    def give_back(self, client: Client) -> int:
        """Release the claimed jobs for other workers; return their number."""
        held = self.held
        if held is None:
            return 0
        client.tenant = held.tenant
        count = 0
        try:
            count = int(
                client._session.value(
                    "braid_calls.unclaim_embedding_jobs",
                    """
                    chunk_ids => %(chunk_ids)s::bigint[], earliest_end => %(earliest_end)s,
                    latest_end => %(latest_end)s, collection => %(collection)s, embedding_model => %(model)s
                    """,
                    chunk_ids=held.chunk_ids,
                    earliest_end=held.earliest_end,
                    latest_end=held.latest_end,
                    collection=held.collection,
                    model=held.model,
                )
            )
        except ConnectionLostError:
            raise
        except PgbraidError:
            pass  # tenant, collection or space is gone; otherwise the lease ends the claim
        self.held = None
        return count

    def _work(self, client: Client) -> None:
        while not self._stopped.is_set():
            self.wake.clear()
            waiting = [each for each in backlog(client, self._service.embedder) if each.claimable_count]
            done = 0
            failure: PgbraidError | None = None
            worked = not waiting
            for each in self._in_turn(waiting):
                if self._stopped.is_set() or self._has_given_up:
                    return
                if self._passed_over.get((each.tenant, each.collection), 0.0) > time.monotonic():
                    continue
                self._last = _key(each)
                try:
                    done += self._turn(client, each)
                    worked = True
                except (ConnectionLostError, InstallationError, MisconfiguredError):
                    raise
                except PgbraidError as error:
                    self._pass_over(client, each, error)
                    failure = error
            if failure is not None and not worked:
                raise failure
            self._progress = True
            if self._has_given_up or (self._once and not done):
                return
            if done:
                continue
            self.wake.wait(self._interval)

    def _in_turn(self, waiting: list[EmbeddingBacklog]) -> list[EmbeddingBacklog]:
        """Return round-robin order, starting after the tenant served last."""
        waiting = sorted(waiting, key=_key)
        if self._last is None:
            start = int(self._first * len(waiting))
        else:
            start = bisect_right([_key(each) for each in waiting], self._last)
        return waiting[start:] + waiting[:start]

    def _pass_over(self, client: Client, waiting: EmbeddingBacklog, error: PgbraidError) -> None:
        """Skip a collection for a while after a failure, as others may work."""
        key = (waiting.tenant, waiting.collection)
        self._failures[key] = self._failures.get(key, 0) + 1
        seconds = float("inf") if self._once else pause_after(self._failures[key])
        self._passed_over[key] = time.monotonic() + seconds
        self._report(f"{waiting.tenant}, {waiting.collection}: {error.message}", True)
        if isinstance(error, ConflictError) or (error.sqlstate or "").startswith(NO_FAULT):
            self.give_back(client)
            return
        try:
            self._fail(client, error.message)
        except ConnectionLostError:
            raise
        except PgbraidError:
            self.held = None  # the lease ends the claim

    def _turn(self, client: Client, waiting: EmbeddingBacklog) -> int:
        """Embed for one tenant until its turn ends; return the number of chunks embedded."""
        place = f"{waiting.tenant}, {waiting.collection}"
        client.tenant = waiting.tenant
        done = 0
        until = time.monotonic() + TURN
        try:
            space = self._space_with_tokens(client, waiting)
            while self._service.wait():
                count = self._batch(client, waiting, space)
                done += count or 0
                self._failures.pop((waiting.tenant, waiting.collection), None)
                if count is None or time.monotonic() > until:
                    break
        except DimensionMismatchError as error:
            # With --once the worker never tries it again.
            self._passed_over[waiting.tenant, waiting.collection] = (
                float("inf") if self._once else time.monotonic() + PASSED_OVER
            )
            self._fail(client, error.message)
            self._report(f"{place}: {error.message}", True)
        except UnavailableError as error:  # raised with --once only
            self._has_given_up = True
            self._fail(client, error.message)
            self._report(f"{place}: {error.message}", True)
        except MisconfiguredError:
            self.give_back(client)
            raise
        except (NotFoundError, InvalidArgumentError, PermissionDeniedError):
            # If the tenant or the collection was dropped, or has another model now, the error is expected.
            if self._still_waits(client, waiting):
                raise
            self.held = None
        finally:
            self.embedded += done
            if done:
                self._report(f"{place}: {done} chunks embedded", False)
            used = self._service.take_usage()
            if used.requests:
                self._used.append((waiting.tenant, waiting.embedding_model, used))
        self._record_usage(client)
        return done

    def _batch(self, client: Client, waiting: EmbeddingBacklog, space: VectorSpace | None) -> int | None:
        """Embed one batch; return the number of chunks embedded, None if none can be claimed."""
        jobs = client._session.rows(
            "claim_embedding_jobs",
            f"""
            select (j.job).chunk_id, (j.job).input, statement_timestamp() + make_interval(secs => %(lease)s),
                   clock_timestamp() + make_interval(secs => %(lease)s)
            from (
              select braid.claim_embedding_jobs(
                job_count => %(count)s::int, lease => make_interval(secs => %(lease)s), collection => %(collection)s,
                embedding_model => %(model)s)
              from {TENANT}
            ) j (job)
            """,
            count=self._service.batch_size,
            lease=self._lease,
            collection=waiting.collection,
            model=waiting.embedding_model,
        )
        if not jobs:
            return None
        texts = {chunk_id: text for chunk_id, text, *_ in jobs}
        chunk_ids = list(texts)
        # The server's clock sets each lease's end between these two moments.
        self.held = held = Held(
            waiting.tenant, waiting.collection, waiting.embedding_model, chunk_ids, jobs[0][2], jobs[-1][3]
        )
        try:
            found = self._service.embed(list(texts.values()), waiting.dimensions, within=self._lease / 2)
        except UnavailableError as error:
            if self._once and self._service.failures >= MOST_FAILURES:
                raise
            if not self._stopped.is_set():
                self._report(f"asked again after {self._service.pause:.1f} s: {error.message}", True)
            self.give_back(client)
            return 0
        embedded: list[tuple[int, Vector]] = []
        refused: list[tuple[int, RefusedError | LateError]] = []
        late: list[int] = []
        for chunk_id, one in zip(chunk_ids, found, strict=True):
            if isinstance(one, LateError):
                late.append(chunk_id)
            elif isinstance(one, RefusedError):
                refused.append((chunk_id, one))
            else:
                embedded.append((chunk_id, one))
        if space is not None and embedded:
            kept = [(chunk_id, texts[chunk_id]) for chunk_id, _ in embedded]
            problem = keep_token_vectors(client, waiting.collection, space, self._service.embedder, kept)
            if problem is not None:
                self._report(problem, True)
        stored = store_embedded(client, held.collection, held.model, embedded, refused)
        for chunk_id, refusal in refused:
            self._report(f"{waiting.tenant}, {waiting.collection}: chunk {chunk_id}: {refusal.message}", True)
            abandon_refused(client, held.collection, held.model, chunk_id, refusal)
        # Late texts are claimed again in smaller batches, which end in time.
        self.held = held._replace(chunk_ids=late) if late else None
        self.give_back(client)
        return stored

    def _fail(self, client: Client, error: str) -> None:
        if self.held is not None:
            _call(client, "fail_embedding_jobs", self.held, error=storable(error))
            self.held = None

    def _space_with_tokens(self, client: Client, waiting: EmbeddingBacklog) -> VectorSpace | None:
        """Return the collection's space if this embedder also makes its token vectors, else None."""
        embedder = self._service.embedder
        if not hasattr(embedder, "embed_tokens"):
            return None
        for space in client._spaces.of(waiting.collection, anew=True):
            if space.model == waiting.embedding_model and space.token_model == embedder.model_name:
                return space
        return None

    def _still_waits(self, client: Client, waiting: EmbeddingBacklog) -> bool:
        return _key(waiting) in map(_key, backlog(client, self._service.embedder))

    def _record_usage(self, client: Client) -> None:
        price = self._service.price_per_million
        if self._used and not has_function(client, "record_embedding_usage"):
            self._used.clear()
        while self._used:
            tenant, model, used = self._used[-1]
            # A tenant that is gone has no usage.
            with suppress(NotFoundError, InvalidArgumentError):
                client._session.value_for_all(
                    "record_embedding_usage",
                    """
                    tenant => %(of)s, embedding_model => %(model)s, request_count => %(requests)s,
                    text_count => %(texts)s, token_count => %(tokens)s, estimated_token_count => %(estimated)s,
                    cost => %(cost)s::numeric
                    """,
                    of=tenant,
                    model=model,
                    requests=used.requests,
                    texts=used.texts,
                    tokens=used.tokens,
                    estimated=used.estimated_tokens,
                    cost=None if price is None else f"{used.tokens * price / 1e6:.9f}",
                )
            self._used.pop()


def has_function(client: Client, name: str) -> bool:
    """Return whether the database has this function of the API, which belongs to a part."""
    try:
        row = client.connection.execute("select pg_catalog.to_regproc(%s) is not null", (f"braid.{name}",)).fetchone()
    except psycopg.Error as error:
        raise from_psycopg(error) from error
    return bool(row and row[0])


def backlog(client: Client, embedder: object) -> list[EmbeddingBacklog]:
    """Return the backlog for the embedder's model. Raise PermissionDeniedError, with a hint for the administrator."""
    try:
        waiting = client.embedding_backlog()
    except PermissionDeniedError as error:
        login = client.connection.info.user
        raise PermissionDeniedError(
            f"the login {login} is no service of this database",
            hint=f"have an administrator run: grant braid_writer to {login};"
            f" select braid.add_trusted_role('{login}', 'service')",
            sqlstate=error.sqlstate,
        ) from error
    # If a model can shorten its vectors, the name of each of its variants has the number of dimensions.
    name: str = getattr(embedder, "model_name", "")
    return [each for each in waiting if each.embedding_model in (name, f"{name}@{each.dimensions}")]


def pause_after(failures: int) -> float:
    """Return the seconds until the next attempt after consecutive failures, with a random part to spread workers."""
    return float(min(0.5 * 2.0 ** min(failures - 1, 10), 30.0) * random.uniform(0.5, 1.5))


def _key(waiting: EmbeddingBacklog) -> tuple[str, str, str]:
    return waiting.tenant, waiting.collection, waiting.embedding_model


def _call(client: Client, function: str, held: Held, **more: object) -> int:
    """Call a function of the API about jobs; return the number of jobs changed."""
    arguments = {"chunk_ids": held.chunk_ids, "collection": held.collection, "embedding_model": held.model, **more}
    given = ", ".join(f"{name} => %({name})s{'::bigint[]' if name == 'chunk_ids' else ''}" for name in arguments)
    return int(client._session.value(function, given, **arguments))
