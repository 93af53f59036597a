"""Run pgbraid export-tenant and pgbraid import-tenant."""

from __future__ import annotations

from typing import IO

import click

from pgbraid.cli.options import dsn_option, tenant_option


@click.command("export-tenant", short_help="Write all that a tenant stored to a file.")
@click.argument("file", type=click.File("w", encoding="utf-8", lazy=True))
@dsn_option
@tenant_option
def export_tenant(file: IO[str], dsn: str | None, tenant: str) -> None:
    """Write all data of a tenant to FILE (- for standard output), as lines of JSON for `pgbraid import-tenant`:
    collections, documents, chunks and embeddings.

    Example: pgbraid export-tenant --tenant acme acme.jsonl
    """
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant) as client:
        for record in client.export_tenant():
            file.write(f"{record}\n")
    # The first write opens the file, so an earlier failure leaves a previous export alone.
    file.write("")


@click.command("import-tenant", short_help="Store what pgbraid export-tenant wrote.")
@click.argument("file", type=click.File("r", encoding="utf-8"))
@dsn_option
@tenant_option
def import_tenant(file: IO[str], dsn: str | None, tenant: str) -> None:
    """Store the output of `pgbraid export-tenant` from FILE (- for standard input) for an existing tenant. Searches
    then find the same documents with the same scores.

    Example: pgbraid import-tenant --tenant acme acme.jsonl
    """
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant) as client:
        click.echo(f"{client.import_tenant(file)} documents")
