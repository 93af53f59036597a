# Generated from async_client/standbys.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Reads on hot standbys: which calls go there, to which, after how much of the log, and what if one cannot serve."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, get_args
from weakref import WeakKeyDictionary

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from pgbraid._dsn import URL, usable_dsn
from pgbraid._reads import READS
from pgbraid.client.session import end_with_client
from pgbraid.errors import ConnectionLostError, InvalidArgumentError, RecoveryConflictError, from_psycopg, is_outdated
from pgbraid.vectors import register_vector_types

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient
    from pgbraid.client.session import Call, Session

Consistency = Literal["session", "eventual"]

# What no later read has to see.
UNREMARKABLE = READS | {"read_installation", "store_query_embedding"}
# How long a standby is left alone that has failed or cancelled, and one that lags; how long a read waits for one to
# catch up.
REST_SECONDS, LAG_SECONDS = 10.0, 1.0
WAIT_STEPS, STEP_SECONDS = 50, 0.005
# A host that is gone must not hold up a read for the minutes that TCP takes.
PATIENCE = {
    "connect_timeout": "3", "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "2",
    "tcp_user_timeout": "15000",
}  # fmt: skip
# Which server it is, and whether it follows another one.
SERVER = """
select s.system_identifier, pg_catalog.current_database(), pg_catalog.pg_postmaster_start_time(),
  pg_catalog.pg_is_in_recovery()
from pg_catalog.pg_control_system() s
"""
# What is committed without waiting for the disk may not have been written yet; it is inserted. Where a page, or a file,
# begins, the next record comes after a header, and no standby comes there before that record.
WRITTEN = """
select case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
            when (i - '0/0') %% pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_segment_size')) = 40
              then i - 40
            when (i - '0/0') %% pg_catalog.current_setting('wal_block_size')::int = 24 then i - 24
            else i end::text
from (select case when not pg_catalog.pg_is_in_recovery() then pg_catalog.pg_current_wal_insert_lsn() end) p(i)
"""
# What no commit has waited for may never be sent, such as hints of a primary with nothing else to do: have it sent.
SENT = """
select case when pg_catalog.pg_current_wal_flush_lsn() < %(position)s::pg_catalog.pg_lsn
            then pg_catalog.pg_current_xact_id() end
"""
# Sleeps on the standby until it has replayed so much, for a row then, or for none in the end. One that has been
# promoted replays no more.
REPLAYED = f"""
select true from pg_catalog.generate_series(1, {WAIT_STEPS})
where case when case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
                     else pg_catalog.pg_current_wal_insert_lsn() end >= %(position)s::pg_catalog.pg_lsn then true
           else pg_catalog.pg_sleep({STEP_SECONDS}) is null end
limit 1
"""
# What stops the replay keeps its locks; a read must not wait for them as long.
LOCK_TIMEOUT = """
select pg_catalog.set_config('lock_timeout', '2s', false) where pg_catalog.current_setting('lock_timeout') = '0'
"""
POSITION = re.compile(r"([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})")

logger = logging.getLogger("pgbraid")


def standbys_of(session: Session, read_dsn: str | Sequence[str], consistency: Consistency) -> Standbys:
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
    (primary,) = session.fetch_from(session.connection, SERVER, {})
    return Standbys(_split(read_dsn), consistency == "session", primary[:3])


def _split(read_dsn: str | Sequence[str]) -> list[str]:
    """URLs may stand in one string: white space is none of theirs."""
    given = [read_dsn] if isinstance(read_dsn, str) else list(read_dsn)
    dsns = []
    for dsn in given:
        dsns += dsn.split() if URL.match(dsn) else [dsn]
    return list(dict.fromkeys(usable_dsn(dsn, "read_dsn (--read-dsn or PGBRAID_READ_DSN)") for dsn in dsns))


