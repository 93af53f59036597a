"""Run pgbraid demo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pgbraid.cli.options import dsn_option

if TYPE_CHECKING:
    from pgbraid.client import Client

SEARCHES: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
    ("keywords", "JSONDecodeError msg doc pos", None),
    ("a concept in other words", "remember the order in which keys were added", None),
    ("both, with a filter", "wait until several tasks have arrived", {"package": "asyncio", "kind": "class"}),
)
LIMIT = 3
COLLECTION = "demo"


@click.command(short_help="Index and search Python's own documentation.")
@dsn_option
def demo(dsn: str | None) -> None:
    """Install, index the documentation of Python's standard library, and search it in three ways.

    Uses the collection `demo` of the tenant `default`. Running it again costs next to nothing.
    """
    import pgbraid
    from pgbraid._dsn import find_dsn
    from pgbraid.install import install
    from pgbraid_tools.cli.progress import embed, progress
    from pgbraid_tools.standard_library import standard_library_documents

    found = find_dsn(dsn, initialise=True)
    install(found, notify=lambda line: click.echo(line, err=True))
    documents = list(standard_library_documents())
    with pgbraid.connect(found) as client:
        if all(known["name"] != COLLECTION for known in client.status()["collections"]):
            client.create_collection(COLLECTION)
        with progress("indexing documents", len(documents)) as done:
            summary = client.add_documents(documents, collection=COLLECTION, progress=done)
        click.echo(str(summary))
        embed(client, COLLECTION)
        for kind, query, filters in SEARCHES:
            _search(client, kind, query, filters)


def _search(client: Client, kind: str, query: str, filters: dict[str, Any] | None) -> None:
    import json

    from pgbraid.cli.output import style

    coloured = style()
    given = f" --filters '{json.dumps(filters)}'" if filters else ""
    results = client.search(query, LIMIT, filters=filters, collection=COLLECTION)
    command = f'pgbraid search "{query}" --collection {COLLECTION} -k {LIMIT}{given}'
    click.echo(f"\n{kind}\n$ {coloured(command, 'title') if coloured else command}\n")
    click.echo(results.format(coloured))
    click.echo(f"\n{results.stats.get('query_time_ms', 0):.0f} ms in the database")
