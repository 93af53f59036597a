"""Remove pgbraid or parts of it: pgbraid uninstall."""

from __future__ import annotations

import click

from pgbraid.cli.options import dsn_option


@click.command(short_help="Remove pgbraid, or a part of it, from a database.")
@dsn_option
@click.option("--part", "parts", multiple=True, metavar="NAME", help="Remove this part only. May be repeated.")
@click.option(
    "--with", "with_parts", multiple=True, metavar="PATH", help="The folder of a part of your own that stays."
)
@click.option("--drop-data", is_flag=True, help="With --part: also delete what the part has stored.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def uninstall(dsn: str | None, parts: tuple[str, ...], with_parts: tuple[str, ...], drop_data: bool, yes: bool) -> None:
    """Remove pgbraid, with all documents, from a database. pgvector stays.

    With --part remove only that part: its functions, views and tables. pgbraid init --with NAME brings it back.

    Example: pgbraid uninstall --part sync
    """
    from pgbraid._dsn import find_dsn
    from pgbraid.install import uninstall as remove
    from pgbraid.install import uninstall_parts

    if (drop_data or with_parts) and not parts:
        raise click.UsageError("--drop-data and --with go with --part")
    dsn = find_dsn(dsn)
    if parts:
        if drop_data and not yes:
            click.confirm(f"Delete all that {', '.join(parts)} stored in {_shown(dsn)}?", abort=True)
        uninstall_parts(dsn, parts, drop_data=drop_data, with_parts=with_parts, notify=click.echo)
        return
    if not yes:
        click.confirm(f"Drop schemas braid and braid_store, with all documents, from {_shown(dsn)}?", abort=True)
    report = remove(dsn, notify=click.echo)
    click.echo(f"dropped: {', '.join(report.schemas)}" if report.schemas else "there was no pgbraid in this database")
    click.echo(f"roles braid_* kept: {report.roles_kept}" if report.roles_kept else "roles braid_* dropped")


def _shown(dsn: str) -> str:
    from psycopg.conninfo import conninfo_to_dict

    parts = conninfo_to_dict(dsn)
    return f"database {parts.get('dbname', '(default)')} on {parts.get('host', 'the default host')}"
