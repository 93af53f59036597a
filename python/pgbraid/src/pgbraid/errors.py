"""Define the errors of pgbraid, by SQLSTATE where the database raised them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

import psycopg


class PgbraidError(Exception):
    """Serve as the base of every error of this package.

    `message` says what is wrong, `hint` what to do next, and `sqlstate` is the database's five-character code (None for
    errors found by the client). `str()` returns message and hint. With `retryable`, the same call may succeed later.
    """

    retryable = False

    def __init__(self, message: str, *, hint: str | None = None, sqlstate: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.sqlstate = sqlstate

    def __str__(self) -> str:
        return f"{self.message}\nHint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call the class with positional arguments, but some are keyword-only.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[PgbraidError], arguments: tuple[Any, ...], values: dict[str, Any]) -> PgbraidError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(values)
    return error


class InvalidArgumentError(PgbraidError, ValueError):
    """An argument has the wrong type, shape or value (SQLSTATE class 22)."""


class DimensionMismatchError(InvalidArgumentError):
    """A vector's length is not the collection's."""


class LimitExceededError(InvalidArgumentError):
    """An argument is too large, long or deep to be processed (SQLSTATE class 54)."""


class NotFoundError(PgbraidError, LookupError):
    """A collection, tenant, text configuration or other object does not exist (SQLSTATE 42704)."""


class PermissionDeniedError(PgbraidError):
    """The tenant does not exist, or the role lacks the grant (SQLSTATE 42501)."""


class NotSupportedError(PgbraidError):
    """This version or this server does not support a documented option (SQLSTATE 0A000)."""


class ConflictError(PgbraidError):
    """Another transaction was in the way: a deadlock, a lock timeout, or a snapshot that is too old (SQLSTATE 40P01,
    55P03, 40001). Nothing was done."""

    retryable = True


class ConnectionLostError(PgbraidError):
    """The server cannot be reached, or the connection broke; the call may or may not have been carried out. A retry
    needs a new connection."""

    retryable = True


class RecoveryConflictError(ConflictError):
    """A standby cancelled the call, because replay had to change what the call was reading. Nothing was done; usually
    the connection is closed."""


class ConcurrentUpgradeError(ConflictError):
    """pgbraid was upgraded during a transaction, which was rolled back. Outside of a transaction the client retries the
    call itself."""


class WrongNodeError(PgbraidError):
    """The tenant, or its definition, is on another node of the cluster, `host` and `port` (SQLSTATE 55000). Both are
    None while the tenant moves to the node that was asked. Nothing was done. Outside of a transaction a client that has
    opened its connection follows the tenant itself; inside, retry the transaction."""

    def __init__(
        self, message: str, *, host: str | None, port: int | None, hint: str | None = None, sqlstate: str | None = None
    ) -> None:
        super().__init__(message, hint=hint, sqlstate=sqlstate)
        self.host = host
        self.port = port


class InstallationError(PgbraidError):
    """The schema could not be installed, upgraded or removed."""


class ServerError(InstallationError):
    """The embedded server cannot be created, started or stopped."""


class NotInstalledError(InstallationError):
    """The database has no pgbraid schema."""


class PartNotInstalledError(InstallationError):
    """A function or view belongs to a part of pgbraid, `part`, that this database lacks (SQLSTATE 42883 or 42P01)."""

    def __init__(self, name: str, part: str, sqlstate: str | None = None) -> None:
        super().__init__(
            f"braid.{name} is in the part {part}, which this database lacks",
            hint=f"run: pgbraid init --with {part}",
            sqlstate=sqlstate,
        )
        self.part = part


class VersionMismatchError(InstallationError):
    """The database and this package have different minor versions, or the same version with other functions or
    migrations."""


class EmbeddingError(PgbraidError):
    """Text could not be embedded."""


class OtherModelError(EmbeddingError, DimensionMismatchError):
    """The embedder's vectors have another length than the collection's, as after a model change. A hybrid search falls
    back to full text instead of raising it."""


class EmbeddingServiceError(EmbeddingError):
    """The embedding service is unreachable, refuses, or returns nonsense."""


class RerankingError(PgbraidError):
    """Texts could not be reranked, or the reranker's scores are invalid. A search falls back instead of raising it."""


class MissingExtraError(EmbeddingError):
    """An optional part of the package, or its model files, is not installed."""


