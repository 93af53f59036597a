"""Run pgbraid judgments sample."""

from __future__ import annotations

from typing import Literal

import click

from pgbraid.cli.options import collection_option, dsn_option, embedders, embedding_options, tenant_option
from pgbraid.display import clean
from pgbraid_tools.cli.judgments.queries import embed_missing, keep_what_is_there


@click.command(short_help="Take queries from the search log into a query set.")
@click.argument("query_set")
@dsn_option
@tenant_option
@collection_option
@click.option(
    "--method",
    type=click.Choice(["random", "frequency", "worst"]),
    default="random",
    show_default=True,
    help="Each query alike, the most frequent queries, or the queries whose searches went worst.",
)
@click.option("--count", type=click.IntRange(1, 10_000), default=100, show_default=True, metavar="N", help="How many.")
@click.option(
    "--min-searches", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Asked so often."
)
@click.option("--with-filters", is_flag=True, help="A query with other filters is another one, and keeps them.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Another one, other random queries.")
@click.option("--no-embed", is_flag=True, help="Without embeddings: for evaluations of full text alone.")
@embedding_options
def sample(
    query_set: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    method: Literal["random", "frequency", "worst"],
    count: int,
    min_searches: int,
    with_filters: bool,
    seed: int,
    no_embed: bool,
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Store queries from the search log in QUERY_SET, which is created if it does not exist. Embed all queries of the
    set that the model of --collection has not embedded. The collection's search log has to keep the text of queries.

    Example: pgbraid judgments sample support --method frequency --count 50
    """
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant, embedder=embedders(embedding_url, embedding_model)) as client:
        with client.transaction():
            keep_what_is_there(client, query_set, [])
            stored = client.sample_queries(
                query_set,
                collection,
                method,
                count,
                min_searches=min_searches,
                with_filters=with_filters,
                seed=seed,
            )
        embedded = 0 if no_embed else embed_missing(client, query_set, collection)
    click.echo(", ".join([f"{stored} queries stored", *([f"{embedded} embedded"] if embedded else [])]))
    if not stored:
        click.echo(f"the search log of {clean(collection)} has no query text that is not in the set already", err=True)
        click.echo("hint: set what a collection logs with braid.set_search_log", err=True)
