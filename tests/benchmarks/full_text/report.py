"""Print tables and progress."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

_STARTED = time.monotonic()


def say(text: str) -> None:
    """Print a step, with the minutes since the start."""
    print(f"[{(time.monotonic() - _STARTED) / 60:6.1f}] {text}", flush=True)


def table(title: str, columns: list[str], rows: list[tuple[str, list[str]]]) -> None:
    width = max([len(title), *(len(name) for name, _ in rows)]) + 2
    widths = [max(len(column), *(len(cells[place]) for _, cells in rows)) + 2 for place, column in enumerate(columns)]
    print(f"\n{title:<{width}}" + "".join(f"{cell:>{space}}" for cell, space in zip(columns, widths, strict=True)))
    for name, cells in rows:
        print(f"{name:<{width}}" + "".join(f"{cell:>{space}}" for cell, space in zip(cells, widths, strict=True)))
    print(flush=True)


def p50(values: Sequence[float]) -> float:
    return statistics.median(values)


def p95(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


def pair(values: Sequence[float]) -> str:
    """Format p50/p95."""
    return f"{number(p50(values))}/{number(p95(values))}"


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
