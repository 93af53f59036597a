"""pgbraid vector."""

from __future__ import annotations

import click

from pgbraid.cli.options import embedding_options, embedding_service


@click.command(short_help="Print the embedding of a text.")
@click.argument("text")
@embedding_options
def vector(text: str, embedding_url: str | None, embedding_model: str | None) -> None:
    """Print the embedding of TEXT by the offline model, or a service's, for use in psql."""
    from pgbraid.embedders import LocalEmbedder
    from pgbraid.text_vectors import query_vector

    embedder = embedding_service(embedding_url, embedding_model) or LocalEmbedder()
    embedding = query_vector(embedder, text).to_list()
    click.echo("[" + ",".join(format(value, ".7g") for value in embedding) + "]")
