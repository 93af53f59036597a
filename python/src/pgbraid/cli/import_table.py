"""pgbraid import."""

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


@dataclass(frozen=True)
class Source:
    """A table as it is to be read: its name, and per document key the column's name and type."""

    table: sql.Identifier
    columns: dict[str, tuple[str, str]]

    def expressions(self) -> Iterator[sql.Composable]:
        from psycopg import sql

        for key, (name, kind) in self.columns.items():
            # Arrays of numbers become JSON arrays, which vectors are in text form already.
            form = "to_json({})::text" if kind.startswith("_") else "{}::jsonb" if key == "metadata" else "{}::text"
            yield sql.SQL(form).format(sql.Identifier(name))


@click.command("import", short_help="Copy an existing pgvector table.")
@click.option("--from-table", "table", required=True, metavar="TABLE", help="With or without its schema.")
@click.option("--id-column", required=True, metavar="COLUMN", help="Becomes external_id.")
@click.option("--text-column", required=True, metavar="COLUMN", help="Becomes content.")
@click.option("--title-column", metavar="COLUMN", help="Column of the title.")
@click.option("--metadata-column", metavar="COLUMN", help="json or jsonb, holding objects.")
@click.option("--vector-column", metavar="COLUMN", help="vector, halfvec or an array of numbers.")
@click.option("--source-dsn", metavar="URL", help="The database of the table, if it is another one.")
@dsn_option
@tenant_option
@collection_option
@click.option("--no-embed", is_flag=True, help="Leave the embedding of rows without a vector to a later run.")
@embedding_options
def import_table(
    table: str,
    id_column: str,
    text_column: str,
    title_column: str | None,
    metadata_column: str | None,
    vector_column: str | None,
    source_dsn: str | None,
    dsn: str | None,
    tenant: str,
    collection: str,
    no_embed: bool,
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Copy ids, text, metadata and vectors of an existing table into a collection.

    A row with a vector becomes a document of one chunk with that vector, which must be of the collection's
    model. Rows without text are left out. Running it again costs only what has changed.

    Example: pgbraid import --from-table items --id-column id --text-column body --vector-column embedding
    """
    import psycopg

    import pgbraid
    from pgbraid._dsn import find_dsn
    from pgbraid.cli.progress import embed, progress

    columns = {
        "external_id": id_column,
        "content": text_column,
        "title": title_column,
        "metadata": metadata_column,
        "embedding": vector_column,
    }
    with (
        pgbraid.connect(dsn, tenant=tenant, embedder=embedders(embedding_url, embedding_model)) as client,
        psycopg.connect(source_dsn or find_dsn(dsn)) as connection,
    ):
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        source = _describe(connection, table, {key: name for key, name in columns.items() if name})
        if vector_column:
            _check_dimensions(connection, source, client, collection)
        count, textless = _count(connection, source)
        with progress("importing rows", count - textless) as done:
            summary = client.add_documents(_rows(connection, source), collection=collection, progress=done)
        click.echo(str(summary))
        if textless:
            rows = f"{textless} row{'' if textless == 1 else 's'}"
            click.echo(f"{rows} without text in {text_column!r} left out", err=True)
        if not no_embed:
            embed(client, collection)


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
        raise NotFoundError(f"table {table!r} does not exist", hint="write its schema too: schema.table")
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
    """Before anything is written: every vector has the collection's dimensions."""
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


# Of a row without text.
TEXTLESS = "coalesce({}::text, '') = ''"


def _count(connection: psycopg.Connection[Any], source: Source) -> tuple[int, int]:
    """How many rows there are, and how many of them have no text."""
    from psycopg import sql

    query = sql.SQL(f"select count(*), count(*) filter (where {TEXTLESS}) from {{}}").format(
        sql.Identifier(source.columns["content"][0]), source.table
    )
    ((count, textless),) = connection.execute(query).fetchall()
    return count, textless


def _rows(connection: psycopg.Connection[Any], source: Source) -> Iterator[dict[str, Any]]:
    from psycopg import sql

    query = sql.SQL(f"select {{}} from {{}} where not ({TEXTLESS})").format(
        sql.SQL(", ").join(source.expressions()), source.table, sql.Identifier(source.columns["content"][0])
    )
    with connection.cursor(name="pgbraid_import") as cursor:
        cursor.itersize = FETCH
        for row in cursor.execute(query):
            yield {key: value for key, value in zip(source.columns, row, strict=True) if value is not None}
