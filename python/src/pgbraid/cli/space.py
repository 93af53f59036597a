"""Space that deleted rows have left in the tables: vacuum, and indexes made anew, outside of transactions."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from psycopg import sql
from psycopg.errors import LockNotAvailable, UndefinedObject

if TYPE_CHECKING:
    import psycopg

__all__ = ["give_back_space", "size"]

# Below this many bytes nothing is worth the work.
LEAST = 16_000_000
# What takes more than so many times its need is made smaller.
LOOSE = 1.25
# Postings are moved in pieces of so many pages, as whoever merges their segments waits meanwhile.
PAGES = 500
MAY = """
select pg_catalog.pg_has_role(c.relowner, 'usage')
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'braid_store' and c.relname = 'postings'
"""
DEAD = """
select s.relname
from pg_catalog.pg_stat_user_tables s
where s.schemaname = 'braid_store' and s.relname !~ '^vectors_[0-9]+$'
  and s.n_dead_tup > 1000 + 0.02 * s.n_live_tup
order by pg_catalog.pg_table_size(s.relid) desc
"""
# What a reindex that was cut off has left.
INVALID = """
select i.relname
from pg_catalog.pg_index x
join pg_catalog.pg_class i on i.oid = x.indexrelid
where i.relnamespace = 'braid_store'::regnamespace and not x.indisvalid and i.relname ~ '_cc(new|old)[0-9]*$'
"""
FREE = """
select coalesce(sum(byte_count - needed_byte_count), 0)
from braid_store.relation_sizes() where byte_count > 1000000 and byte_count > needed_byte_count
"""
TOTAL = """
select coalesce(sum(pg_catalog.pg_total_relation_size(c.oid)), 0)
from pg_catalog.pg_class c where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r'
"""


def give_back_space(connection: psycopg.Connection[Any], deadline: float) -> int | None:
    """Vacuum tables and make indexes anew that hold much free space, until the deadline; what has begun is finished.
    How many bytes smaller the tables are; None for a login that has not the rights of their owner."""
    if not _value(connection, MAY):
        return None
    before = _value(connection, TOTAL)
    connection.execute("set lock_timeout = '3s'")
    try:
        _drop_invalid_indexes(connection)
        for (name,) in connection.execute(DEAD).fetchall():
            if time.monotonic() < deadline:
                _vacuum(connection, name)
        _move_postings(connection, deadline)
        for table, part, _, _ in _loose(connection):
            if time.monotonic() > deadline:
                break
            if part not in ("rows", "toast"):
                _reindex(connection, part)
            elif table != "postings":
                _vacuum(connection, table)
    finally:
        connection.execute("reset lock_timeout")
    return max(0, int(before - _value(connection, TOTAL)))


def size(connection: psycopg.Connection[Any]) -> tuple[int, int] | tuple[None, None]:
    """How many bytes the tables take, and about how many of them hold nothing; None for a login that has not the rights
    of their owner."""
    if not _value(connection, MAY):
        return None, None
    free = _value(connection, FREE)
    return int(_value(connection, TOTAL)), int(free)


def _loose(connection: psycopg.Connection[Any]) -> list[tuple[str, str, int, int]]:
    """What takes much more than it needs, with both in bytes."""
    rows = connection.execute(
        "select table_name, part, byte_count, needed_byte_count from braid_store.relation_sizes() "
        "order by byte_count - needed_byte_count desc"
    ).fetchall()
    return [row for row in rows if row[2] > max(LEAST, LOOSE * row[3])]


def _move_postings(connection: psycopg.Connection[Any], deadline: float) -> None:
    """Move them from the end of their table, and of what is out of line, to where there is room, and cut the end off.
    Vacuum alone cannot: the last merge writes the largest lists, behind all that it deletes."""
    for part in ("rows", "toast"):
        needed = next((row[3] for row in _loose(connection) if row[:2] == ("postings", part)), None)
        if needed is None:
            continue
        pages = _value(connection, "select pg_catalog.pg_relation_size('braid_store.postings') / 8192")
        first = needed // 8192 if part == "rows" else 0
        for last in range(pages - 1, first - 1, -PAGES):
            if time.monotonic() > deadline:
                break
            connection.execute(
                "select braid_store.move_postings(%s::bigint, %s::bigint, %s::boolean)",
                (max(first, last - PAGES + 1), last, part == "toast"),
            )
        _vacuum(connection, "postings")


def _vacuum(connection: psycopg.Connection[Any], table: str) -> None:
    with suppress(LockNotAvailable):
        # An autovacuum that is at it gives way after deadlock_timeout.
        connection.execute(sql.SQL("vacuum braid_store.{}").format(sql.Identifier(table)))


def _reindex(connection: psycopg.Connection[Any], index: str) -> None:
    try:
        connection.execute(sql.SQL("reindex index concurrently braid_store.{}").format(sql.Identifier(index)))
    except LockNotAvailable:
        # Somebody else is at it, or has a transaction open. The old index is as good as before.
        _drop_invalid_indexes(connection)


def _drop_invalid_indexes(connection: psycopg.Connection[Any]) -> None:
    for (name,) in connection.execute(INVALID).fetchall():
        # Not without "concurrently", for which searches would wait. One that is still being made keeps its lock.
        with suppress(LockNotAvailable, UndefinedObject):
            connection.execute(sql.SQL("drop index concurrently braid_store.{}").format(sql.Identifier(name)))


def _value(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]
