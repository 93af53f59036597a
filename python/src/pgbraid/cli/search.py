"""pgbraid search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from pgbraid.cli.options import (
    ROW_COUNT,
    collection_option,
    dsn_option,
    embedders,
    embedding_options,
    json_option,
    parse_json,
    tenant_option,
)
from pgbraid.cli.output import print_results

if TYPE_CHECKING:
    from pgbraid.rerankers import Reranker


@click.command(short_help="Search.")
@click.argument("query")
@dsn_option
@tenant_option
@collection_option
@click.option("-k", "--limit", type=ROW_COUNT, metavar="N", help="How many results.  [default: 10, with --rerank 5]")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "full_text", "semantic"]),
    default="hybrid",
    show_default=True,
    help="Which legs run.",
)
@click.option("--filters", metavar="JSON", help="""Such as '{"category": "bug", "importance": {"$gte": 3}}'.""")
@click.option(
    "--rerank",
    metavar="NAME",
    help="Rerank the first 20: 'late-interaction' by the offline model, or a cross-encoder's name or path.",
)
@embedding_options
@json_option
def search(
    query: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    limit: int | None,
    mode: Literal["hybrid", "full_text", "semantic"],
    filters: str | None,
    rerank: str | None,
    as_json: bool,
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Search for QUERY and print the best chunks, with the rank and score that each leg gave them.

    Example: pgbraid search "pricing objections" -k 5 --filters '{"speaker": "Ana"}'
    """
    import pgbraid

    # A model that loads for this one search may take longer than a search may.
    with pgbraid.connect(dsn, tenant=tenant, embedder=embedders(embedding_url, embedding_model)) as client:
        results = client.search(
            query,
            limit,
            mode,
            parse_json(filters, "--filters"),
            collection,
            rerank=_reranker(rerank),
            rerank_timeout=None,
        )
    print_results(results, as_json)


def _reranker(name: str | None) -> Reranker | None:
    if name is None:
        return None
    from pgbraid import rerankers

    return rerankers.LateInteractionReranker() if name == "late-interaction" else rerankers.CrossEncoderReranker(name)
