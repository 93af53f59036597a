# Generated from async_client/standbys.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Send reads to hot standbys in turn: wait for replay of the client's writes, and fall back to the primary."""

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

# Functions after which no read needs to wait for replay.
UNREMARKABLE = READS | {"read_installation", "store_query_embedding"}
# Seconds for which a standby is skipped after a failure or a cancelled read, and while it lags. A read waits for replay
# for at most WAIT_STEPS × STEP_SECONDS.
REST_SECONDS, LAG_SECONDS = 10.0, 1.0
WAIT_STEPS, STEP_SECONDS = 50, 0.005
# A dead host must not delay a read by TCP's minutes.
PATIENCE = {
    "connect_timeout": "3", "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "2",
    "tcp_user_timeout": "15000",
}  # fmt: skip
# Identifies the server, and tells whether it is a standby.
SERVER = """
select s.system_identifier, pg_catalog.current_database(), pg_catalog.pg_postmaster_start_time(),
  pg_catalog.pg_is_in_recovery()
from pg_catalog.pg_control_system() s
"""
# Returns the insert position, because an asynchronous commit may not be flushed yet. At the start of a WAL page or
# segment, the insert position is behind the page header, but replay stops before the header. So the header's length is
# subtracted.
WRITTEN = """
select case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
            when (i - '0/0') %% pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_segment_size')) = 40
              then i - 40
            when (i - '0/0') %% pg_catalog.current_setting('wal_block_size')::int = 24 then i - 24
            else i end::text
from (select case when not pg_catalog.pg_is_in_recovery() then pg_catalog.pg_current_wal_insert_lsn() end) p(i)
"""
# Records that no commit waits for, such as hint bits on an idle primary, may never be sent; assigning a transaction id
# makes the primary flush them.
SENT = """
select case when pg_catalog.pg_current_wal_flush_lsn() < %(position)s::pg_catalog.pg_lsn
            then pg_catalog.pg_current_xact_id() end
"""
# Sleeps on the standby until it has replayed the position, then returns a row; after all steps, none. A promoted
# standby replays nothing more, so its insert position counts.
REPLAYED = f"""
select true from pg_catalog.generate_series(1, {WAIT_STEPS})
where case when case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
                     else pg_catalog.pg_current_wal_insert_lsn() end >= %(position)s::pg_catalog.pg_lsn then true
           else pg_catalog.pg_sleep({STEP_SECONDS}) is null end
limit 1
"""
# A conflict that pauses replay keeps replay's locks; a read must not wait for these locks without bound.
LOCK_TIMEOUT = """
select pg_catalog.set_config('lock_timeout', '2s', false) where pg_catalog.current_setting('lock_timeout') = '0'
"""
POSITION = re.compile(r"([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})")

logger = logging.getLogger("pgbraid")


