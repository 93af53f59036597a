"""pgbraid search."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, Literal

import click

from pgbraid.cli.options import ROW_COUNT, collection_option, dsn_option, json_option, tenant_option

if TYPE_CHECKING:
    from pgbraid.rerankers import Reranker

COLOURS: dict[str, dict[str, Any]] = {
    "title": {"bold": True},
    "score": {"fg": "green"},
    "faint": {"dim": True},
    "warning": {"fg": "yellow"},
}


@click.command(short_help="Search.")
@click.argument("query")
@dsn_option
@tenant_option
@collection_option
@click.option(
    "-k", "--limit", type=ROW_COUNT, metavar="N", help="How many results.  [default: 10, with --rerank 5]"
)
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
) -> None:
    """Search for QUERY and print the best chunks, with the rank and score that each leg gave them.

    Example: pgbraid search "pricing objections" -k 5 --filters '{"speaker": "Ana"}'
    """
    import pgbraid

    # A model that loads for this one search may take longer than a search may.
    with pgbraid.connect(dsn, tenant=tenant) as client:
        results = client.search(
            query,
            limit,
            mode,
            parse_json(filters, "--filters"),
            collection,
            rerank=_reranker(rerank),
            rerank_timeout=None,
        )
    click.echo(to_json(results) if as_json else results.format(style if colours() else None))


def parse_json(text: str | None, option: str) -> Any:
    try:
        return None if text is None else json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}", param_hint=option) from error


def _reranker(name: str | None) -> Reranker | None:
    if name is None:
        return None
    from pgbraid import rerankers

    return rerankers.LateInteractionReranker() if name == "late-interaction" else rerankers.CrossEncoderReranker(name)


def to_json(results: Any) -> str:
    from dataclasses import asdict

    found = {
        "results": [asdict(row) for row in results],
        "stats": results.stats,
        "warnings": results.warnings,
    }
    return json.dumps(found, indent=2, ensure_ascii=False, default=lambda value: value.isoformat())


def colours() -> bool:
    """Whether stdout is to be coloured: a terminal, unless NO_COLOR is set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def style(text: str, kind: str) -> str:
    return click.style(text, **COLOURS[kind])
