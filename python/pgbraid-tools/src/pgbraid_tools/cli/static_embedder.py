"""Run pgbraid static-embedder."""

from __future__ import annotations

from pathlib import Path

import click

from pgbraid.cli.options import dsn_option


@click.command(short_help="Load the table by which the database embeds texts.")
@dsn_option
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write SQL for psql to this file instead."
)
def static_embedder(dsn: str | None, output: Path | None) -> None:
    """Make a table of token vectors from all-MiniLM-L6-v2, and load it into a database with the part static_embeddings.

    The database then embeds texts in SQL, without a service; see guide/static-embeddings.md. The login must be an
    administrator.
    """
    import psycopg

    from pgbraid._dsn import find_dsn
    from pgbraid.errors import NotInstalledError
    from pgbraid_tools import static_embedder as made

    if output is not None:
        embedder = made.make(click.echo)
        made.write_sql(embedder, output)
        click.echo(f"{output} written: run it with psql --file, in a database with the part {made.PART}")
        return
    with psycopg.connect(find_dsn(dsn), autocommit=True) as connection:
        row = connection.execute("select to_regproc('braid.static_embedders')").fetchone()
        if row is None or row[0] is None:
            raise NotInstalledError(
                f"the database does not have the part {made.PART}", hint=f"run: pgbraid init --with {made.PART}"
            )
        made.load_missing(connection, click.echo)