class Standby:
    """One that `read_dsn` names: the connection to it, and how it does."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.connection: psycopg.Connection[Any] | None = None
        # What it was seen to have replayed.
        self.replayed = 0
        self.was_standby = False
        self.rests_until = 0.0
        # Held while it is connected to, or waited for: others would do the same.
        self.lock = threading.Lock()

    def rest(self, seconds: float) -> None:
        self.rests_until = time.monotonic() + seconds

    def rests(self) -> bool:
        return self.rests_until > time.monotonic()

    def close(self) -> None:
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()


class Standbys:
    """Shared by the views of a client: the standbys, and how far they must have come."""

    def __init__(self, dsns: Sequence[str], follows_writes: bool, primary: tuple[int, str, Any]) -> None:
        self._standbys = [Standby(dsn) for dsn in dsns]
        self._follows_writes = follows_writes
        self._primary = primary
        self._turns = count()
        # Where a call's statements read: all on the same server, as another one may be behind it. None is the primary.
        self._chosen_for: WeakKeyDictionary[Call, Standby | None] = WeakKeyDictionary()
        # Positions in the log are numbers here. What reads must see:
        self.position = 0
        # Whether there may be writes whose position is to be asked for, such as those of a transaction.
        self._is_ahead = False
        self._is_closed = False

    def close(self) -> None:
        self._is_closed = True
        for standby in self._standbys:
            standby.close()

    def fetch(
        self, session: Session, names: frozenset[str], statement: str, parameters: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        """Run a statement that calls these functions. If all are reads, outside of a transaction, a standby answers;
        else, and if that cannot serve, the primary."""
        primary = session.connection
        is_idle = primary.info.transaction_status in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN)
        if self._is_closed or not names or not names <= READS or not is_idle:
            return self._fetch_and_follow(session, statement, parameters, names)
        if self._is_ahead:
            self._catch_up(session)
        standby = self._chosen(session)
        if standby is not None:
            try:
                connection = self._ready(standby, session)
                if connection is not None:
                    rows = session.fetch_from(connection, statement, parameters)
                    self._check_recovery(standby, connection, primary)
                    return rows
            except psycopg.Error as error:
                # One that lags may not have an upgrade yet.
                if not is_outdated(error):
                    self._leave_alone(standby, error)
        if session.call is not None:
            self._chosen_for[session.call] = None
        return session.fetch_from(primary, statement, parameters)

    def wait_for(self, position: int) -> None:
        self.position = max(self.position, position)

    def _fetch_and_follow(
        self, session: Session, statement: str, parameters: Mapping[str, Any], names: frozenset[str]
    ) -> list[tuple[Any, ...]]:
        """From the primary. Reads have to see what was just committed, or will be."""
        writes = self._follows_writes and not names <= UNREMARKABLE
        try:
            rows = session.fetch_from(session.connection, statement, parameters)
        finally:
            # Whatever became of it: what a caller no longer waits for may be committed.
            self._is_ahead = self._is_ahead or writes
        if writes and session.connection.info.transaction_status == TransactionStatus.IDLE:
            # It is committed whether the position is to be had or not; the next read asks again.
            with suppress(psycopg.Error):
                self._ask_position(session)
        return rows

    def _catch_up(self, session: Session) -> None:
        """Ask for the position of what was written, or do without it if nobody can be asked any more."""
        try:
            self._ask_position(session)
        except psycopg.Error:
            if not session.connection.closed:
                raise
            self._is_ahead = False
            logger.warning("the primary is gone: reads on standbys may miss what this client wrote last")

    def _ask_position(self, session: Session) -> None:
        # What another call writes meanwhile is asked for again.
        self._is_ahead = False
        try:
            ((position,),) = session.fetch_from(session.connection, WRITTEN, {})
        except BaseException:
            self._is_ahead = True
            raise
        self.wait_for(to_number(position))

    def _chosen(self, session: Session) -> Standby | None:
        """That of the call, else whose turn it is; none to read from the primary."""
        is_needed = session.connection.closed
        call = session.call
        if call is not None and call in self._chosen_for and not is_needed:
            return self._chosen_for[call]
        awake = [standby for standby in self._standbys if not standby.rests()]
        if not awake and is_needed:
            awake = self._standbys
        standby = awake[next(self._turns) % len(awake)] if awake else None
        if call is not None:
            self._chosen_for[call] = standby
        return standby

    def _ready(self, standby: Standby, session: Session) -> psycopg.Connection[Any] | None:
        """Its connection, if it has replayed what reads must see, else in a moment; none if it cannot serve."""
        connection = standby.connection
        if connection is not None and not connection.closed and standby.replayed >= self.position:
            return connection
        with standby.lock:
            if standby.rests() and not session.connection.closed:
                return None
            try:
                connection = self._connection(standby, session)
                return connection if self._has_replayed(standby, connection, session) else None
            except psycopg.Error as error:
                self._leave_alone(standby, error)
                return None

    def _connection(self, standby: Standby, session: Session) -> psycopg.Connection[Any]:
        if standby.connection is not None and not standby.connection.closed:
            return standby.connection
        standby.connection, standby.replayed = None, 0
        settings: dict[str, Any] = {**PATIENCE, **conninfo_to_dict(standby.dsn), "client_encoding": "utf8"}
        connection = psycopg.Connection.connect(
            **settings, autocommit=True, prepare_threshold=None, fallback_application_name="pgbraid"
        )
        try:
            end_with_client(connection)
            connection.execute(LOCK_TIMEOUT)
            ((system, database, started, is_standby),) = session.fetch_from(connection, SERVER, {})
            if (system, database) != self._primary[:2]:
                raise InvalidArgumentError(
                    f"read_dsn leads to another database: {_shown(standby.dsn)}",
                    hint="give standbys of the database of the DSN, which follow it by streaming replication",
                    sqlstate="22023",
                )
            if not is_standby and started != self._primary[2] and not session.connection.closed:
                raise psycopg.OperationalError("it is no standby, but takes writes of its own")
            if self._is_closed:
                raise psycopg.OperationalError("the client is closed")
            register_vector_types(connection, session.vector_types)
        except BaseException:
            connection.close()
            raise
        # A pooler may tell nothing, or what once was.
        standby.was_standby = connection.info.parameter_status("in_hot_standby") == "on"
        standby.connection = connection
        return connection

    def _has_replayed(self, standby: Standby, connection: psycopg.Connection[Any], session: Session) -> bool:
        if standby.replayed >= self.position:
            return True
        position = self.position
        if not session.fetch_from(connection, REPLAYED, {"position": to_text(position)}):
            # Else each read would wait in vain.
            standby.rest(LAG_SECONDS)
            self._check_position(session)
            return False
        standby.replayed = position
        return True

    def _check_position(self, session: Session) -> None:
        """No standby ever comes to a position that the primary has not."""
        if session.connection.closed:
            return
        ((position,),) = session.fetch_from(session.connection, WRITTEN, {})
        if self.position > to_number(position):
            logger.warning(
                "reads wait for %s of the log, not for %s, which is beyond it", position, to_text(self.position)
            )
            self.position = to_number(position)
        session.fetch_from(session.connection, SENT, {"position": to_text(self.position)})

    def _check_recovery(
        self, standby: Standby, connection: psycopg.Connection[Any], primary: psycopg.Connection[Any]
    ) -> None:
        """That what answered was a standby still, while there is a primary: with each answer, PostgreSQL says so."""
        told = connection.info.parameter_status("in_hot_standby")
        if standby.was_standby and told == "off" and not primary.closed:
            raise psycopg.OperationalError("it has been promoted, and is no standby any more")

    def _leave_alone(self, standby: Standby, error: psycopg.Error) -> None:
        """Raise the error again if it is not the standby's fault."""
        typed = from_psycopg(error)
        # A lock there is one that the replay holds.
        if not isinstance(typed, (ConnectionLostError, RecoveryConflictError)) and error.sqlstate != "55P03":
            raise error
        standby.rest(REST_SECONDS)
        logger.warning(
            "reads leave the standby %s alone for %.0f seconds: %s", _shown(standby.dsn), REST_SECONDS, typed.message
        )
        standby.close()


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


def wal_position(client: BaseClient) -> str:
    """How far the database's write-ahead log has come, with all that this client has committed: for `read_after` of
    another client, also in another process.

    On a standby, how far it has replayed that log.
    """
    return str((client._session.rows((), WRITTEN))[0][0])


def read_after(client: BaseClient, position: str) -> None:
    """Have reads from now on see what was committed before a `wal_position()`: a standby that has not come so far is
    waited for a moment, then the primary asked. Without `read_dsn` reads are on the primary anyway.

    Raises InvalidArgumentError.
    """
    number = to_number(position)
    if client._session.standbys is not None:
        client._session.standbys.wait_for(number)
