"""pgbraid psql."""

from __future__ import annotations

import os
import shutil
import sys

import click

from pgbraid.cli.options import dsn_option


@click.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
    short_help="Open the database in psql.",
)
@dsn_option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def psql(dsn: str | None, arguments: tuple[str, ...]) -> None:
    """Open the database in psql; what follows is passed on, as in: pgbraid psql -c "select braid.version()"."""
    from pgbraid._dsn import find_dsn

    program = _program()
    url = find_dsn(dsn)
    sys.stdout.flush()
    os.execv(program, [program, "--dbname", url, *arguments])


def _program() -> str:
    """The embedded server's psql, as new as any server it meets here, else that of the PATH."""
    from pgbraid import embedded
    from pgbraid.embedded.programs import installed_programs
    from pgbraid.errors import PgbraidError

    try:
        return str(installed_programs(embedded.DEFAULT_VERSION) / "psql")
    except PgbraidError:
        found = shutil.which("psql")
    if not found:
        raise PgbraidError(
            "there is no psql on this machine",
            hint="install PostgreSQL's client, or: pip install 'pgbraid[embedded]'",
        )
    return found
