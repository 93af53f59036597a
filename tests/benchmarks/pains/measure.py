"""Measure pains on engines."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from benchmarks.full_text.report import say
from benchmarks.pains.engine import Engine, UnsupportedError
from benchmarks.pains.page import Results
from benchmarks.pains.pain import Pain
from benchmarks.pains.texts import Texts


def measure(
    pains: Sequence[type[Pain]], engines: Mapping[str, Engine], texts: Texts, results: Results, scale: float = 1
) -> None:
    for kind in pains:
        pain = kind(texts, scale)
        results.figures[kind] = {}
        for name, engine in engines.items():
            started = time.perf_counter()
            try:
                figure = pain.measure(engine)
            except UnsupportedError:
                results.figures[kind][name] = None
                continue
            results.figures[kind][name] = figure
            results.verdicts[kind, name] = pain.passes(figure)
            cells = ", ".join(f"{column} {value:.4g}" for column, value in figure.items())
            say(f"{kind.__name__}, {name}: {cells}: {results.cell(kind, name)} "
                f"({time.perf_counter() - started:.0f} s)")  # fmt: skip
