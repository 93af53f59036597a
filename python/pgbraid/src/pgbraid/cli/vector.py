"""Embed a query: pgbraid vector."""

from __future__ import annotations

import click

from pgbraid.cli.options import (
    MINUS,
    collection_option,
    dsn_option,
    embedding_options,
    embedding_service,
    tenant_option,
)


@click.command(short_help="Print the embedding of a query.", epilog=MINUS)
@click.argument("query")
@dsn_option
@tenant_option
@collection_option
@embedding_options
def vector(
    query: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Print the embedding of QUERY by the offline model, or a service's, for use in psql.

    Operators are not embedded: if QUERY has any, the database says which words are.
    """
    import pgbraid
    from pgbraid.embedders import LocalEmbedder
    from pgbraid.errors import InvalidArgumentError
    from pgbraid.query_text import is_plain
    from pgbraid.text_vectors import query_vector

    text = query
    if not is_plain(query):
        with pgbraid.connect(dsn, tenant=tenant, embedder=[]) as client:
            text = client.embedded_text(query, collection)
        if not text.strip():
            raise InvalidArgumentError(
                "the query has no words to embed", hint="give words that are not excluded", sqlstate="22023"
            )
    embedder = embedding_service(embedding_url, embedding_model) or LocalEmbedder()
    embedding = query_vector(embedder, text).to_list()
    click.echo("[" + ",".join(format(value, ".7g") for value in embedding) + "]")
