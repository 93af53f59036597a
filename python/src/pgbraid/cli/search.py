"""pgbraid search."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Literal

import click

from pgbraid.cli.options import collection_option, dsn_option, json_option, tenant_option

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
@click.option("-k", "--limit", default=10, show_default=True, metavar="N", help="How many results.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "full_text", "semantic"]),
    default="hybrid",
    show_default=True,
    help="Which legs run.",
)
@click.option("--filters", metavar="JSON", help="""Such as '{"category": "bug", "importance": {"$gte": 3}}'.""")
@json_option
def search(
    query: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    limit: int,
    mode: Literal["hybrid", "full_text", "semantic"],
    filters: str | None,
    as_json: bool,
) -> None:
    """Search for QUERY and print the best chunks, with the rank and score that each leg gave them.

    Example: pgbraid search "pricing objections" -k 5 --filters '{"speaker": "Ana"}'
    """
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant) as client:
        results = client.search(query, limit, mode, _parse(filters), collection)
    click.echo(_json(results) if as_json else results.format(style if colours() else None))


def _parse(filters: str | None) -> Any:
    try:
        return None if filters is None else json.loads(filters)
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}", param_hint="--filters") from error


def _json(results: Any) -> str:
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
