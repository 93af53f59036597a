"""Print the database's address: pgbraid dsn."""

from __future__ import annotations

import click

from pgbraid.cli.options import dsn_option


@click.command(short_help="Print the database's URL.")
@dsn_option
def dsn(dsn: str | None) -> None:
    """Print the database's URL, as in: psql "$(pgbraid dsn)"."""
    from pgbraid._dsn import find_dsn

    click.echo(find_dsn(dsn))
