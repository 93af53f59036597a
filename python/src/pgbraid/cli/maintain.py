"""pgbraid maintain."""

from __future__ import annotations

import json

import click

from pgbraid.cli.options import dsn_option


@click.command(short_help="Merge index segments.")
@dsn_option
@click.option("--seconds", default=10.0, show_default=True, type=click.FloatRange(min=0), help="When to stop.")
def maintain(dsn: str | None, seconds: float) -> None:
    """Merge index segments and do other housekeeping; what is left over is done next time."""
    import psycopg

    from pgbraid._dsn import find_dsn

    with psycopg.connect(find_dsn(dsn), autocommit=True) as connection:
        row = connection.execute(
            "select braid.maintain(time_budget => make_interval(secs => %s))", (seconds,)
        ).fetchone()
    click.echo(json.dumps(row[0] if row else None, indent=2))