_BY_SQLSTATE: dict[str, type[PgbraidError]] = {
    "42704": NotFoundError,
    "42501": PermissionDeniedError,
    "0A000": NotSupportedError,
    "3F000": NotInstalledError,
    "42883": NotFoundError,
    "40001": ConflictError,
    "40P01": ConflictError,
    "55P03": ConflictError,
}
# The keys are the first two characters of SQLSTATEs.
_BY_CLASS: dict[str, type[PgbraidError]] = {
    "22": InvalidArgumentError,
    "54": LimitExceededError,
}
# Connection failures; shutdown, crash or start of the server. 53300, too many clients, is added below.
_LOST = ("08", "57P")
# PostgreSQL's functions that report recovery conflicts on a standby; its messages may be translated.
_ON_STANDBYS = ("ProcessInterrupts", "ProcessRecoveryConflictInterrupt")
# None if the server ended the session, and libpq has only the message.
_CONFLICTS = ("40001", "40P01", None)
_RECOVERY_HINT = (
    "repeat the call, on a new connection if this one was closed; if it happens often, set"
    " hot_standby_feedback = on and a higher max_standby_streaming_delay on the standby"
)


# Removed functions and views, or functions without some argument, with the call to use instead. PostgreSQL only says
# that the name does not exist.
_RENAMED = {
    "apply_ranking": """select braid.set_ranking('default', '{"k1": 0.9}', 'why')""",
    "create_collection": """select braid.create_collection('papers', dimensions => 384, ranking => '{"k1": 0.9}',"""
    """ settings => '{"fold_diacritics": false}')""",
    "cut_over_model_migration": "select braid.cut_over_model_change('papers')",
    "finish_model_migration": "select braid.finish_model_change('papers')",
    "list_embedding_jobs": "select * from braid.list_embedding_jobs(match_count => 100)",
    "measure_recall": "select braid.measure_index_recall('default')",
    "model_migrations": "select * from braid.model_changes",
    "pause_model_migration": "select braid.pause_model_change('papers')",
    "resume_model_migration": "select braid.resume_model_change('papers')",
    "roll_back_model_migration": "select braid.roll_back_model_change('papers')",
    "search": "select braid.logged_search('price objections')",
    "set_document_defaults": """select braid.set_collection('default', '{"overlap_tokens": 20}')""",
    "set_ranking": """select braid.set_ranking('default', '{"k1": 0.9}')""",
    "set_vector_index": """select braid.set_collection('default', '{"hnsw_m": 32}')""",
    "start_model_migration": "select braid.start_model_change('papers', 'bge-m3', 1024)",
}
# Old names of arguments, in SQL and of methods, and of keys of documents.
RENAMED_ARGUMENTS = {"rerank": "reranker", "segments": "turns"}
# Old names of the client's methods.
RENAMED_METHODS = {
    "cut_over_model_migration": "cut_over_model_change",
    "finish_model_migration": "finish_model_change",
    "measure_recall": "measure_index_recall",
    "pause_model_migration": "pause_model_change",
    "resume_model_migration": "resume_model_change",
    "roll_back_model_migration": "roll_back_model_change",
    "start_model_migration": "start_model_change",
}


