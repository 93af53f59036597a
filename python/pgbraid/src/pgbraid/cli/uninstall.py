"""pgbraid uninstall."""

from __future__ import annotations

import click

from pgbraid.cli.options import dsn_option


@click.command(short_help="Remove pgbraid from a database.")
@dsn_option
@click.option("--yes", is_flag=True, help="Do not ask.")
def uninstall(dsn: str | None, yes: bool) -> None:
    """Remove pgbraid, with all documents, from a database. pgvector stays."""
    from pgbraid._dsn import find_dsn
    from pgbraid.install import uninstall as remove

    dsn = find_dsn(dsn)
    if not yes:
        click.confirm(f"Drop schemas braid and braid_store, with all documents, from {_shown(dsn)}?", abort=True)
    report = remove(dsn, notify=click.echo)
    click.echo(f"dropped: {', '.join(report.schemas)}" if report.schemas else "there was no pgbraid in this database")
    click.echo(f"roles braid_* kept: {report.roles_kept}" if report.roles_kept else "roles braid_* dropped")


def _shown(dsn: str) -> str:
    from psycopg.conninfo import conninfo_to_dict

    parts = conninfo_to_dict(dsn)
    return f"database {parts.get('dbname', '(default)')} on {parts.get('host', 'the default host')}"
