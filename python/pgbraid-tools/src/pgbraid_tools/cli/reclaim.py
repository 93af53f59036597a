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
PAGE_BYTES = 8192
# Postings are moved in batches, because a merge of their segments waits meanwhile.
MAX_BATCH_BYTES = 512 * PAGE_BYTES
IS_OWNER = """
select pg_catalog.pg_has_role(c.relowner, 'usage')
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'braid_store' and c.relname = 'postings'
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
POSTINGS_PAGES = "select pg_catalog.pg_relation_size('braid_store.postings') / 8192"
# List places of postings with TOASTed lists, in the given order, until their sizes add up to `room` bytes.
TOASTED_POSTINGS = """
select p.place::text, p.bytes
from (
  select p.*, sum(p.bytes) over (order by {order} rows unbounded preceding) as sum
  from (
    select p.ctid as place, p.segment_id, p.lexeme, {ids},
           2048 * ceil((coalesce(pg_column_size(p.elements), 0) + coalesce(pg_column_size(p.blocks), 0)) / 1996.0)
             as bytes
    from braid_store.postings p
  ) p
  {far}
) p
where p.sum <= %(room)s
order by p.sum
"""
# Returns the pages of the TOAST table, and the pages that its values need. A TOAST chunk holds 1,996 bytes of a value,
# and a page holds four chunks.
TOAST_PAGES = """
select pg_catalog.pg_relation_size(c.reltoastrelid) / 8192, (
         select coalesce(ceil(sum(ceil(p.bytes / 1996.0)) / 4), 0)::bigint
         from (
           select coalesce(pg_column_size(p.elements), 0) + coalesce(pg_column_size(p.blocks), 0) as bytes
           from braid_store.postings p
         ) p
         where p.bytes > 1900)
from pg_catalog.pg_class c where c.oid = 'braid_store.postings'::regclass
"""
# The result is null if the login cannot read the TOAST table. It is also null before PostgreSQL 17, where a query
# cannot tell which row a TOAST chunk belongs to.
TOAST_TABLE = """
select case when pg_catalog.has_schema_privilege('pg_toast', 'usage')
                 and pg_catalog.current_setting('server_version_num')::int >= 170000
            then c.reltoastrelid::regclass::text end
from pg_catalog.pg_class c where c.oid = 'braid_store.postings'::regclass
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
    for part, move in (("rows", _move_postings), ("toast", _rewrite_postings)):
        if any(row[:2] == ("postings", part) for row in bloated) and time.monotonic() < deadline:
            move(connection, deadline, warnings)
            bloated = _bloated(connection, warnings)
    for table, part, _, _ in bloated:
        if time.monotonic() > deadline:
            break
        if part not in ("rows", "toast"):
            _reindex(connection, table, part, warnings)
        elif table != "postings":
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


def _move_postings(connection: psycopg.Connection[Any], deadline: float, warnings: list[str]) -> None:
    """Move postings from the end of their table to free space, and truncate the table. Vacuum alone cannot: the last
    merge writes the largest lists, after the lists that it deletes."""
    # Some rows may have found space near the end; move these once more.
    for _ in range(3):
        # Vacuum first, because only then is there free space in front.
        _vacuum(connection, "postings", warnings)
        needed = next((row[3] for row in _bloated(connection, warnings) if row[:2] == ("postings", "rows")), None)
        if needed is None or time.monotonic() > deadline:
            return
        has_grown = True
        with _step(connection, "moving postings", warnings):
            pages = _value(connection, POSTINGS_PAGES)
            _move_last(connection, needed // PAGE_BYTES, pages, deadline)
            has_grown = _value(connection, POSTINGS_PAGES) > pages
        if has_grown:
            break
    _vacuum(connection, "postings", warnings)


def _move_last(connection: psycopg.Connection[Any], first_page: int, pages: int, deadline: float) -> None:
    behind = f"({pages},0)"
    # While an open transaction may still read deleted rows, there is no free space. Finding that out costs one page.
    piece = PAGE_BYTES
    may_go_on = True
    while may_go_on and time.monotonic() < deadline:
        row = connection.execute(
            "select moved_count, reached::text, may_go_on "
            "from braid_store.move_postings(%s::bigint, %s::tid, %s::bigint)",
            (first_page, behind, piece),
        ).fetchone()
        assert row is not None
        moved, behind, may_go_on = row
        if moved:
            piece = min(2 * piece, MAX_BATCH_BYTES)


def _rewrite_postings(connection: psycopg.Connection[Any], deadline: float, warnings: list[str]) -> None:
    """Move postings lists from the end of their TOAST table, where the last merge wrote them, to free space, and
    truncate the table."""
    toast = None
    with _step(connection, "moving long postings", warnings):
        toast = _value(connection, TOAST_TABLE)
    # If the login sees where lists lie, some may have landed at the end again. If it does not, the lists written last
    # are taken; then the first of these again, which may have found space in the last page.
    for number in range(5 if toast else 2):
        # Vacuum first, because only then is there free space in front.
        _vacuum(connection, "postings", warnings)
        if time.monotonic() > deadline:
            return
        with _step(connection, "moving long postings", warnings):
            if not _rewrite_last(connection, toast, deadline, 8 if number and not toast else None):
                break
    _vacuum(connection, "postings", warnings)


def _rewrite_last(
    connection: psycopg.Connection[Any], toast: str | None, deadline: float, most_pages: int | None
) -> bool:
    """Move the last lists; tell whether some were moved into free space."""
    # Compute the needed pages from the sizes of the postings: the statistics are wrong after a vacuum that skipped
    # pages.
    pages, needed = connection.execute(TOAST_PAGES).fetchone() or (0, 0)
    if (pages - needed) * PAGE_BYTES < MIN_EXCESS_BYTES:
        return False
    room = 0.9 * PAGE_BYTES * min(pages - needed, most_pages or pages)
    query = (
        TOASTED_POSTINGS.format(order="p.segment_id desc, p.lexeme desc", ids="null", far="where p.bytes > 2048")
        if toast is None
        else TOASTED_POSTINGS.format(
            order="f.place desc",
            ids="pg_column_toast_chunk_id(p.elements) as elements_id, pg_column_toast_chunk_id(p.blocks) as blocks_id",
            far=f"join (select t.chunk_id, max(t.ctid) as place from {toast} t where t.ctid >= '({needed},0)'"
            " group by t.chunk_id) f on f.chunk_id in (p.elements_id, p.blocks_id)",
        )
    )
    # Batches grow: while an open transaction may still read deleted rows, there is no free space, and finding that out
    # costs one page.
    pieces: list[list[str]] = []
    left = 0
    for place, size in connection.execute(query.encode(), {"room": room}).fetchall():
        if left <= 0:
            pieces.append([])
            left = min(PAGE_BYTES << len(pieces), MAX_BATCH_BYTES)
        pieces[-1].append(place)
        left -= size
    for piece in pieces:
        row = connection.execute("select braid_store.rewrite_postings(%s::tid[])", (piece,)).fetchone()
        assert row is not None
        if row[0] is None or row[0] > 0 or time.monotonic() > deadline:
            return False
    return bool(pieces)


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
