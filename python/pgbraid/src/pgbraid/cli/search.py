"""Search on the command line: pgbraid search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from pgbraid.cli.options import (
    MINUS,
    FiniteRange,
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
from pgbraid.cli.output import print_csv, print_results

if TYPE_CHECKING:
    from pgbraid.reranker import Reranker
    from pgbraid.results import SearchResults

# Arguments of a search that default to the collection's settings.
RANKING = ("full_text_weight", "semantic_weight", "fusion", "rrf_k", "candidate_count", "min_score")


@click.command(short_help="Search.", epilog=MINUS)
@click.argument("query")
@dsn_option
@read_dsn_option
@tenant_option
@collection_option
@match_count_option("How many results.  [default: 10, with --reranker 5]")
@click.option(
    "--mode",
    type=Name(["hybrid", "full_text", "semantic"]),
    default="hybrid",
    show_default=True,
    help="Which legs run.",
)
@click.option("--filters", metavar="JSON", help="""Such as '{"category": "bug", "importance": {"$gte": 3}}'.""")
@ranking_options
@click.option(
    "--reranker",
    metavar="NAME",
    help="Rerank the first 20: 'late-interaction' by the offline model, or a cross-encoder's name or path.",
)
@click.option(
    "--blend",
    type=FiniteRange(0, 1),
    default=0.2,
    show_default=True,
    help="The weight of the reranker beside the search; 1 takes the reranker's order.",
)
@click.option("--watch", is_flag=True, help="Search again and again, and print what changes, until Ctrl-C.")
@click.option(
    "--interval", type=FiniteRange(0.2, 86_400), metavar="SECONDS", help="Between two searches.  [default: 2]"
)
@embedding_options
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print the rows as CSV.")
def search(
    query: str,
    dsn: str | None,
    read_dsn: str | None,
    tenant: str,
    collection: str,
    match_count: int | None,
    mode: Literal["hybrid", "full_text", "semantic"],
    filters: str | None,
    fusion: str | None,
    weights: str | None,
    given_options: tuple[str, ...],
    reranker: str | None,
    blend: float,
    watch: bool,
    interval: float | None,
    as_json: bool,
    as_csv: bool,
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Search for QUERY and print the best chunks, with each leg's rank and score.

    Example: pgbraid search "pricing objections" -k 5 --filters '{"speaker": "Ana"}'
    """
    import pgbraid

    if interval is not None and not watch:
        raise click.UsageError("--interval needs --watch")
    if as_csv and (as_json or watch):
        raise click.UsageError(f"--csv does not go with {'--json' if as_json else '--watch'}")
    given = parse_json(filters, "--filters")
    ranking = ranking_arguments(fusion, weights, given_options)
    made = _reranker(reranker)
    models = embedders(embedding_url, embedding_model)
    with pgbraid.connect(dsn, tenant=tenant, embedder=models, read_dsn=read_dsn) as client:
        # A reranker that loads for this one search may take longer than a search's timeout.
        results = client.search(
            query, match_count, mode, given, collection, reranker=made, blend=blend, rerank_timeout=None, **ranking
        )
        if watch:
            from pgbraid._tools import tool
            from pgbraid.arguments import optional_json
            from pgbraid.client.reranked import unlogged_search

            count = match_count or (10 if made is None else 5)
            options = ranking.pop("options")
            sent = {**dict.fromkeys(RANKING), "match": "any", "filters": optional_json(given, "filters"), **ranking}

            def search_again() -> SearchResults:
                """Repeat the search without logging it, as nobody asks anything new."""
                return unlogged_search(
                    client, query, count, mode, collection, None, options, made, 20, blend, None, **sent
                )

            tool("watch", "--watch").watch(results, search_again, 2.0 if interval is None else interval, as_json)
    if as_csv:
        print_csv(results)
    else:
        print_results(results, as_json)


def _reranker(name: str | None) -> Reranker | None:
    if name is None:
        return None
    from pgbraid._tools import tool

    reranker: Reranker = tool("rerankers", "--reranker").reranker_by_name(name)
    return reranker
