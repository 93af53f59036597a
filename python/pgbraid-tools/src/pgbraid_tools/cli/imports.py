"""Run pgbraid import."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from pgbraid.cli.options import collection_option, dsn_option, embedders, embedding_options, tenant_option

if TYPE_CHECKING:
    import psycopg

    import pgbraid
    from pgbraid_tools.imports.relation import Counts, Relation

PAGE = 1000
TABLES = ("table", "langchain", "langchain-postgres", "llamaindex", "supabase")
EXPORTS = ("chroma", "elasticsearch", "lancedb", "qdrant")
KEYS = {"text": "content", "vector": "embedding"}


def _column_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options `--id-column` and its siblings. `--id-key` is the same, because JSON has keys."""
    kinds = {
        "id": "Becomes external_id.",
        "text": "Becomes content.",
        "vector": "vector, halfvec or an array of numbers; the name of a vector.",
        "metadata": "json or jsonb, holding objects.",
        "document": "Rows that are alike in it become the chunks of one document. The name of the id: each row is one.",
        "order": "Orders the chunks of a document. Default: what splitters note in the metadata, then as stored.",
        "title": "Becomes title.",
        "speaker": "Becomes speaker.",
        "occurred-at": "date or timestamp; without time zone it is UTC.",
        "source-uri": "Becomes source_uri.",
        "category": "Becomes category.",
        "importance": "A number.",
        "language": "Becomes language.",
    }
    for kind, text in reversed(kinds.items()):
        names = (f"--{kind}-column", f"--{kind}-key", f"{kind.replace('-', '_')}_field")
        function = click.option(*names, metavar="NAME", help=text)(function)
    return function


@click.command("import", short_help="Take over a table or an export of another tool, with its vectors.")
@click.argument("source", metavar="SOURCE")
@click.option(
    "--format",
    "layout",
    type=click.Choice([*TABLES, *EXPORTS]),
    default="table",
    show_default=True,
    help="What wrote it. OpenSearch is elasticsearch.",
)
@_column_options
@click.option("--source-dsn", metavar="URL", help="The database of the table, if it is another one.")
@dsn_option
@tenant_option
@collection_option
@click.option("--prune", is_flag=True, help="Delete the collection's documents that are no rows.")
@click.option("--watch", metavar="SECONDS", type=click.FloatRange(min=1), help="Again and again, with a pause.")
@click.option("--no-embed", is_flag=True, help="Leave the embedding of rows without a vector to a later run.")
@click.option(
    "--sample",
    type=click.IntRange(0, 1000),
    default=20,
    show_default=True,
    metavar="N",
    help="The number of searches that are compared.",
)
@embedding_options
def import_rows(
    source: str,
    layout: str,
    source_dsn: str | None,
    dsn: str | None,
    tenant: str,
    collection: str,
    prune: bool,
    watch: float | None,
    no_embed: bool,
    sample: int,
    embedding_url: str | None,
    embedding_model: str | None,
    **fields: str | None,
) -> None:
    """Copy ids, text, metadata and vectors of a table, or of an export in JSON lines, into a collection.

    SOURCE is a table; a collection of LangChain (--format langchain); a file; or -, the standard input. A row with a
    vector keeps it, so it must be of the collection's model. Rows without text are left out. All rows are checked
    before any is written. Running it again writes only what has changed. At the end it compares the numbers of rows,
    and what searches by some rows' vectors find. With --prune the collection must hold nothing else.

    Example: pgbraid import items --id-column id --text-column body --vector-column embedding
    """
    import time

    import psycopg

    import pgbraid
    from pgbraid._dsn import find_dsn, usable_dsn

    given = {KEYS.get(key, key): name for option, name in fields.items() if name and (key := option[: -len("_field")])}
    is_export = layout in EXPORTS
    for option, value in (
        ("--source-dsn", source_dsn),
        ("--watch", watch),
        ("--metadata-column", given.get("metadata")),
    ):
        if is_export and value is not None:
            raise click.UsageError(f"{option} is for tables, and --format {layout} reads a file")
    with (
        pgbraid.connect(dsn, tenant=tenant, embedder=embedders(embedding_url, embedding_model)) as client,
        psycopg.connect(usable_dsn(source_dsn, "--source-dsn") if source_dsn else find_dsn(dsn)) as connection,
    ):
        connection.read_only = not is_export
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("set timezone = 'UTC'")
        connection.commit()
        while True:
            relation = _relation(client, connection, source, layout, given, collection)
            _import(client, relation, collection, prune=prune, no_embed=no_embed, sample=0 if watch else sample)
            connection.rollback()
            if watch is None:
                return
            time.sleep(watch)


