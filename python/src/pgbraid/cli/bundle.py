"""pgbraid bundle."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Write the SQL that installs pgbraid on Supabase.")
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="File to write; else stdout.")
def bundle(output: Path | None) -> None:
    """Write one SQL statement that installs or upgrades pgbraid, to paste into Supabase's SQL editor."""
    from pgbraid.install.bundle import bundle as written

    if output is None:
        click.echo(written(), nl=False)
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(written(), encoding="utf-8")
    click.echo(f"{output} written: paste it into the SQL editor")
