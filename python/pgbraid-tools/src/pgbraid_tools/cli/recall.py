"""Run pgbraid recall."""

from __future__ import annotations

from typing import Literal

import click

from pgbraid.cli.options import (
    MINUS,
    Name,
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
from pgbraid.cli.output import print_results, style
from pgbraid.display import clean


@click.command(short_help="Search by what was said and when.", epilog=MINUS)
@click.argument("query")
@dsn_option
@read_dsn_option
@tenant_option
@collection_option
@click.option(
    "--timeframe",
    metavar="WHEN",
    help="""Such as "last week", "since Monday" or 2025-03; "auto" takes it out of the query. Default: all time.""",
)
@click.option(
    "--strategy",
    type=Name(["hybrid", "full_text", "semantic", "prefilter", "auto"]),
    default="hybrid",
    show_default=True,
    help="How the legs are used.",
)
@click.option("--time-zone", metavar="NAME", help="Such as Europe/Berlin. Default: the session's.")
@match_count_option("How many results.", 10)
@click.option("--filters", metavar="JSON", help="""Such as '{"speaker": "Ana"}'.""")
@ranking_options
@embedding_options
@json_option
def recall(
    query: str,
    dsn: str | None,
    read_dsn: str | None,
    tenant: str,
    collection: str,
    timeframe: str | None,
    strategy: Literal["hybrid", "full_text", "semantic", "prefilter", "auto"],
    time_zone: str | None,
    match_count: int,
    filters: str | None,
    fusion: str | None,
    weights: str | None,
    given_options: tuple[str, ...],
    as_json: bool,
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Search for QUERY among what occurred in a timeframe, and print the best chunks.

    Example: pgbraid recall "pricing objections" --timeframe "last week" --strategy auto
    """
    import pgbraid

    ranking = ranking_arguments(fusion, weights, given_options)
    models = embedders(embedding_url, embedding_model)
    with pgbraid.connect(dsn, tenant=tenant, embedder=models, read_dsn=read_dsn) as client:
        results = client.recall(
            query,
            timeframe,
            strategy,
            match_count,
            parse_json(filters, "--filters"),
            collection,
            time_zone=time_zone,
            **ranking,
        )
    if not as_json:
        used, coloured = results.stats["recall"], style()
        said = [used["strategy"] if used["strategy"] == strategy else f"{used['strategy']}: {used['reason']}"]
        said += [f"{period['starts_at'] or '…'} to {period['ends_at'] or '…'}" for period in used["timeframe"] or []]
        for line in map(clean, said):
            click.echo(coloured(line, "faint") if coloured else line)
        click.echo()
    print_results(results, as_json)
