"""Print results: colours on a terminal, tables, JSON, CSV."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from pgbraid.display import clean
from pgbraid.long_numbers import dumps

if TYPE_CHECKING:
    from pgbraid.results import SearchResults

COLOURS: dict[str, dict[str, Any]] = {
    "title": {"bold": True},
    "score": {"fg": "green"},
    "faint": {"dim": True},
    "warning": {"fg": "yellow"},
    "problem": {"fg": "red"},
}


def style() -> Callable[[str, str], str] | None:
    """Return a function that colours a text by its kind, or None if stdout is no terminal or NO_COLOR is set."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return None
    return lambda text, kind: click.style(text, **COLOURS[kind])


def print_json(value: Any) -> None:
    click.echo(_json_text(value, indent=2))


def json_line(value: Any) -> str:
    return _json_text(value, indent=None)


def _json_text(value: Any, indent: int | None) -> str:
    text = dumps(value, lambda time: time.isoformat(), indent=indent, ensure_ascii=False)
    # json escapes ASCII's control characters except DEL, and none of Latin-1's.
    return re.sub(r"[\x7f-\x9f]", lambda control: f"\\u{ord(control[0]):04x}", text)


def print_results(results: SearchResults, as_json: bool) -> None:
    if not as_json:
        click.echo(results.format(style()))
        return
    from dataclasses import asdict

    rows = [asdict(row) for row in results]
    print_json({"results": rows, "stats": results.stats, "warnings": results.warnings})


def print_csv(results: SearchResults) -> None:
    """Print the rows with a header, and warnings to stderr. Objects and lists are JSON, times ISO 8601, nulls empty."""
    import csv
    from dataclasses import fields

    from pgbraid.results import SearchResult

    names = [column.name for column in fields(SearchResult)]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["rank", *names])
    for rank, row in enumerate(results, 1):
        values = (getattr(row, name) for name in names)
        writer.writerow(
            [rank, *(json_line(value) if isinstance(value, (dict, list)) else _cell(value) for value in values)]
        )
    for warning in results.warnings:
        click.echo(clean(f"warning: {warning['message']}"), err=True)


def _cell(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


def table(rows: Sequence[Sequence[str]], *, numbers: frozenset[int] = frozenset()) -> list[str]:
    """Return lines with the cells, cleaned and aligned in columns; the columns `numbers` are right-aligned."""
    rows = [[clean(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