def from_psycopg(error: psycopg.Error, installed: Collection[str] = ()) -> PgbraidError:
    """Return the typed error for a psycopg error. Raise it `from` the original, which keeps the diagnostics.
    `installed` are the parts that the database is known to have."""
    sqlstate = error.sqlstate
    message = error.diag.message_primary or str(error).strip() or type(error).__name__
    hint = error.diag.message_hint
    # The SQLSTATE is checked as well, because other messages may quote names that users chose.
    is_conflict = error.diag.source_function in _ON_STANDBYS or "conflict with recovery" in message
    if is_conflict and sqlstate in _CONFLICTS:
        # PostgreSQL's own hint, if any, only says to repeat the call.
        return RecoveryConflictError(message, hint=_RECOVERY_HINT, sqlstate=sqlstate or "40001")
    if sqlstate is None:
        lost = isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))
        if lost:
            return ConnectionLostError(
                message, hint="check that the server is running and the DSN names the right host, database and role"
            )
        if "connection info string" in message:
            # The original message quotes the address, which may hold a password.
            return InvalidArgumentError(
                "the database's address cannot be read", hint="give a URL such as postgresql://user@host/database"
            )
        if "NUL (0x00)" in message:
            return InvalidArgumentError(message, hint="remove it: PostgreSQL has no NUL")
        if isinstance(error, (psycopg.DataError, psycopg.ProgrammingError)):
            return InvalidArgumentError(
                message, hint=hint or "give each argument a value of its type: see help() of the method"
            )
        return PgbraidError(message, hint=hint)
    if sqlstate.startswith("08") and message.startswith("connection to the remote node"):
        # Citus failed to reach another node; our own session is intact.
        return PgbraidError(
            message.partition("\n")[0],
            hint="start that node, and repeat the call: nothing was done on any node",
            sqlstate=sqlstate,
        )
    if sqlstate.startswith(_LOST) or sqlstate == "53300":
        hint = hint or "connect again and repeat the call"
        return ConnectionLostError(message, hint=hint, sqlstate=sqlstate)
    if sqlstate == "42883" and (old := re.search(r"\bbraid\.\w+\(.*\b(segments) => ", message)):
        return InvalidArgumentError(message, hint=f"its name is now: {RENAMED_ARGUMENTS[old[1]]}", sqlstate=sqlstate)
    if (absent := _of_absent_part(error, installed)) is not None:
        return absent
    named = re.search(r'\bbraid\.(\w+)[("]', message) if sqlstate in ("42883", "42P01") else None
    if named and named[1] in _RENAMED:
        return InvalidArgumentError(message, hint=f"write instead: {_RENAMED[named[1]]}", sqlstate=sqlstate)
    if sqlstate in ("3F000", "42P01") and '"braid' in message:
        return NotInstalledError(
            f"this database has no pgbraid, or an old one: {message}", hint="run: pgbraid init", sqlstate=sqlstate
        )
    if (node := node_named_by(error)) is not None:
        port = node.get("port")
        return WrongNodeError(
            message, host=node.get("host"), port=None if port is None else int(port), hint=hint, sqlstate=sqlstate
        )
    if sqlstate == "25006":
        hint = hint or "call it on the primary, in a transaction that may write"
    kind = _BY_SQLSTATE.get(sqlstate) or _BY_CLASS.get(sqlstate[:2], PgbraidError)
    if kind is ConflictError:
        hint = hint or "repeat the call, or the whole transaction of the call"
    elif kind is PermissionDeniedError:
        hint = hint or "have an administrator run: grant braid_reader to the login, or braid_writer to write"
    elif kind is InvalidArgumentError:
        hint = hint or "give each argument a value of its type: see help() of the method"
    return kind(message, hint=hint, sqlstate=sqlstate)


def _of_absent_part(error: psycopg.Error, installed: Collection[str]) -> PartNotInstalledError | None:
    """Return the error for a function or view of a part that is not installed."""
    if error.sqlstate not in ("42883", "42P01"):
        return None
    from pgbraid._part_of import PART_OF

    # The rest of the message may be translated.
    named = re.search(r"\bbraid\.(\w+)", error.diag.message_primary or "")
    part = PART_OF.get(named[1]) if named else None
    return (
        None
        if named is None or part is None or part in installed
        else PartNotInstalledError(named[1], part, error.sqlstate)
    )


def node_named_by(error: psycopg.Error) -> dict[str, Any] | None:
    """Return the detail of a cluster's error. It has `host` and `port` of the right node, with `definitions` if this is
    the coordinator; or `retry` if the tenant is moving to the node that was asked."""
    if error.sqlstate != "55000":
        return None
    try:
        detail = json.loads(error.diag.message_detail or "")
    except ValueError:
        return None
    return detail if isinstance(detail, dict) and ("host" in detail or "retry" in detail) else None


# SQLSTATEs of a statement on functions or tables that an upgrade has replaced meanwhile: the object is gone, or has
# another shape. This package's statements get them in no other case.
_OUTDATED = ("42883", "42703", "42P01", "42P13", "42804", "42725")
_OUTDATED_MESSAGES = {
    "XX000": ("cache lookup failed", "could not open relation", "concurrently"),
    "0A000": ("cached plan must not change",),
}


def is_outdated(error: psycopg.Error) -> bool:
    """Return whether an upgrade during a statement or a session caused the error."""
    return error.sqlstate in _OUTDATED or any(
        text in str(error) for text in _OUTDATED_MESSAGES.get(error.sqlstate or "", ())
    )


def upgraded(error: psycopg.Error, installed: Collection[str]) -> PgbraidError:
    """Return the error for an upgrade during a transaction, where no retry is possible."""
    return _of_absent_part(error, installed) or ConcurrentUpgradeError(
        f"pgbraid was upgraded while this transaction ran: {error.diag.message_primary}",
        hint="repeat the transaction; nothing of it was stored",
        sqlstate=error.sqlstate,
    )


def out_of_range(error: psycopg.Error, parameters: Mapping[str, object]) -> PgbraidError:
    """Return the error for a number that its type cannot hold: the database does not say which, so name the largest."""
    whole = {name: value for name, value in parameters.items() if isinstance(value, int)}
    if not whole:
        return from_psycopg(error)
    name = max(whole, key=lambda known: abs(whole[known]))
    return InvalidArgumentError(
        f"{name} is {whole[name]}: {error.diag.message_primary}",
        hint="use a smaller number; most are at most 2147483647",
        sqlstate=error.sqlstate,
    )
