"""Run pgbraid explain."""

from __future__ import annotations

from dataclasses import asdict

import click

from pgbraid.cli.options import (
    MINUS,
    collection_option,
    dsn_option,
    embedders,
    embedding_options,
    json_option,
    match_count_option,
    parse_json,
    ranking_arguments,
    ranking_options,
    read_dsn_option,
    tenant_option,
)
from pgbraid.cli.output import print_json, style


@click.command(short_help="Explain a search: where scores come from, why a document is not found.", epilog=MINUS)
@click.argument("query")
@dsn_option
@read_dsn_option
@tenant_option
@collection_option
@match_count_option("How many results.", 5)
@click.option("--filters", metavar="JSON", help="""Such as '{"category": "bug", "importance": {"$gte": 3}}'.""")
@ranking_options
@click.option("--options", metavar="JSON", help="""More options of the search, such as '{"collapse": true}'.""")
@click.option("--document", metavar="EXTERNAL_ID", help="Say what became of this document, too.")
@embedding_options
@json_option
def explain(
    query: str,
    dsn: str | None,
    read_dsn: str | None,
    tenant: str,
    collection: str,
    match_count: int,
    filters: str | None,
    fusion: str | None,
    weights: str | None,
    given_options: tuple[str, ...],
    options: str | None,
    document: str | None,
    as_json: bool,
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Search for QUERY and show how each score comes about: ranks, fusion, boosts, and the contribution of each word.

    Example: pgbraid explain "pricing objections" --document call-17
    """
    import pgbraid

    ranking = ranking_arguments(fusion, weights, given_options, parse_json(options, "--options"))
    models = embedders(embedding_url, embedding_model)
    with pgbraid.connect(dsn, tenant=tenant, embedder=models, read_dsn=read_dsn) as client:
        explanation = client.explain_search(
            query,
            match_count,
            filters=parse_json(filters, "--filters"),
            collection=collection,
            external_id=document,
            **ranking,
        )
    if as_json:
        print_json(asdict(explanation))
    else:
        click.echo(explanation.format(style()))
