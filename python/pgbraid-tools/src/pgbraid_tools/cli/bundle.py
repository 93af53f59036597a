"""Run pgbraid bundle."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import click

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command(short_help="Write the SQL that installs pgbraid on Supabase.")
@click.option("--only", multiple=True, metavar="PART", help="Only this part and what it needs: --only core.")
@click.option(
    "--with", "with_parts", multiple=True, metavar="PART", help="With this part too, or that in a folder: ./PART."
)
@click.option("--without", multiple=True, metavar="PART", help="Without this part.")
@click.option(
    "--part", "added", multiple=True, metavar="PART", help="Only what adds this part to the core of this version."
)
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="File to write; else stdout.")
@click.option("--parts", type=FOLDER, metavar="FOLDER", help="Write numbered parts, each small enough for the editor.")
@click.option(
    "--migration",
    type=FOLDER,
    metavar="FOLDER",
    is_flag=False,
    flag_value="supabase/migrations",
    help="Write a migration for `supabase db push`, by default into supabase/migrations.",
)
def bundle(
    only: tuple[str, ...],
    with_parts: tuple[str, ...],
    without: tuple[str, ...],
    added: tuple[str, ...],
    output: Path | None,
    parts: Path | None,
    migration: Path | None,
) -> None:
    """Write the SQL that installs or upgrades pgbraid: one statement for psql, --parts for Supabase's SQL editor, or a
    --migration for its command line.

    It has the core and all stable parts, unless you choose as for pgbraid init. An upgrade takes all parts that the
    database has. --part writes SQL that adds a part later.
    """
    from pgbraid._version import __version__
    from pgbraid.install.choice import choose
    from pgbraid_tools.bundles.bundle import bundle as written
    from pgbraid_tools.bundles.bundle import bundle_migration, bundle_parts, part_bundles

    if sum(given is not None for given in (output, parts, migration)) > 1:
        raise click.UsageError("give one of --output, --parts and --migration")
    if added and (only or with_parts or without):
        raise click.UsageError("--part goes with none of --only, --with and --without")
    choice = choose(only, with_parts, without)
    texts = part_bundles(added) if added else {"": written(choice)}
    text = "\n".join(texts.values())
    if parts is not None:
        files = (
            {f"pgbraid-{__version__}-{name}.sql": one for name, one in texts.items()} if added else bundle_parts(choice)
        )
        for name, text in files.items():
            _write(parts / name, text)
        click.echo(f"{parts}: paste these into the SQL editor and run them, one after the other: {', '.join(files)}")
    elif migration is not None:
        moment = datetime.now(timezone.utc).strftime("%Y%m%d%H%M%S")
        path = migration / f"{moment}_pgbraid_{'_'.join([*__version__.split('.'), *added])}.sql"
        _write(path, bundle_migration(texts.values()))
        click.echo(f"{path} written: run `supabase db push`")
    elif output is not None:
        _write(output, text)
        click.echo(f"{output} written: run it with psql --file; Supabase's SQL editor takes --parts")
    else:
        click.echo(text, nl=False)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
