"""Count all functions, the functions that a plain hybrid search can reach by their texts, and the functions that it
runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.changes.content import embed
from benchmarks.changes.databases import Side, member

BODIES = """
select n.nspname || '.' || p.proname, p.prosrc from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname in ('braid', 'braid_calls', 'braid_store')
"""
PLAIN = "select count(*) from braid.hybrid_search(%s, %s::vector, collection => 'plain')"
DECLARED = re.compile(r"^create (?:or replace )?function (braid\w*\.\w+)", re.M)
CALLED = re.compile(r"\b((?:braid|braid_calls|braid_store)\.\w+)\s*\(")


def compare_functions(old: Side, new: Side) -> None:
    """Print both sides' counts, and each folder's counts in this checkout."""
    before, after = count_functions(old), count_functions(new)
    for name in after:
        print(f"{name:36} {before[name]:7} {after[name]:7}")
    print(" " * 36, *(f"{title:>7}" for title in ("files", "lines", "all", "API")))
    for title, checkout in (("before: ", old.checkout), ("", new.checkout)):
        folders = [checkout / "sql", checkout / "sql" / "core", *sorted((checkout / "sql" / "parts").glob("*/"))]
        for folder in filter(Path.is_dir, folders):
            print(f"{title}{folder.relative_to(checkout)}".ljust(36), *(f"{count:7}" for count in count_lines(folder)))


def count_functions(side: Side) -> dict[str, int]:
    with side.connect() as db:
        bodies = {str(name): re.sub(r"--[^\n]*", "", str(body)) for name, body in db.execute(BODIES).fetchall()}
    calls = {name: set(CALLED.findall(body)) & bodies.keys() for name, body in bodies.items()}
    reached, ahead = set[str](), {"braid.hybrid_search"}
    while ahead:
        reached |= ahead
        ahead = {called for name in ahead for called in calls[name]} - reached
    of_parts = {name for folder in (side.checkout / "sql" / "parts").glob("*") for name in declared(folder)}
    return {
        "functions": len(bodies),
        "functions of the API": sum(name.startswith("braid.") for name in bodies),
        "reached by hybrid_search": len(reached),
        "reached, but for those of parts": len(reached - of_parts),
        "executed by a plain hybrid search": len(executed(side)),
    }


def executed(side: Side) -> set[str]:
    """Return the functions that a plain hybrid search runs in a session that has searched before."""
    arguments = ("price review of the harbour", str(embed("harbour", 64)))
    with side.connect() as db:
        # Only a superuser may count functions; the search still runs as the tenant's member.
        db.execute("set track_functions = 'all'")
        db.execute(f"set role {member('acme')}")
        db.execute("set braid.tenant = 'acme'")
        for _ in range(8):
            db.execute(PLAIN, arguments)
        db.execute("reset role")
        before = _calls(db)
        db.execute(f"set role {member('acme')}")
        db.execute(PLAIN, arguments)
        db.execute("reset role")
        after = _calls(db)
    return {name for name, count in after.items() if count > before.get(name, 0)}


def _calls(db: psycopg.Connection[Any]) -> dict[str, int]:
    db.execute("select pg_stat_force_next_flush()")
    db.execute("select pg_stat_clear_snapshot()")
    rows = db.execute("select schemaname || '.' || funcname, calls from pg_stat_user_functions").fetchall()
    return {name: calls for name, calls in rows if name.startswith("braid")}


def count_lines(folder: Path) -> tuple[int, int, int, int]:
    """Return the number of files, lines, functions, and functions of the API."""
    files = sorted(folder.rglob("*.sql"))
    functions = declared(folder)
    lines = sum(file.read_text(encoding="utf-8").count("\n") for file in files)
    return len(files), lines, len(functions), sum(name.startswith("braid.") for name in functions)


def declared(folder: Path) -> set[str]:
    """Return the functions that a folder's files declare."""
    return {name for file in folder.rglob("*.sql") for name in DECLARED.findall(file.read_text(encoding="utf-8"))}
