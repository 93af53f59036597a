"""How many functions there are, how many a plain hybrid search reaches by their texts, and how many it executes."""

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
CALLED = re.compile(r"\b((?:braid|braid_calls|braid_store)\.\w+)\s*\(")


def count_functions(side: Side) -> dict[str, int]:
    with side.connect() as db:
        bodies = {str(name): re.sub(r"--[^\n]*", "", str(body)) for name, body in db.execute(BODIES).fetchall()}
    calls = {name: set(CALLED.findall(body)) & bodies.keys() for name, body in bodies.items()}
    reached, ahead = set[str](), {"braid.hybrid_search"}
    while ahead:
        reached |= ahead
        ahead = {called for name in ahead for called in calls[name]} - reached
    return {
        "functions": len(bodies),
        "functions of the API": sum(name.startswith("braid.") for name in bodies),
        "reached by hybrid_search": len(reached),
        "executed by a plain hybrid search": len(executed(side)),
        **count_lines(side.checkout),
    }


def executed(side: Side) -> set[str]:
    """Return the functions that a plain hybrid search runs in a session that has run some before."""
    arguments = ("price review of the harbour", str(embed("harbour", 64)))
    with side.connect() as db:
        # Only a superuser may count; the search runs as the tenant's member all the same.
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


def count_lines(checkout: Path) -> dict[str, int]:
    """Return files and lines of `sql/`, and of each of its folders `core` and `parts` where there are these."""
    found: dict[str, int] = {}
    for folder in ("sql", "sql/core", "sql/parts"):
        texts = [path.read_text(encoding="utf-8") for path in sorted((checkout / folder).rglob("*.sql"))]
        if texts:
            found |= {f"files of {folder}": len(texts), f"lines of {folder}": sum(t.count("\n") for t in texts)}
    return found
