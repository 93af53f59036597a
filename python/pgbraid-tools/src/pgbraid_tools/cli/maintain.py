"""Run pgbraid maintain."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from pgbraid.cli.options import dsn_option

if TYPE_CHECKING:
    import psycopg


@click.command(short_help="Merge segments, move vectors, reclaim space.")
@dsn_option
@click.option("--seconds", default=10.0, show_default=True, type=click.FloatRange(min=0), help="When to stop.")
def maintain(dsn: str | None, seconds: float) -> None:
    """Bring synced tables over, merge index segments, move vectors to where they are found fastest, and reclaim space.

    Each step is bounded and committed; it goes on until nothing is left to do, the time is spent, or the rest waits
    for other sessions. If there is time left, and the login is the owner of the tables or a superuser, it returns
    space to the disk without locking anybody out. It vacuums tables with many deleted rows, moves postings to the
    front of their table, and reindexes bloated indexes; bytes_reclaimed says how much space that freed. A step that
    has begun is finished, even past the deadline.

    At the coordinator of a cluster it does so on all workers at the same time.
    """
    import psycopg

    from pgbraid._dsn import find_dsn
    from pgbraid.errors import ConflictError, PermissionDeniedError, from_psycopg
    from pgbraid.install.clusters import cluster_of

    found = find_dsn(dsn)
    with psycopg.connect(found, autocommit=True) as connection:
        cluster = cluster_of(connection)
        nodes = cluster.workers_of(connection) if cluster is not None else []
    if not nodes:
        result = _maintain(found, seconds)
        click.echo(json.dumps(result, indent=2))
        _tell_time(result)
        return
    with ThreadPoolExecutor(len(nodes)) as threads:
        running = {node.name: threads.submit(_maintain, node.dsn(found), seconds) for node in nodes}
    failed = {name: error for name, result in running.items() if (error := result.exception()) is not None}
    results = {name: result.result() for name, result in running.items() if name not in failed}
    complete = not failed and all(result["complete"] for result in results.values())
    click.echo(json.dumps({"nodes": results, "complete": complete}, indent=2))
    for name, result in results.items():
        _tell_time(result, f"{name}: ")
    for name, error in failed.items():
        if not isinstance(error, psycopg.Error):
            raise error
        told = from_psycopg(error)
        raise type(told)(f"{name}: {told.message}", hint=told.hint) from error
    # While tenants are moved, this waits for the next run; a login that only maintains leaves it to others.
    with suppress(ConflictError, PermissionDeniedError):
        cluster.forget_handed_over(found)


def _tell_time(result: dict[str, Any], where: str = "") -> None:
    """Say on stderr which steps were not begun for lack of time, and how to run them."""
    if "seconds_needed" in result:
        # The other steps take time as well.
        enough = max(60, 2 * result["seconds_needed"])
        click.echo(
            f"{where}not done yet: a vector index or a merge needs {result['seconds_needed']} seconds;"
            f" run: pgbraid maintain --seconds {enough}",
            err=True,
        )


def _maintain(dsn: str, seconds: float) -> dict[str, Any]:
    import psycopg

    from pgbraid.install import read_installation
    from pgbraid.install.compatibility import check_installed
    from pgbraid_tools.cli.reclaim import reclaim_space

    deadline = time.monotonic() + seconds
    with psycopg.connect(dsn, autocommit=True) as connection:
        try:
            applied = _apply_changes(connection, deadline)
        except psycopg.errors.UndefinedFunction:
            found = read_installation(connection)
            if found is not None:
                check_installed(found.version, found.part_hashes)
            if found is None or "sync" in found.part_hashes:
                raise
            applied = {"rows": 0, "warnings": [], "complete": True}
        row = connection.execute(
            "call braid.run_maintenance(time_budget => make_interval(secs => %s))",
            (max(deadline - time.monotonic(), 0.1),),
        ).fetchone()
        assert row is not None
        done: dict[str, Any] = row[0]
        left = deadline - time.monotonic()
        if done["complete"] and left > 0:
            reclaimed = reclaim_space(connection, deadline, done["warnings"])
            if reclaimed is not None:
                done["bytes_reclaimed"] = reclaimed
    done["rows_applied"] = applied.pop("rows")
    done["warnings"] += applied["warnings"]
    done["complete"] = done["complete"] and applied["complete"]
    return done


def _apply_changes(connection: psycopg.Connection[Any], deadline: float) -> dict[str, Any]:
    """Apply changes of synced tables, in half of the time at most, and commit each call."""
    half = time.monotonic() + max((deadline - time.monotonic()) / 2, 0.1)
    rows = 0
    while True:
        left = max(half - time.monotonic(), 0.1)
        row = connection.execute(
            "select braid.apply_changes(time_budget => make_interval(secs => %s))", (min(left, 5.0),)
        ).fetchone()
        assert row is not None
        done: dict[str, Any] = row[0]
        rows += done["rows"]
        if done["complete"] or (done["warnings"] and not done["rows"]) or time.monotonic() > half:
            return {**done, "rows": rows}
