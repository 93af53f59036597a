"""Print the run's figures, and write them into docs/lab/pains.md."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field

from benchmarks.pages import ROOT, markdown_table, measured_on, write_section
from benchmarks.pains.pain import Figure, Pain

PAGE = ROOT / "docs" / "lab" / "pains.md"
OURS = "pgbraid"
PASSES, FAILS, ABSENT, NOTHING = "yes", "**no**", "absent", "–"


@dataclass
class Results:
    # The printed versions of each engine that was there.
    abouts: dict[str, str]
    # Why an engine was not there.
    absent: dict[str, str]
    reranker: str
    # Figures by pain and engine; None if the engine has nothing of the kind.
    figures: dict[type[Pain], dict[str, Figure | None]] = field(default_factory=dict)
    verdicts: dict[tuple[type[Pain], str], bool] = field(default_factory=dict)

    @property
    def engines(self) -> list[str]:
        return [*self.abouts, *self.absent]

    def cell(self, pain: type[Pain], engine: str) -> str:
        if engine in self.absent:
            return ABSENT
        if self.figures[pain][engine] is None:
            return NOTHING
        return PASSES if self.verdicts[pain, engine] else FAILS

    def is_pain(self, pain: type[Pain]) -> bool:
        """Tell whether a peer fails."""
        return any(self.cell(pain, engine) == FAILS for engine in self.engines if engine != OURS)

    def is_behind(self, pain: type[Pain]) -> bool:
        """Tell whether a peer has a better figure than pgbraid."""
        column, sign = pain.main
        found = {engine: sign * figure[column] for engine, figure in self.figures[pain].items() if figure}
        return OURS in found and max(found.values()) > found[OURS]


def number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:.1f}"


def summary(results: Results) -> str:
    rows = [
        [f"[{pain.title}](#{anchor(pain)})", *(results.cell(pain, engine) for engine in results.engines)]
        for pain in results.figures
    ]
    return markdown_table(["passes", *results.engines], rows)


def heading(pain: type[Pain]) -> str:
    return pain.title


def anchor(pain: type[Pain]) -> str:
    return "".join(c for c in heading(pain).lower().replace(" ", "-") if c.isalnum() or c == "-")


def details(results: Results, pain: type[Pain]) -> str:
    columns = list(next((figure for figure in results.figures[pain].values() if figure), {}))
    rows = []
    for engine in results.engines:
        figure = results.figures[pain].get(engine)
        cells = [number(figure[column]) if figure else results.cell(pain, engine) for column in columns]
        rows.append([engine, *cells, results.cell(pain, engine)])
    return markdown_table(["", *columns, "passes"], rows)


def section(results: Results) -> str:
    abouts = ". ".join(results.abouts.values())
    parts = [f"{measured_on()}, Python {platform.python_version()}. {abouts}. Reranker: {results.reranker}."]
    parts += [f"{engine} is absent: {reason}." for engine, reason in results.absent.items()]
    parts.append(summary(results))
    lost = [pain for pain in results.figures if results.cell(pain, OURS) == FAILS]
    none = [pain for pain in results.figures if not results.is_pain(pain)]
    behind = [pain for pain in results.figures if results.is_behind(pain)]
    for pains, text in (
        (lost, "pgbraid itself fails"),
        (behind, "A peer has a better figure than pgbraid"),
        (none, "No peer of this run fails, so this is no pain here"),
    ):
        if pains:
            parts.append(f"{text}: {', '.join(pain.title.lower() for pain in pains)}.")
    for pain in results.figures:
        threads = ", ".join(f"[{label(thread)}]({thread})" for thread in pain.threads)
        parts += [f"## {heading(pain)}", f"{pain.question} ({threads})", pain.method, details(results, pain)]
    return "\n\n".join(parts)


def label(thread: str) -> str:
    *_, repository, _, thread_number = thread.split("/")
    return f"{repository}#{thread_number}"


def write_page(results: Results) -> None:
    write_section(PAGE, "pains", section(results))
