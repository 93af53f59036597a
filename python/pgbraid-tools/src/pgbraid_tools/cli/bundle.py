"""Run pgbraid bundle."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import click

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command(short_help="Write the SQL that installs pgbraid, or an extension.")
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
@click.option("--extension", type=FOLDER, metavar="FOLDER", help="Write an extension: make install, PGXN, dbdev.")
@click.option(
    "--from",
    "earlier",
    multiple=True,
    metavar="VERSION",
    help="With --extension: also write the script that updates this version.",
)
@click.option("--tle", is_flag=True, help="Write an extension for a server with pg_tle.")
def bundle(
    only: tuple[str, ...],
    with_parts: tuple[str, ...],
    without: tuple[str, ...],
    added: tuple[str, ...],
    output: Path | None,
    parts: Path | None,
    migration: Path | None,
    extension: Path | None,
    earlier: tuple[str, ...],
    tle: bool,
) -> None:
    """Write the SQL that installs or upgrades pgbraid: one statement for psql, --parts for Supabase's SQL editor, or a
    --migration for its command line. Or write an --extension for a server, or for its pg_tle (--tle).

    It has the core and all stable parts, unless you choose as for pgbraid init. An upgrade takes all parts that the
    database has. --part writes SQL that adds a part later.
    """
    from pgbraid._version import __version__
    from pgbraid.install.choice import choose
    from pgbraid_tools.bundles.bundle import bundle as written
    from pgbraid_tools.bundles.bundle import bundle_migration, part_bundles, pieces
    from pgbraid_tools.bundles.extension import extension as extension_files
    from pgbraid_tools.bundles.extension import trusted_extension

    if sum(given is not None for given in (output, parts, migration, extension)) > 1:
        raise click.UsageError("give one of --output, --parts, --migration and --extension")
    if sum([tle, extension is not None, bool(added)]) > 1:
        raise click.UsageError("--tle, --extension and --part exclude each other")
    if earlier and extension is None:
        raise click.UsageError("--from goes with --extension")
    if added and (only or with_parts or without):
        raise click.UsageError("--part goes with none of --only, --with and --without")
    choice = choose(only, with_parts, without)
    if extension is not None:
        for name, text in extension_files(choice, earlier).items():
            _write(extension / name, text)
        click.echo(
            f"{extension} written: run `make install` in it, and in a database: create extension pgbraid cascade;"
        )
        return
    texts = part_bundles(added) if added else {"": trusted_extension(choice) if tle else written(choice)}
    text = "\n".join(texts.values())
    if parts is not None:
        files = {f"pgbraid-{__version__}-{name}.sql": one for name, one in texts.items()} if added else pieces(text)
        for name, text in files.items():
            _write(parts / name, text)
        click.echo(f"{parts}: paste these into the SQL editor and run them, one after the other: {', '.join(files)}")
    elif migration is not None:
        moment = datetime.now(timezone.utc).strftime("%Y%m%d%H%M%S")
        path = (
            migration / f"{moment}_pgbraid_{'_'.join([*__version__.split('.'), *added, *(['tle'] if tle else [])])}.sql"
        )
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
