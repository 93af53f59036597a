"""Reclaim the space of deleted rows by vacuum and reindex, which cannot run in a function."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from psycopg import OperationalError, sql
from psycopg.errors import UndefinedObject

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

__all__ = ["reclaim_space"]

# Tables and indexes with less excess than this are left alone.
MIN_EXCESS_BYTES = 4_000_000
# Size, relative to the size needed, from which a table or index is bloated.
MAX_BLOAT = 1.25
# The timeout is short, because other sessions queue behind a waiting step.
LOCK_TIMEOUT = "3s"
IS_OWNER = """
select pg_catalog.pg_has_role(c.relowner, 'usage')
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'braid_store' and c.relname = 'postings_a'
"""
TABLES_WITH_DEAD_ROWS = """
select s.relname
from pg_catalog.pg_stat_user_tables s
where s.schemaname = 'braid_store' and s.relname !~ '^vectors_[0-9]+$'
  and s.n_dead_tup > 1000 + 0.02 * s.n_live_tup
order by pg_catalog.pg_table_size(s.relid) desc
"""
# An interrupted reindex leaves these behind.
INVALID_INDEXES = """
select i.relname, t.relname
from pg_catalog.pg_index x
join pg_catalog.pg_class i on i.oid = x.indexrelid
join pg_catalog.pg_class t on t.oid = x.indrelid
where i.relnamespace = 'braid_store'::regnamespace and not x.indisvalid and i.relname ~ '_cc(new|old)[0-9]*$'
"""
TOTAL_BYTES = """
select coalesce(sum(pg_catalog.pg_total_relation_size(c.oid)), 0)
from pg_catalog.pg_class c where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r'
"""


def reclaim_space(connection: psycopg.Connection[Any], deadline: float, warnings: list[str]) -> int | None:
    """Vacuum bloated tables and reindex bloated indexes until the deadline; a step that has begun is finished.

    Return the bytes reclaimed; None if the login lacks the rights of the tables' owner. A step that fails is left out,
    with a line in `warnings`."""
    if not _value(connection, IS_OWNER):
        return None
    reclaimed = 0
    try:
        connection.execute(f"set lock_timeout = '{LOCK_TIMEOUT}'")
        # A vacuum may take longer than the login's searches may.
        connection.execute("set statement_timeout = 0")
        with _step(connection, "measuring the tables", warnings):
            before = _value(connection, TOTAL_BYTES)
            _reclaim(connection, deadline, warnings)
            reclaimed = max(0, int(before - _value(connection, TOTAL_BYTES)))
    finally:
        # The server may keep the session for other clients, or have ended it.
        for setting in ("lock_timeout", "statement_timeout"):
            with suppress(OperationalError):
                connection.execute(f"reset {setting}")
    return reclaimed


def _reclaim(connection: psycopg.Connection[Any], deadline: float, warnings: list[str]) -> None:
    _drop_invalid_indexes(connection, warnings)
    dead: list[tuple[str]] = []
    with _step(connection, "looking for deleted rows", warnings):
        dead = connection.execute(TABLES_WITH_DEAD_ROWS).fetchall()
    for (table,) in dead:
        if time.monotonic() < deadline:
            _vacuum(connection, table, warnings)
    bloated = _bloated(connection, warnings)
    for table, part, _, _ in bloated:
        if time.monotonic() > deadline:
            break
        if part not in ("rows", "toast"):
            _reindex(connection, table, part, warnings)
        else:
            _vacuum(connection, table, warnings)


def _bloated(connection: psycopg.Connection[Any], warnings: list[str]) -> list[tuple[str, str, int, int]]:
    """Return table, part, size and needed size in bytes of everything bloated."""
    rows: list[tuple[str, str, int, int]] = []
    with _step(connection, "measuring the tables", warnings):
        rows = connection.execute(
            "select table_name, part, byte_count, needed_byte_count from braid_store.relation_sizes() "
            "order by byte_count - needed_byte_count desc"
        ).fetchall()
    return [row for row in rows if row[2] > max(MIN_EXCESS_BYTES, MAX_BLOAT * row[3])]


def _vacuum(connection: psycopg.Connection[Any], table: str, warnings: list[str]) -> None:
    with _step(connection, f"vacuum of {table}", warnings):
        # An autovacuum of this table gives way after deadlock_timeout. Without index_cleanup, a vacuum that finds few
        # dead rows leaves their line pointers, and a page with a line pointer is not truncated.
        connection.execute(sql.SQL("vacuum (index_cleanup on) braid_store.{}").format(sql.Identifier(table)))


def _reindex(connection: psycopg.Connection[Any], table: str, index: str, warnings: list[str]) -> None:
    done = False
    with _step(connection, f"reindex of {index}", warnings):
        left = [name for name, of in connection.execute(INVALID_INDEXES).fetchall() if of == table]
        if left:
            # Writers maintain every invalid index as well, so their number must not grow.
            warnings.append(f"reindex of {index}: not while {left[0]} cannot be dropped")
            return
        connection.execute(sql.SQL("reindex index concurrently braid_store.{}").format(sql.Identifier(index)))
        done = True
    if not done:
        # Another session works on it, or has a transaction open. The old index is as good as before.
        _drop_invalid_indexes(connection, warnings)


def _drop_invalid_indexes(connection: psycopg.Connection[Any], warnings: list[str]) -> None:
    left: list[tuple[str, str]] = []
    with _step(connection, "looking for invalid indexes", warnings):
        left = connection.execute(INVALID_INDEXES).fetchall()
    for name, _ in left:
        # Without "concurrently", searches would wait. An index that is still being built keeps its lock.
        with _step(connection, f"drop of {name}", warnings), suppress(UndefinedObject):
            connection.execute(sql.SQL("drop index concurrently braid_store.{}").format(sql.Identifier(name)))


@contextmanager
def _step(connection: psycopg.Connection[Any], name: str, warnings: list[str]) -> Iterator[None]:
    """Skip a step that another session blocks, with a warning."""
    try:
        yield
    except OperationalError as error:
        if connection.closed:
            raise
        warnings.append(f"{name}: {error.diag.message_primary or error}")


def _value(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]
