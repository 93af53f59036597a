"""Reads on hot standbys: which calls go there, to which, after how much of the log, and what if one cannot serve."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, get_args

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from pgbraid.async_client.session import end_with_client
from pgbraid.errors import ConnectionLostError, InvalidArgumentError, RecoveryConflictError, from_psycopg, is_outdated
from pgbraid.vectors import register_vector_types

if TYPE_CHECKING:
    from pgbraid.async_client import AsyncClient
    from pgbraid.async_client.session import Session

__all__ = ["Consistency", "Standbys", "read_after", "standbys_of", "wal_position"]

Consistency = Literal["session", "eventual"]

# Functions, and what else of the schemas the client names in statements that may run on a standby. Not those about
# upkeep, which workers and administrators want to know of the primary.
READS = frozenset(
    {
        "arrange_results", "assemble_context", "choose_configuration", "collections", "compare_evaluations",
        "conversation_timeline", "current_tenant_id", "evaluate", "explain_score", "explain_search",
        "extract_timeframe", "facets", "fit_passages", "get_document", "get_profile", "get_query_embedding",
        "get_ranking_model", "highlight", "judge_agreement", "list_documents", "list_profiles", "list_queries",
        "list_query_sets", "list_ranking_models", "list_rankings", "model_migrations", "multi_search",
        "parse_timeframe", "passage_options", "plan_tuning", "pool_results", "ranking_features", "recall_json",
        "search", "search_json", "similar_chunks", "similar_documents", "status", "tune",
    }
)  # fmt: skip
# What no later read has to see.
UNREMARKABLE = READS | {"installation", "store_query_embedding"}
# How long a standby is left alone that has failed or cancelled, and one that lags; how long a read waits for one to
# catch up.
REST_SECONDS, LAG_SECONDS = 10.0, 1.0
WAIT_STEPS, STEP_SECONDS = 50, 0.005
# A host that is gone must not hold up a read for the minutes that TCP takes.
PATIENCE = {
    "connect_timeout": "3", "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "2",
    "tcp_user_timeout": "15000",
}  # fmt: skip
CLUSTER = "select s.system_identifier, pg_catalog.current_database() from pg_catalog.pg_control_system() s"
# What is committed without waiting for the disk may not have been written yet; it is inserted.
WRITTEN = """
select case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
            when pg_catalog.current_setting('synchronous_commit') = 'off' then pg_catalog.pg_current_wal_insert_lsn()
            else pg_catalog.pg_current_wal_lsn() end::text
"""
# Sleeps on the standby until it has replayed so much, for a row then, or for none in the end. One that has been
# promoted replays no more.
REPLAYED = f"""
select true from pg_catalog.generate_series(1, {WAIT_STEPS})
where case when case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
                     else pg_catalog.pg_current_wal_lsn() end >= %(position)s::pg_catalog.pg_lsn then true
           else pg_catalog.pg_sleep({STEP_SECONDS}) is null end