def _relation(
    client: pgbraid.Client,
    connection: psycopg.Connection[Any],
    source: str,
    layout: str,
    given: dict[str, str],
    collection: str,
) -> Relation:
    """Return the rows to import, after a check that all vectors fit the collection."""
    from pgbraid_tools.imports.exports import read_export
    from pgbraid_tools.imports.relation import check_rows, check_vectors
    from pgbraid_tools.imports.tables import read_table

    status = _status(client, collection)
    dimensions, distance = status["dimensions"], status["distance"]
    if layout in EXPORTS:
        relation = read_export(connection, source, layout, given, dimensions, distance)
    else:
        relation = read_table(connection, source, layout, given)
        check_vectors(relation, dimensions, distance, collection)
    check_rows(relation)
    return relation


def _import(
    client: pgbraid.Client, relation: Relation, collection: str, *, prune: bool, no_embed: bool, sample: int
) -> None:
    from pgbraid.errors import PgbraidError
    from pgbraid_tools.cli.progress import embed, progress
    from pgbraid_tools.imports.comparing import compare_searches
    from pgbraid_tools.imports.documents import documents
    from pgbraid_tools.imports.relation import count

    for warning in relation.warnings:
        click.echo(warning, err=True)
    rows = count(relation)
    before = _status(client, collection)
    ids: set[str] | None = set() if prune else None
    written = 0
    with progress("importing documents" if relation.is_grouped else "importing rows", rows.documents) as done:

        def tell(number: int) -> None:
            nonlocal written
            written = number
            done(number)

        try:
            summary = client.add_documents(documents(relation, ids), collection=collection, progress=tell)
        except (KeyboardInterrupt, PgbraidError):
            click.echo(f"{written} documents are written; run it again to go on", err=True)
            raise
    click.echo(str(summary))
    if rows.textless:
        left_out = f"{rows.textless} row{'' if rows.textless == 1 else 's'}"
        click.echo(f"{left_out} without text in {relation.text!r} left out", err=True)
    if ids is not None:
        click.echo(f"{_prune(client, collection, ids)} deleted")
    after = _status(client, collection)
    click.echo(_numbers(rows, before, after, collection))
    if sample and rows.with_vector:
        overlap = compare_searches(relation, client, collection, after["distance"], sample)
        click.echo(str(overlap or "searches are not compared: the table's database has no pgvector"))
    if not no_embed:
        embed(client, collection)


def _status(client: pgbraid.Client, collection: str) -> dict[str, Any]:
    found: dict[str, Any] = client.status(collection)["collections"][0]
    return found


def _numbers(rows: Counts, before: dict[str, Any], after: dict[str, Any], collection: str) -> str:
    embedded = after["chunks"] - after["pending_embeddings"]
    line = (
        f"source: {rows.with_text} rows, {rows.with_vector} with a vector;"
        f' collection "{collection}": {after["chunks"]} chunks, {embedded} with a vector'
    )
    return f"{line}, {before['chunks']} chunks were there before" if before["chunks"] else line


def _prune(client: pgbraid.Client, collection: str, ids: set[str]) -> int:
    """Delete the documents that are not in `ids`; return how many."""
    after, deleted = None, 0
    while listed := client.list_documents(collection, match_count=PAGE, after=after):
        after = listed[-1].external_id
        gone = [document.external_id for document in listed if document.external_id not in ids]
        if gone:
            deleted += client.delete_documents(gone, collection=collection)
    return deleted
