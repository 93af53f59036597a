"""pgbraid vector."""

from __future__ import annotations

import click


@click.command(short_help="Print the embedding of a text.")
@click.argument("text")
def vector(text: str) -> None:
    """Print the embedding of TEXT by the offline model, for use in psql."""
    from pgbraid.embedders import LocalEmbedder

    embedding = LocalEmbedder().embed_query(text)
    click.echo("[" + ",".join(format(value, ".7g") for value in embedding) + "]")
