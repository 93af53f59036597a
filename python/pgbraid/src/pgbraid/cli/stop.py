"""Stop the embedded server: pgbraid stop."""

from __future__ import annotations

import click


@click.command(short_help="Stop the embedded PostgreSQL.")
def stop() -> None:
    """Stop the embedded PostgreSQL. Commands that need it start it again."""
    from pgbraid import embedded

    click.echo("embedded PostgreSQL stopped" if embedded.stop() else "embedded PostgreSQL is not running")
