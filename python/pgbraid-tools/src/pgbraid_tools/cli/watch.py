"""Print the results of `pgbraid search --watch`, then every change."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep, strftime
from typing import TYPE_CHECKING, NoReturn

import click

from pgbraid.cli.output import json_line, style
from pgbraid.display import clean, plain, result_lines
from pgbraid.streams import RankChanges, rank_changes

if TYPE_CHECKING:
    from pgbraid.results import SearchResult, SearchResults

__all__ = ["watch"]


def watch(found: SearchResults, search_again: Callable[[], SearchResults], seconds: float, as_json: bool) -> NoReturn:
    """Print the results, and every `seconds` their changes, until interrupted."""
    if as_json:
        print_line(found, [], rank_changes([], found), found.warnings)
    else:
        click.echo(found.format(style()))
    while True:
        sleep(seconds)
        before, found = found, search_again()
        changes = rank_changes(before, found)
        known = {warning["code"] for warning in before.warnings}
        warnings = [warning for warning in found.warnings if warning["code"] not in known]
        if changes or warnings:
            if as_json:
                print_line(found, list(before), changes, warnings)
            else:
                print_changes(found, list(before), changes, warnings)


def print_changes(
    found: SearchResults, before: list[SearchResult], changes: RankChanges, warnings: list[dict[str, str]]
) -> None:
    look = style() or plain
    counts = {"new": changes.new, "gone": changes.gone, "moved": changes.moved}
    told = ", ".join(f"{len(rows)} {what}" for what, rows in counts.items() if rows)
    lines = ["", look(f"{strftime('%H:%M:%S')}  {told}".rstrip(), "faint")]
    for rank, row in enumerate(before, 1):
        if row.chunk_id in changes.gone:
            lines.append(f"- {rank:>2}. {name(row)}")
    for rank, row in enumerate(found, 1):
        if row.chunk_id in changes.new:
            first, *others = result_lines(row, rank, found.query or "", style())
            lines += [f"+ {first}", *(f"  {line}" for line in others)]
        elif row.chunk_id in changes.moved:
            lines.append(f"  {rank:>2}. {name(row)}  (was {changes.moved[row.chunk_id][0]}.)")
    lines += [look(clean(f"warning: {warning['message']}"), "warning") for warning in warnings]
    click.echo("\n".join(lines))


def name(row: SearchResult) -> str:
    title = row.title or row.external_id
    part = f" [{row.chunk_index}]" if row.chunk_index else ""
    return clean(title if title == row.external_id else f"{title}  {row.external_id}") + part


def print_line(
    found: SearchResults, before: list[SearchResult], changes: RankChanges, warnings: list[dict[str, str]]
) -> None:
    from dataclasses import asdict

    line = {
        "new": [{"rank": rank, **asdict(row)} for rank, row in enumerate(found, 1) if row.chunk_id in changes.new],
        "gone": [
            {"chunk_id": row.chunk_id, "external_id": row.external_id} for row in before if row.chunk_id in changes.gone
        ],
        "moved": [{"chunk_id": chunk_id, "from": old, "to": new} for chunk_id, (old, new) in changes.moved.items()],
        "warnings": warnings,
    }
    click.echo(json_line(line))
