"""Run pgbraid doctor."""

from __future__ import annotations

import os
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pgbraid._version import __version__
from pgbraid.cli.options import dsn_option, json_option, tenant_option
from pgbraid.cli.output import print_json, style

if TYPE_CHECKING:
    from pgbraid.install.state import Connection, Installation

PROBLEM, ADVICE = "problem", "advice"
# At most this many functions are named.
NAMED = 8
FOUND = 1
# No check reads a large table whole. A longer check waits for something.
TIME_LIMIT = "60s"
# Clocks that follow a time server differ by less.
CLOCK_ADVICE, CLOCK_PROBLEM = 2.0, 60.0
SETTINGS = (
    "shared_buffers",
    "effective_cache_size",
    "work_mem",
    "maintenance_work_mem",
    "random_page_cost",
    "jit",
    "autovacuum",
    "max_connections",
    "max_locks_per_transaction",
    "hnsw.ef_search",
    "TimeZone",
)
HAS_HEALTH = """
select exists (select from pg_catalog.pg_proc p
               where p.pronamespace = to_regnamespace('braid') and p.proname = 'health')
"""
SEES_ALL = """
select coalesce(bool_or(pg_catalog.has_function_privilege(p.oid, 'execute')), false) from pg_catalog.pg_proc p
where p.pronamespace in (to_regnamespace('braid_calls'), to_regnamespace('braid_store'))
  and p.proname = 'administrator_findings'
"""


@click.command(short_help="Look for what is wrong, and say what mends it.")
@dsn_option
@tenant_option
@click.option(
    "--older-than",
    default="1 hour",
    show_default=True,
    metavar="TIME",
    help="Since when something must wait, or a transaction be open, to count.",
)
@json_option
def doctor(dsn: str | None, tenant: str, older_than: str, as_json: bool) -> None:
    """Look for problems of the database, its server and this package. Print each finding, why it matters, and the
    command that fixes it. It changes nothing.

    The exit code is 1 if there is a problem, 0 if there is nothing or only advice, 2 if the database cannot be
    examined.
    """
    import psycopg

    from pgbraid._dsn import find_dsn

    with psycopg.connect(find_dsn(dsn), autocommit=True, fallback_application_name="pgbraid doctor") as connection:
        facts = _facts(connection, tenant, older_than)
    if as_json:
        print_json(facts)
    else:
        _print(facts)
    if any(found["severity"] == PROBLEM for found in facts["findings"]):
        raise SystemExit(FOUND)


def _facts(connection: Connection, tenant: str, older_than: str) -> dict[str, Any]:
    from psycopg.rows import dict_row

    from pgbraid.errors import NotInstalledError, PermissionDeniedError
    from pgbraid.install import read_installation
    from pgbraid.install.vector import find

    findings = _time_findings(connection)
    try:
        installation = read_installation(connection)
    except PermissionDeniedError:
        # A monitor may not read the installation, and sees the rest.
        seen = connection.execute(SEES_ALL).fetchone()
        if seen is None or not seen[0]:
            raise
        installation = None
    else:
        if installation is None:
            raise NotInstalledError("this database has no pgbraid", hint="run: pgbraid init")
        findings += _version_findings(connection, installation)
    extension = find(connection)
    # A pooler may give the session to others, so settings end with the transaction.
    with connection.transaction(), connection.cursor(row_factory=dict_row) as cursor:
        cursor.execute("set transaction read only")
        cursor.execute(f"set local statement_timeout = '{TIME_LIMIT}'")
        cursor.execute("select set_config('braid.tenant', %s, true)", (tenant,))
        settings = cursor.execute(
            "select name, current_setting(name, true) as value from unnest(%s::text[]) name", (list(SETTINGS),)
        ).fetchall()
        server: dict[str, Any] = (
            cursor.execute(
                f"select pg_is_in_recovery() as is_standby, ({HAS_HEALTH}) as has_health, ({SEES_ALL}) as sees_all"
            ).fetchone()
            or {}
        )
        if server["has_health"]:
            findings += cursor.execute("select * from braid.health(%s::interval)", (older_than,)).fetchall()
    return {
        "package_version": __version__,
        "database_version": installation.version if installation else None,
        "extension_version": getattr(find(connection, "pgbraid"), "version", None),
        "postgresql_version": connection.info.parameter_status("server_version"),
        "pgvector_version": extension.version if extension else None,
        "installed_parts": installation.parts if installation else None,
        "absent_parts": installation.absent_parts if installation else None,
        "pending_migrations": installation.pending_migrations if installation else None,
        "is_standby": server["is_standby"],
        "looked_at": "everything" if server["sees_all"] else f"tenant {tenant}",
        "settings": {row["name"]: row["value"] for row in settings if row["value"] is not None},
        "findings": sorted(findings, key=lambda found: (found["severity"] != PROBLEM, found["code"], found["subject"])),
    }


def _finding(severity: str, code: str, subject: str, finding: str, reason: str, command: str) -> dict[str, str]:
    return {
        "severity": severity,
        "code": code,
        "subject": subject,
        "finding": finding,
        "reason": reason,
        "command": command,
    }


