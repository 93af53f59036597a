"""Measure where the time of a call goes: calls and CPU of each PL/pgSQL function and of each of its statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from benchmarks.server_code import compile_module

Connection = psycopg.Connection[Any]
SOURCE = Path(__file__).with_name("profile.c")
FUNCTIONS = """
create schema if not exists profile;
grant usage on schema profile to public;
create or replace function profile.start_profile() returns void language c as {module};
create or replace function profile.profiled(out function oid, out statement int, out line int, out is_block bool,
    out calls bigint, out own_ms float8, out total_ms float8) returns setof record language c as {module};
"""
PROFILED = """
select n.nspname || '.' || f.proname, p.statement,
       coalesce(btrim(split_part(f.prosrc, chr(10), nullif(p.line, 0))), ''), p.line,
       p.is_block, p.calls, p.own_ms, p.total_ms
from profile.profiled() p join pg_proc f on f.oid = p.function join pg_namespace n on n.oid = f.pronamespace
"""


@dataclass(frozen=True)
class Part:
    """Hold the sums of a function, or of the statement whose first line is `text`. `own_ms` is without inner calls.

    SQL functions are no part of their own: they count for the statement that calls them."""

    function: str
    line: int
    text: str
    is_statement: bool
    calls: float
    own_ms: float
    total_ms: float


@dataclass(frozen=True)
class Profile:
    """Hold averages over the calls that were profiled."""

    parts: list[Part]

    @property
    def functions(self) -> list[Part]:
        return sorted((part for part in self.parts if not part.is_statement), key=lambda part: -part.total_ms)

    @property
    def statements(self) -> list[Part]:
        return sorted((part for part in self.parts if part.is_statement), key=lambda part: -part.own_ms)


def install_profiler(dsn: str) -> bool:
    """Create the profiler's functions in a superuser's database; return whether there is a C compiler for them."""
    module = compile_module(SOURCE, dsn)
    if module is None:
        return False
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(sql.SQL(FUNCTIONS).format(module=sql.Literal(str(module))))
    return True


def start_profile(db: Connection) -> None:
    db.execute("select profile.start_profile()")


def read_profile(db: Connection) -> list[Part]:
    """Return the sums since the profile was started. A block is no statement, for it only holds others."""
    rows = db.execute(PROFILED).fetchall()
    return [
        Part(name, line, text, statement > 0, calls, own_ms, total_ms)
        for name, statement, text, line, is_block, calls, own_ms, total_ms in rows
        if not is_block
    ]


def average(profiles: Sequence[Sequence[Part]], count: int) -> Profile:
    """Return the averages of profiles, from several sessions, of `count` calls in all."""
    sums: dict[tuple[str, int, str, bool], list[float]] = {}
    for part in (part for parts in profiles for part in parts):
        of_place = sums.setdefault((part.function, part.line, part.text, part.is_statement), [0, 0, 0])
        for place, value in enumerate((part.calls, part.own_ms, part.total_ms)):
            of_place[place] += value
    return Profile([Part(*place, *(value / count for value in values)) for place, values in sums.items()])