limit 1
"""
POSITION = re.compile(r"([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})")

logger = logging.getLogger("pgbraid")


async def standbys_of(session: Session, read_dsn: str | Sequence[str], consistency: Consistency) -> Standbys:
    """Those that `read_dsn` names. Connected to when they are first read from."""
    if not session.owns_connection:
        raise InvalidArgumentError(
            "read_dsn goes with a DSN, not with an open connection, whose settings and role standbys would not have",
            hint="give connect() the DSN of the primary",
            sqlstate="22023",
        )
    if consistency not in get_args(Consistency):
        raise InvalidArgumentError(
            f"consistency is {consistency!r}", hint="use 'session' or 'eventual'", sqlstate="22023"
        )
    ((system, database),) = await session.fetch_from(session.connection, CLUSTER, {})
    return Standbys(_split(read_dsn), consistency == "session", (system, database))


def _split(read_dsn: str | Sequence[str]) -> list[str]:
    """URLs may stand in one string: white space is none of theirs."""
    given = [read_dsn] if isinstance(read_dsn, str) else list(read_dsn)
    dsns = []
    for dsn in given:
        dsns += dsn.split() if dsn.lstrip().startswith(("postgresql://", "postgres://")) else [dsn]
    for dsn in dsns:
        try:
            conninfo_to_dict(dsn)
        except psycopg.ProgrammingError as error:
            raise InvalidArgumentError(
                f"read_dsn (--read-dsn or PGBRAID_READ_DSN) cannot be read: {error}".strip(),
                hint="give a URL such as postgresql://user@host/database, or several with spaces between them",
                sqlstate="22023",
            ) from error
    return list(dict.fromkeys(dsns))


@lru_cache(maxsize=256)
def _names(statement: str) -> frozenset[str]:
    """What of the schemas a statement calls or reads."""
    return frozenset(re.findall(r"\bbraid(?:_store)?\.(\w+)", statement)) - {"tenant"}


class Standbys:
    """Shared by the views of a client: the connections, and how far they must have come."""

    def __init__(self, dsns: Sequence[str], follows_writes: bool, cluster: tuple[int, str]) -> None:
        self._dsns = dsns
        self._follows_writes = follows_writes
        self._cluster = cluster
        self._turns = count()
        self._open: dict[str, psycopg.AsyncConnection[Any]] = {}
        self._rests_until: dict[str, float] = {}
        # Positions in the log, as numbers: what reads must see, and what a standby was seen to have replayed.
        self.position = 0
        self._replayed: dict[str, int] = {}
        # Whether there are writes whose position is to be asked for: those of a transaction.
        self._is_ahead = False

    def connections(self) -> list[psycopg.AsyncConnection[Any]]:
        return list(self._open.values())

    async def close(self) -> None:
        while self._open:
            await self._open.popitem()[1].close()

    async def fetch(self, session: Session, statement: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Of a read outside of a transaction from a standby; else, and if that cannot serve, from the primary."""
        primary = session.connection
        names = _names(statement)
        is_idle = primary.info.transaction_status in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN)
        if not names or not names <= READS or not is_idle:
            rows = await session.fetch_from(primary, statement, parameters)
            if self._follows_writes and not names <= UNREMARKABLE:
                await self._note_write(session)
            return rows
        if self._is_ahead:
            await self._ask_position(session)
        dsn = self._next(is_needed=primary.closed)
        if dsn is not None:
            try:
                connection = await self._connection(dsn, session)
                if await self._has_replayed(dsn, connection, session):
                    return await session.fetch_from(connection, statement, parameters)
            except psycopg.Error as error:
                # One that lags may not have an upgrade yet.
                if not is_outdated(error):
                    await self._leave_alone(dsn, error)
        return await session.fetch_from(primary, statement, parameters)

    def wait_for(self, position: int) -> None:
        self.position = max(self.position, position)

    async def _note_write(self, session: Session) -> None:
        """Reads have to see what was just committed, or will be."""
        self._is_ahead = True
        if session.connection.info.transaction_status == TransactionStatus.IDLE:
            # It is committed whether the position is to be had or not; the next read asks again.
            with suppress(psycopg.Error):
                await self._ask_position(session)

    async def _ask_position(self, session: Session) -> None:
        # What another call writes meanwhile is asked for again.
        self._is_ahead = False
        try:
            ((position,),) = await session.fetch_from(session.connection, WRITTEN, {})
        except BaseException:
            self._is_ahead = True
            raise
        self.wait_for(to_number(position))

    def _next(self, *, is_needed: bool) -> str | None:
        """Whose turn it is, of those that do not rest, or `is_needed` of all."""
        now = time.monotonic()
        awake = [dsn for dsn in self._dsns if self._rests_until.get(dsn, 0.0) <= now]
        if not awake and is_needed:
            awake = list(self._dsns)
        return awake[next(self._turns) % len(awake)] if awake else None

    async def _connection(self, dsn: str, session: Session) -> psycopg.AsyncConnection[Any]:
        connection = self._open.get(dsn)
        if connection is not None and not connection.closed:
            return connection
        self._open.pop(dsn, None)
        self._replayed.pop(dsn, None)
        settings: dict[str, Any] = {**PATIENCE, **conninfo_to_dict(dsn)}
        connection = await psycopg.AsyncConnection.connect(
            **settings, autocommit=True, prepare_threshold=None, fallback_application_name="pgbraid"
        )
        try:
            await end_with_client(connection)
            ((system, database),) = await session.fetch_from(connection, CLUSTER, {})
            if (system, database) != self._cluster:
                raise InvalidArgumentError(
                    f"read_dsn leads to another database: {_shown(dsn)}",
                    hint="give standbys of the database of the DSN, which follow it by streaming replication",
                    sqlstate="22023",
                )
            register_vector_types(connection, session.vector_types)
        except BaseException:
            await connection.close()
            raise
        # Another call may have connected meanwhile.
        kept = self._open.setdefault(dsn, connection)
        if kept is not connection:
            await connection.close()
        return kept

    async def _has_replayed(self, dsn: str, connection: psycopg.AsyncConnection[Any], session: Session) -> bool:
        position = self.position
        if self._replayed.get(dsn, 0) >= position:
            return True
        if not await session.fetch_from(connection, REPLAYED, {"position": to_text(position)}):
            # Else each read would wait in vain.
            self._rests_until[dsn] = time.monotonic() + LAG_SECONDS
            return False
        self._replayed[dsn] = position
        return True

    async def _leave_alone(self, dsn: str, error: psycopg.Error) -> None:
        """Raises the error again if it is not the standby's fault."""
        typed = from_psycopg(error)
        if not isinstance(typed, (ConnectionLostError, RecoveryConflictError)):
            raise error
        self._rests_until[dsn] = time.monotonic() + REST_SECONDS
        logger.warning(
            "reads leave the standby %s alone for %.0f seconds: %s", _shown(dsn), REST_SECONDS, typed.message
        )
        connection = self._open.pop(dsn, None)
        if connection is not None:
            await connection.close()


def to_number(position: str) -> int:
    """Of a position in the write-ahead log, as PostgreSQL writes it."""
    match = POSITION.fullmatch(position) if isinstance(position, str) else None
    if match is None:
        raise InvalidArgumentError(
            f"position is {position!r}"[:200],
            hint="give what wal_position() gave, such as '0/3000148'",
            sqlstate="22023",
        )
    return int(match[1], 16) << 32 | int(match[2], 16)


def to_text(position: int) -> str:
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"


def _shown(dsn: str) -> str:
    """Without a password."""
    given = conninfo_to_dict(dsn)
    return " ".join(f"{name}={given[name]}" for name in ("host", "hostaddr", "port", "dbname") if given.get(name))


async def wal_position(client: AsyncClient) -> str:
    """How far the database's write-ahead log has come, with all that this client has committed: for `read_after` of
    another client, also in another process.

    On a standby, how far it has replayed that log.
    """
    return str((await client._session.rows(WRITTEN))[0][0])


def read_after(client: AsyncClient, position: str) -> None:
    """Have reads from now on see what was committed before a `wal_position()`: a standby that has not come so far is
    waited for a moment, then the primary asked. Without `read_dsn` reads are on the primary anyway.

    Raises InvalidArgumentError.
    """
    number = to_number(position)
    if client._session.standbys is not None:
        client._session.standbys.wait_for(number)