def _version_findings(connection: Connection, installation: Installation) -> list[dict[str, str]]:
    """Return findings on how the database differs from this package, in the core and in the installed parts."""
    from pgbraid.install.state import changed_functions, exists

    def version(text: str) -> tuple[int, ...]:
        return tuple(int(part) for part in text.split(".") if part.isdigit())

    pending = ", ".join(installation.pending_migrations)
    unknown = ", ".join(installation.unknown_migrations)
    changed = ", ".join(installation.changed_migrations)
    found = f"The database has pgbraid {installation.version}, this package is {__version__}."
    clients = "Clients of this package refuse this database, or lack functions that it has."
    upgrade, update = "pgbraid upgrade", "pip install --upgrade pgbraid"
    findings = []
    if version(installation.version) > version(__version__):
        findings.append(_finding(PROBLEM, "package_older", "pgbraid", found, clients, update))
    elif unknown:
        found = f"The database has migrations that this package does not know: {unknown}."
        findings.append(_finding(PROBLEM, "package_older", "pgbraid", found, clients, update))
    elif installation.version != __version__:
        findings.append(_finding(PROBLEM, "database_older", "pgbraid", found, clients, upgrade))
    elif pending:
        found = f"Migrations are pending: {pending}."
        findings.append(_finding(PROBLEM, "database_older", "pgbraid", found, clients, upgrade))
    elif changed:
        reason = (
            "A database with changed migrations cannot be upgraded. Move its data to a new database, tenant by tenant."
        )
        found = f"Migrations were changed after they had been applied: {changed}."
        findings.append(_finding(PROBLEM, "migrations_changed", "pgbraid", found, reason, "pgbraid export-tenant"))
    elif other := installation.differing_parts:
        found = f"The version is the same, but functions of these parts are not of this package: {', '.join(other)}."
        findings.append(_finding(PROBLEM, "functions_differ", "pgbraid", found, clients, upgrade))
    # On a cluster some function bodies differ on purpose.
    elif not exists(connection, "braid_shards.node_shards") and (bodies := changed_functions(connection, installation)):
        named = ", ".join(bodies[:NAMED]) + (", …" if len(bodies) > NAMED else "")
        found = f"Somebody has changed or dropped functions: {named}."
        reason = "These functions differ from this package's functions, or are missing."
        findings.append(_finding(PROBLEM, "functions_changed", "pgbraid", found, reason, upgrade))
    return findings


def _time_findings(connection: Connection) -> list[dict[str, str]]:
    """Return findings on whether this machine and the session agree about the present time and the present day."""
    findings = []
    before = time.time()
    row = connection.execute(
        "select extract(epoch from clock_timestamp())::float8, extract(timezone from now())::int,"
        " current_setting('TimeZone'), current_database()"
    ).fetchone()
    after = time.time()
    assert row is not None
    server_time, server_offset, server_zone, database = row
    # The measured difference is reduced by the uncertainty: half of the time that the answer took.
    difference = abs(server_time - (before + after) / 2) - (after - before) / 2
    if difference > CLOCK_ADVICE:
        findings.append(
            _finding(
                PROBLEM if difference > CLOCK_PROBLEM else ADVICE,
                "clocks_differ",
                "clock",
                f"It is {_instant(server_time)} on the server, and {_instant((before + after) / 2)} here.",
                "Times that clients send are compared with the server's: a document written now may seem to come from"
                " the future, and workers' leases and pauses end too late or too soon."
                " Run the command on the machine with the wrong clock.",
                "timedatectl set-ntp true",
            )
        )
    here = datetime.now(timezone.utc).astimezone()
    offset = here.utcoffset()
    if offset is not None and offset.total_seconds() != server_offset:
        from psycopg import sql

        command = sql.SQL("alter database {} set timezone = {};").format(sql.Identifier(database), _local_zone())
        findings.append(
            _finding(
                ADVICE,
                "time_zones_differ",
                "time zone",
                f"The session's time zone is {server_zone}, but this machine's offset is UTC{here:%z}.",
                "A timeframe such as today means a day in the session's time zone, unless the call gives time_zone.",
                command.as_string(connection),
            )
        )
    return findings


def _instant(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def _local_zone() -> str:
    """Return this machine's time zone, by its name in PostgreSQL."""
    named = os.environ.get("TZ", "").lstrip(":")
    if "/" in named and not named.startswith("/"):
        return named
    parts = Path("/etc/localtime").resolve().parts
    if not named and "zoneinfo" in parts:
        return "/".join(parts[parts.index("zoneinfo") + 1 :])
    return "Area/City"


def _print(facts: dict[str, Any]) -> None:
    from pgbraid.display import clean, clean_lines

    paint = style() or (lambda text, kind: text)
    colours = {PROBLEM: "problem", ADVICE: "warning"}
    standby = ", a standby: run commands on the primary" if facts["is_standby"] else ""
    lines = [
        f"pgbraid     package {facts['package_version']}, database {facts['database_version'] or 'not told'}"
        + (", which is an extension" if facts["extension_version"] else ""),
        *(
            [f"parts       {', '.join(facts['installed_parts']) or 'none'}"]
            if facts["installed_parts"] is not None
            else []
        ),
        f"server      PostgreSQL {facts['postgresql_version']}, pgvector {facts['pgvector_version']}{standby}",
        "settings    " + ", ".join(f"{name} {value}" for name, value in facts["settings"].items()),
        "looked at   "
        + (
            "the server and all tenants"
            if facts["looked_at"] == "everything"
            else f"{facts['looked_at']} alone, because the login is not an administrator"
        ),
    ]
    for line in lines:
        click.echo(clean(line))
    for found in facts["findings"]:
        click.echo()
        head = paint(found["severity"], colours[found["severity"]])
        click.echo(f"{head}  {found['code']}  {clean(found['subject'])}")
        for text in (found["finding"], found["reason"]):
            click.echo(f"  {clean(text)}")
        for line in clean_lines(found["command"]).split("\n"):
            click.echo(f"    {paint(line, 'title')}")
    click.echo()
    counts = {kind: sum(found["severity"] == kind for found in facts["findings"]) for kind in (PROBLEM, ADVICE)}
    click.echo(f"problems: {counts[PROBLEM]}, advice: {counts[ADVICE]}")
