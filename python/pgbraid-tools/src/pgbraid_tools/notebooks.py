"""Render search results in notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from pgbraid.errors import InvalidArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pgbraid.result_rows import ResultRow

__all__ = ["plot_scores", "results_html"]

SNIPPET_CHARACTERS = 300
# These colours are readable on white, on black, and with red-green colour blindness (Okabe & Ito 2008).
LEGS = (("full_text", "full text", "#0072b2"), ("semantic", "semantic", "#d55e00"), ("sparse", "sparse", "#009e73"))


def results_html(results: Sequence[ResultRow], query: str | None, warnings: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of titles and passages, with a bar for each leg as long as its normalised score. If the search
    asked for snippets, the words of the query are marked.

    Stored text is escaped, and MathJax does not read it as formulas.
    """
    rows = "".join(_row(row, place) for place, row in enumerate(results, 1))
    notes = "".join(f"<p>⚠ {escape(str(note.get('message', note.get('code'))))}</p>" for note in warnings)
    head = f"<p>{len(results)} result{'' if len(results) == 1 else 's'} for <b>{escape(query or '')}</b></p>"
    return f'<div class="pgbraid tex2jax_ignore mathjax_ignore">{head}<table>{rows}</table>{notes}</div>'


def _row(row: ResultRow, place: int) -> str:
    name = escape(row.title or row.external_id)
    origin = [row.external_id if row.title else None, row.speaker, row.occurred_at and f"{row.occurred_at:%Y-%m-%d}"]
    small = escape(" · ".join(each for each in origin if each))
    # A snippet is HTML already: the database escapes the text around its marks.
    content = row.snippet if row.snippet is not None else _shortened(row.content)
    bars = "".join(_bar(row, leg, label, colour) for leg, label, colour in LEGS)
    return (
        f'<tr><td style="vertical-align:top">{place}</td>'
        f'<td style="text-align:left;vertical-align:top"><b>{name}</b> <small>{small}</small><br>{content}</td>'
        f'<td style="text-align:left;vertical-align:top;min-width:12em">{row.score:.4f}{bars}</td></tr>'
    )


def _shortened(text: str) -> str:
    return escape(text[:SNIPPET_CHARACTERS]) + (" …" if len(text) > SNIPPET_CHARACTERS else "")


def _bar(row: ResultRow, leg: str, label: str, colour: str) -> str:
    rank, score = getattr(row, f"{leg}_rank"), getattr(row, f"{leg}_score")
    if score is None:
        return ""
    share = getattr(row, f"{leg}_normalised_score")
    width = 0.0 if share is None else 100 * min(max(share, 0.0), 1.0)
    place = "" if rank is None else f" #{rank}"
    return (
        f'<div title="{label}{place}: {score:.4f}"><small>{label}{place}</small>'
        f'<div style="background:{colour};height:4px;width:{width:.0f}%"></div></div>'
    )


def plot_scores(results: Sequence[ResultRow], axes: Axes | None = None) -> Axes:
    """Draw a bar for each leg's normalised score, side by side for each row, best row on top."""
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise InvalidArgumentError(
            "plot_scores needs matplotlib, which is not installed", hint="pip install 'pgbraid[notebook]'"
        ) from error
    if axes is None:
        _, axes = pyplot.subplots(figsize=(8, 1 + 0.4 * len(results)))
    found: list[tuple[str, str, list[Any]]] = []
    for leg, label, colour in LEGS:
        values = [getattr(row, f"{leg}_normalised_score") for row in results]
        if any(value is not None for value in values):
            found.append((label, colour, values))
    height = 0.8 / max(len(found), 1)
    for number, (label, colour, values) in enumerate(found):
        places = [place + (number - (len(found) - 1) / 2) * height for place in range(len(values))]
        axes.barh(places, [value or 0.0 for value in values], height=height, color=colour, label=label)
    names = [f"{place}. {row.title or row.external_id}" for place, row in enumerate(results, 1)]
    axes.set_yticks(range(len(results)), names)
    axes.invert_yaxis()
    axes.set_xlabel("normalised score")
    if found:
        axes.legend()
    return axes