def standbys_of(session: Session, read_dsn: str | Sequence[str], consistency: Consistency) -> Standbys:
    """Return the standbys that `read_dsn` names; a connection to each is opened at its first read."""
    if not session.owns_connection:
        raise InvalidArgumentError(
            "read_dsn needs a DSN, not an open connection: standbys would not have its settings and role",
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
    """Return the addresses of `read_dsn`. One string may hold several URLs, separated by white space."""
    given = [read_dsn] if isinstance(read_dsn, str) else list(read_dsn)
    dsns = []
    for dsn in given:
        dsns += dsn.split() if URL.match(dsn) else [dsn]
    return list(dict.fromkeys(usable_dsn(dsn, "read_dsn (--read-dsn or PGBRAID_READ_DSN)") for dsn in dsns))


class Standby:
    """Hold the connection to one standby of `read_dsn`, with its replayed position and rest."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.connection: psycopg.Connection[Any] | None = None
        # The last position that it is known to have replayed.
        self.replayed = 0
        self.was_standby = False
        self.rests_until = 0.0
        # Held while a connection is opened or waits for replay, so that concurrent calls do not repeat this.
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
    """Hold the standbys, and the position that reads need, for all views of a client."""

    def __init__(self, dsns: Sequence[str], follows_writes: bool, primary: tuple[int, str, Any]) -> None:
        self._standbys = [Standby(dsn) for dsn in dsns]
        self._follows_writes = follows_writes
        self._primary = primary
        self._turns = count()
        # Where a call's statements read: on one server, as another standby may lag behind it. None is the primary.
        self._chosen_for: WeakKeyDictionary[Call, Standby | None] = WeakKeyDictionary()
        # WAL position, as a number, that reads must see.
        self.position = 0
        # True if there may be writes with a position not asked for yet, such as writes in a transaction.
        self._is_ahead = False
        self._is_closed = False

    def close(self) -> None:
        self._is_closed = True
        for standby in self._standbys:
            standby.close()

    def fetch(
        self, session: Session, names: frozenset[str], statement: str, parameters: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        """Run a statement that calls these functions. If all are reads, outside of a transaction, a standby answers, or
        the primary if the standby cannot serve; otherwise the primary."""
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
                # A lagging standby may not have replayed an upgrade yet.
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
        """Run a statement on the primary; note writes that later reads must see."""
        writes = self._follows_writes and not names <= UNREMARKABLE
        try:
            rows = session.fetch_from(session.connection, statement, parameters)
        finally:
            # The flag is set even after an error, because a call that was cancelled may still commit.
            self._is_ahead = self._is_ahead or writes
        if writes and session.connection.info.transaction_status == TransactionStatus.IDLE:
            # The write is committed even if this fails; the next read asks for the position again.
            with suppress(psycopg.Error):
                self._ask_position(session)
        return rows

    def _catch_up(self, session: Session) -> None:
        """Ask for the position of the last write; if the connection is closed, warn and do without."""
        try:
            self._ask_position(session)
        except psycopg.Error:
            if not session.connection.closed:
                raise
            self._is_ahead = False
            logger.warning("the primary is gone: reads on standbys may miss what this client wrote last")

    def _ask_position(self, session: Session) -> None:
        # Cleared first, so that a concurrent write sets it again.
        self._is_ahead = False
        try:
            ((position,),) = session.fetch_from(session.connection, WRITTEN, {})
        except BaseException:
            self._is_ahead = True
            raise
        self.wait_for(to_number(position))

    def _chosen(self, session: Session) -> Standby | None:
        """Return the call's standby, else the next in round-robin order; None to read from the primary."""
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
        """Return the standby's connection once it has replayed what reads must see; None if it cannot in time."""
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
                    hint="give streaming-replication standbys of the database that the DSN names",
                    sqlstate="22023",
                )
            if not is_standby and started != self._primary[2] and not session.connection.closed:
                raise psycopg.OperationalError("the server is not a standby: it takes writes of its own")
            if self._is_closed:
                raise psycopg.OperationalError("the client is closed")
            register_vector_types(connection, session.vector_types)
        except BaseException:
            connection.close()
            raise
        # A pooler may report no in_hot_standby, or an outdated one.
        standby.was_standby = connection.info.parameter_status("in_hot_standby") == "on"
        standby.connection = connection
        return connection

    def _has_replayed(self, standby: Standby, connection: psycopg.Connection[Any], session: Session) -> bool:
        if standby.replayed >= self.position:
            return True
        position = self.position
        if not session.fetch_from(connection, REPLAYED, {"position": to_text(position)}):
            # Without this rest, each read would wait in vain.
            standby.rest(LAG_SECONDS)
            self._check_position(session)
            return False
        standby.replayed = position
        return True

    def _check_position(self, session: Session) -> None:
        """Ask the primary for its WAL position, and make it send its WAL up to the position that reads wait for. If
        that position is beyond the primary's, which no standby would ever reach, reduce it."""
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
        """Raise OperationalError if the standby was promoted, while there is a primary: PostgreSQL reports
        promotions."""
        told = connection.info.parameter_status("in_hot_standby")
        if standby.was_standby and told == "off" and not primary.closed:
            raise psycopg.OperationalError("the standby has been promoted to a primary")

    def _leave_alone(self, standby: Standby, error: psycopg.Error) -> None:
        """Let a failed standby rest; raise the error again if it is not the standby's fault."""
        typed = from_psycopg(error)
        # SQLSTATE 55P03 (lock timeout) is the standby's fault as well: on a standby only WAL replay takes locks that
        # block reads.
        if not isinstance(typed, (ConnectionLostError, RecoveryConflictError)) and error.sqlstate != "55P03":
            raise error
        standby.rest(REST_SECONDS)
        logger.warning(
            "reads leave the standby %s alone for %.0f seconds: %s", _shown(standby.dsn), REST_SECONDS, typed.message
        )
        standby.close()


def to_number(position: str) -> int:
    """Return a WAL position in PostgreSQL's form, such as 0/3000148, as a number. Raise InvalidArgumentError."""
    match = POSITION.fullmatch(position) if isinstance(position, str) else None
    if match is None:
        raise InvalidArgumentError(
            f"position is {position!r}"[:200],
            hint="give a result of wal_position(), such as '0/3000148'",
            sqlstate="22023",
        )
    return int(match[1], 16) << 32 | int(match[2], 16)


def to_text(position: int) -> str:
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"


def _shown(dsn: str) -> str:
    """Return an address without its password."""
    given = conninfo_to_dict(dsn)
    return " ".join(f"{name}={given[name]}" for name in ("host", "hostaddr", "port", "dbname") if given.get(name))


def wal_position(client: BaseClient) -> str:
    """Return the database's current WAL position, after all that this client has committed. Pass it to `read_after` of
    another client, also in another process.

    On a standby, return the position replayed so far.
    """
    return str((client._session.rows((), WRITTEN))[0][0])


def read_after(client: BaseClient, position: str) -> None:
    """Make all later reads see what was committed before a `wal_position()`: if a standby has not replayed it after a
    short wait, the primary answers. Without `read_dsn` all reads go to the primary anyway.

    Raise InvalidArgumentError.
    """
    number = to_number(position)
    if client._session.standbys is not None:
        client._session.standbys.wait_for(number)
