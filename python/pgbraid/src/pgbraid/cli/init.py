"""Install and upgrade: pgbraid init, pgbraid upgrade."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pgbraid.cli.options import dsn_option
from pgbraid.embedders.model_files import OFFLINE_MODELS, SHORT_NAMES, OfflineFiles, offline_model

if TYPE_CHECKING:
    from pgbraid.install import InstallReport

repair_option = click.option("--repair", is_flag=True, help="Apply all functions again, even if they are unchanged.")


@click.command(short_help="Install pgbraid in a database.")
@dsn_option
@repair_option
@click.option("--only", multiple=True, metavar="PART", help="Install this part and what it needs alone: --only core.")
@click.option(
    "--with",
    "with_parts",
    multiple=True,
    metavar="PART",
    help="Add this part and what it needs, or the part in a folder of yours: --with ./PART.",
)
@click.option("--without", multiple=True, metavar="PART", help="Leave this part out of a new database.")
@click.option(
    "--model",
    type=click.Choice([*OFFLINE_MODELS, *SHORT_NAMES]),
    help="Make the collection default of a new database for this offline model.  [default: minilm]",
)
def init(
    dsn: str | None,
    repair: bool,
    only: tuple[str, ...],
    with_parts: tuple[str, ...],
    without: tuple[str, ...],
    model: str | None,
) -> None:
    """Install pgbraid in a database, or bring it up to date.

    Without --dsn and PGBRAID_DSN, create and start an embedded PostgreSQL first. A new database gets the core and all
    stable parts, unless you choose; an existing one keeps its parts. Each choice may be given several times.
    """
    from pgbraid.install.choice import choose

    choose(only, with_parts, without)
    if dsn is None:
        dsn = _embedded()
    report = _install(dsn, repair, only, with_parts, without)
    if "static_embeddings" in (*only, *with_parts):
        from pgbraid._tools import tool

        tool("static-embedder", "the table of static_embeddings").load_new(dsn, click.echo)
    is_new = report.previous_version is None
    if (files := offline_model(model or "")) is not None:
        _choose_model(dsn, files, is_new=is_new)


@click.command(short_help="Bring a database up to this version.")
@dsn_option
@repair_option
def upgrade(dsn: str | None, repair: bool) -> None:
    """Upgrade a database that has pgbraid to this package's version."""
    import psycopg

    from pgbraid._dsn import find_dsn
    from pgbraid.errors import NotInstalledError
    from pgbraid.install import read_installation

    dsn = find_dsn(dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:
        if read_installation(connection) is None:
            raise NotInstalledError("this database has no pgbraid to upgrade", hint="run: pgbraid init")
    _install(dsn, repair)


def _embedded() -> str:
    from pgbraid import embedded

    before = embedded.status()
    server = embedded.ensure_running()
    embedded.create_database(server)
    state = "running" if before.running else "started" if before.initialised else "created"
    click.echo(f"embedded PostgreSQL {server.version} {state}: {server.data_dir}")
    return server.dsn


def _install(
    dsn: str, repair: bool, only: Sequence[str] = (), with_parts: Sequence[str] = (), without: Sequence[str] = ()
) -> InstallReport:
    import psycopg

    from pgbraid.install import install

    report = install(dsn, only=only, with_parts=with_parts, without=without, repair=repair, notify=click.echo)
    click.echo(_summary(report))
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute("select braid_store.server_warnings()").fetchone()
    for warning in row[0] if row else []:
        click.echo(f"warning: {warning['message']}")
    return report


def _choose_model(dsn: str, files: OfflineFiles, *, is_new: bool) -> None:
    """Make the collection default for an offline model. Raise ConflictError if an older one is for another model."""
    import pgbraid
    from pgbraid.errors import ConflictError

    with pgbraid.connect(dsn, embedder=[]) as client:
        space = client._spaces.of("default")[0]
        if space.model == files.name:
            return
        if not is_new:
            raise ConflictError(
                f'collection "default" is for the model {space.model}',
                hint=f"run: select braid.start_model_change('{files.name}', {space.dimensions}); or create another"
                f" collection: select braid.create_collection('NAME', embedding_model => '{files.name}');",
            )
        client.drop_collection("default")
        client.create_collection("default", embedding_model=files.name)
    click.echo(f'collection "default" is for {files.name}')


def _summary(report: InstallReport) -> str:
    if report.previous_version is None:
        return f"pgbraid {report.version} is installed"
    if report.previous_version != report.version:
        return f"pgbraid {report.previous_version} is upgraded to {report.version}"
    return f"pgbraid {report.version} {'is brought up to date' if report.changed else 'is up to date'}"
