"""What commands print: colours on a terminal, tables, JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pgbraid.results import SearchResults

__all__ = ["print_json", "print_results", "style", "table"]

COLOURS: dict[str, dict[str, Any]] = {
    "title": {"bold": True},
    "score": {"fg": "green"},
    "faint": {"dim": True},
    "warning": {"fg": "yellow"},
}


def style() -> Callable[[str, str], str] | None:
    """What colours a text of a kind; None unless stdout is a terminal, or if NO_COLOR is set."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return None
    return lambda text, kind: click.style(text, **COLOURS[kind])


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=lambda time: time.isoformat()))


def print_results(results: SearchResults, as_json: bool) -> None:
    if not as_json:
        click.echo(results.format(style()))
        return
    from dataclasses import asdict

    rows = [asdict(row) for row in results]
    print_json({"results": rows, "stats": results.stats, "warnings": results.warnings})


def table(rows: Sequence[Sequence[str]], *, numbers: frozenset[int] = frozenset()) -> list[str]:
    """Lines with the cells below each other; the columns of `numbers` end at the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
