"""Run pgbraid import-table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from pgbraid.cli.options import collection_option, dsn_option, embedders, embedding_options, tenant_option

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

    import pgbraid

FETCH = 500
PAGE = 1000
# The SQL that casts a column to the type of a document's key. Other keys are cast to text.
FORMS = {
    "metadata": "{}::jsonb::text",
    "importance": "{}::float8",
    "occurred_at": "to_json({}::timestamptz) #>> '{{}}'",
}


@dataclass(frozen=True)
class Source:
    """Describe a table to read: its name, and per document key the column's name and type."""

    table: sql.Identifier
    columns: dict[str, tuple[str, str]]

    def expressions(self) -> Iterator[sql.Composable]:
        from psycopg import sql

        for key, (name, kind) in self.columns.items():
            # Arrays of numbers become JSON arrays, the text form of vectors.
            form = FORMS.get(key, "to_json({})::text" if kind.startswith("_") else "{}::text")
            yield sql.SQL(form).format(sql.Identifier(name))


@click.command("import-table", short_help="Copy an existing pgvector table.")
@click.option("--from-table", "table", required=True, metavar="TABLE", help="With or without its schema.")
@click.option("--id-column", required=True, metavar="COLUMN", help="Becomes external_id.")
@click.option("--text-column", required=True, metavar="COLUMN", help="Becomes content.")
@click.option("--title-column", metavar="COLUMN", help="Column of the title.")
@click.option("--speaker-column", metavar="COLUMN", help="Column of the speaker.")
@click.option("--occurred-at-column", metavar="COLUMN", help="date or timestamp; without time zone it is UTC.")
@click.option("--source-uri-column", metavar="COLUMN", help="Column of the address.")
@click.option("--category-column", metavar="COLUMN", help="Column of the category.")
@click.option("--importance-column", metavar="COLUMN", help="A number.")
@click.option("--language-column", metavar="COLUMN", help="Column of the language.")
@click.option("--metadata-column", metavar="COLUMN", help="json or jsonb, holding objects.")
@click.option("--vector-column", metavar="COLUMN", help="vector, halfvec or an array of numbers.")
@click.option("--source-dsn", metavar="URL", help="The database of the table, if it is another one.")
@dsn_option
@tenant_option
@collection_option
@click.option("--prune", is_flag=True, help="Delete the collection's documents that are no rows.")
@click.option("--watch", metavar="SECONDS", type=click.FloatRange(min=1), help="Again and again, with a pause.")
@click.option("--no-embed", is_flag=True, help="Leave the embedding of rows without a vector to a later run.")
@embedding_options
def import_table(
    table: str,
    id_column: str,
    text_column: str,
    title_column: str | None,
    speaker_column: str | None,
    occurred_at_column: str | None,
    source_uri_column: str | None,
    category_column: str | None,
    importance_column: str | None,
    language_column: str | None,
    metadata_column: str | None,
    vector_column: str | None,
    source_dsn: str | None,
    dsn: str | None,
    tenant: str,
    collection: str,
    prune: bool,
    watch: float | None,
    no_embed: bool,
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Copy ids, text, metadata and vectors of an existing table into a collection.

    A row with a vector becomes a document of one chunk with that vector, which must be of the collection's
    model. Rows without text are left out. Running it again reads all rows, and writes only what has changed. With
    --prune the collection must hold nothing else. A table of the same database is kept in step by braid.sync_table,
    which reads only what changes.

    Example: pgbraid import-table --from-table items --id-column id --text-column body --vector-column embedding
    """
    import time

    import psycopg

    import pgbraid
    from pgbraid._dsn import find_dsn, usable_dsn

    columns = {
        "external_id": id_column,
        "content": text_column,
        "title": title_column,
        "speaker": speaker_column,
        "occurred_at": occurred_at_column,
        "source_uri": source_uri_column,
        "category": category_column,
        "importance": importance_column,
        "language": language_column,
        "metadata": metadata_column,
        "embedding": vector_column,
    }
    given = {key: name for key, name in columns.items() if name}
    with (
        pgbraid.connect(dsn, tenant=tenant, embedder=embedders(embedding_url, embedding_model)) as client,
        psycopg.connect(usable_dsn(source_dsn, "--from") if source_dsn else find_dsn(dsn)) as connection,
    ):
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute("set timezone = 'UTC'")
        connection.commit()
        while True:
            _import(client, connection, table, given, collection, prune=prune, no_embed=no_embed)
            connection.rollback()
            if watch is None:
                return
            time.sleep(watch)


def _import(
    client: pgbraid.Client,
    connection: psycopg.Connection[Any],
    table: str,
    columns: dict[str, str],
    collection: str,
    *,
    prune: bool,
    no_embed: bool,
) -> None:
    from pgbraid_tools.cli.progress import embed, progress

    source = _describe(connection, table, columns)
    if "embedding" in columns:
        _check_dimensions(connection, source, client, collection)
    count, textless = _count(connection, source)
    ids: set[str] | None = set() if prune else None
    with progress("importing rows", count - textless) as done:
        summary = client.add_documents(_rows(connection, source, ids), collection=collection, progress=done)
    click.echo(str(summary))
    if textless:
        rows = f"{textless} row{'' if textless == 1 else 's'}"
        click.echo(f"{rows} without text in {columns['content']!r} left out", err=True)
    if ids is not None:
        click.echo(f"{_prune(client, collection, ids)} deleted")
    if not no_embed:
        embed(client, collection)


def _prune(client: pgbraid.Client, collection: str, ids: set[str]) -> int:
    """Delete the documents that are not in `ids`; return how many."""
    after, deleted = None, 0
    while listed := client.list_documents(collection, match_count=PAGE, after=after):
        after = listed[-1].external_id
        gone = [document.external_id for document in listed if document.external_id not in ids]
        if gone:
            deleted += client.delete_documents(gone, collection=collection)
    return deleted


def _describe(connection: psycopg.Connection[Any], table: str, columns: dict[str, str]) -> Source:
    import psycopg
    from psycopg import sql

    from pgbraid.errors import InvalidArgumentError, NotFoundError

    try:
        with connection.transaction():
            rows = connection.execute(
                """
                select n.nspname, c.relname, a.attname, t.typname
                from pg_catalog.pg_class c
                join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                join pg_catalog.pg_type t on t.oid = a.atttypid
                where c.oid = pg_catalog.to_regclass(%s)
                """,
                (table,),
            ).fetchall()
    except (psycopg.ProgrammingError, psycopg.NotSupportedError) as error:
        raise InvalidArgumentError(f"{table!r} is not a table's name", hint="write table or schema.table") from error
    if not rows:
        raise NotFoundError(f"table {table!r} does not exist", hint="write the table with its schema: schema.table")
    types = {name: kind for _, _, name, kind in rows}
    for name in columns.values():
        if name not in types:
            raise InvalidArgumentError(
                f"table {table!r} has no column {name!r}", hint=f"its columns are {', '.join(types)}"
            )
    schema, relation = rows[0][:2]
    return Source(sql.Identifier(schema, relation), {key: (name, types[name]) for key, name in columns.items()})


def _check_dimensions(
    connection: psycopg.Connection[Any], source: Source, client: pgbraid.Client, collection: str
) -> None:
    """Check, before anything is written, that every vector has the collection's dimensions."""
    from psycopg import sql

    from pgbraid.errors import DimensionMismatchError

    expected = client.status(collection)["collections"][0]["dimensions"]
    vector = list(source.expressions())[list(source.columns).index("embedding")]
    query = sql.SQL(
        "select length({0}) - length(replace({0}, ',', '')) + 1, count(*) from {1}"
        " where {0} is not null group by 1 order by 2 desc"
    ).format(vector, source.table)
    for dimensions, count in connection.execute(query):
        if dimensions != expected:
            raise DimensionMismatchError(
                f'{count} vectors have {dimensions} dimensions, collection "{collection}" has {expected}',
                hint=f"create a collection of {dimensions} dimensions, and name it with --collection",
            )


# An SQL condition that holds for rows without text.
TEXTLESS = "coalesce({}::text, '') = ''"


def _count(connection: psycopg.Connection[Any], source: Source) -> tuple[int, int]:
    """Return the number of rows, and the number of rows without text."""
    from psycopg import sql

    query = sql.SQL(f"select count(*), count(*) filter (where {TEXTLESS}) from {{}}").format(
        sql.Identifier(source.columns["content"][0]), source.table
    )
    ((count, textless),) = connection.execute(query).fetchall()
    return count, textless


def _rows(connection: psycopg.Connection[Any], source: Source, ids: set[str] | None) -> Iterator[dict[str, Any]]:
    """Yield the rows as documents, and add their ids to `ids`."""
    from psycopg import sql

    query = sql.SQL(f"select {{}} from {{}} where not ({TEXTLESS})").format(
        sql.SQL(", ").join(source.expressions()), source.table, sql.Identifier(source.columns["content"][0])
    )
    with connection.cursor(name="pgbraid_import") as cursor:
        cursor.itersize = FETCH
        for row in cursor.execute(query):
            if ids is not None:
                ids.add(row[0])
            document = {key: value for key, value in zip(source.columns, row, strict=True) if value is not None}
            if "metadata" in document:
                document["metadata"] = _metadata(document["external_id"], document["metadata"])
            yield document


def _metadata(name: str, text: str) -> Any:
    """Return the metadata of the row with this id. Raise InvalidArgumentError for values that Python cannot read."""
    import json

    from pgbraid.errors import InvalidArgumentError

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(
            f"metadata of {name[:100]!r} cannot be read: {str(error)[:100]}",
            hint="shorten the numbers of the metadata, or nest it less deeply",
        ) from error
