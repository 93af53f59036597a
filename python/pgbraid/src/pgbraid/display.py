"""Format search results as text for terminals."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pgbraid.result_rows import ResultRow

# Colours a text by its kind: title, score, faint or warning.
Style = Callable[[str, str], str]
SNIPPET_CHARACTERS = 240
WIDTH = 100


# ASCII's and Latin-1's control characters; Latin-1 has a CSI of its own, U+009B.
_CONTROLS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), "\ufffd")
_CONTROLS_OF_LINES = {code: sign for code, sign in _CONTROLS.items() if chr(code) not in "\t\n"}


def plain(text: str, _: str) -> str:
    return text


def clean(text: str) -> str:
    """Return a stored text for one line of a terminal, with control characters, which could move the cursor, as �."""
    return text.translate(_CONTROLS)


def clean_lines(text: str) -> str:
    """Return a stored text of several lines like `clean`, with its tabs and line ends."""
    return text.replace("\r\n", "\n").translate(_CONTROLS_OF_LINES)


def results_text(
    rows: Sequence[ResultRow], query: str | None, warnings: Sequence[Mapping[str, Any]], style: Style | None
) -> str:
    """Return the rows with their ranks, then the warnings."""
    style = style or plain
    blocks = ["\n".join(result_lines(row, rank, query or "", style)) for rank, row in enumerate(rows, 1)]
    notes = [style(clean(f"warning: {w.get('message', w.get('code'))}"), "warning") for w in warnings]
    return "\n\n".join([*(blocks or ["no results"]), *(["\n".join(notes)] if notes else [])])


def result_lines(row: ResultRow, rank: int | None, query: str, style: Style | None) -> list[str]:
    """Return a row's lines: its name, the parts of its score, and a snippet of its text."""
    style = style or plain
    name = clean(row.title or row.external_id)
    origin = f"  {clean(row.external_id)}" if row.title and row.title != row.external_id else ""
    part = f" [{row.chunk_index}]" if row.chunk_index else ""
    number = "" if rank is None else f"{rank:>2}. "
    legs = "  ".join(
        f"{leg} {'–' if place is None else f'#{place} ({score:.3f})'}"
        for leg, place, score in (
            ("full text", row.full_text_rank, row.full_text_score or 0.0),
            ("semantic", row.semantic_rank, row.semantic_score or 0.0),
            *(
                [("sparse", row.sparse_rank, row.sparse_score or 0.0)]
                if row.sparse_normalised_score is not None
                else []
            ),
        )
    )
    reranked = (
        "" if row.rerank_score is None else f"blended {row.blended_score or 0:.4f}  rerank {row.rerank_score:.4f}  "
    )
    indent = " " * len(number)
    text = textwrap.wrap(snippet(row.content, query), WIDTH - len(indent))
    return [
        f"{number}{style(name, 'title')}{style(origin + part, 'faint')}",
        f"{indent}{style(f'{reranked}score {row.score:.4f}', 'score')}  {style(legs, 'faint')}",
        *(indent + line for line in text),
    ]


def snippet(content: str, query: str) -> str:
    """Return a snippet of the content on one line, from near the first occurrence of a query's word."""
    text = clean(" ".join(content.split()))
    words = [re.escape(word) for word in re.findall(r"\w{3,}", query)[:50]]
    found = re.search("|".join(words), text, re.IGNORECASE) if words else None
    if len(text) <= SNIPPET_CHARACTERS or found is None or found.start() < SNIPPET_CHARACTERS // 2:
        return _cut(text)
    start = text.find(" ", found.start() - SNIPPET_CHARACTERS // 3) + 1
    return "… " + _cut(text[start or found.start() :])


def _cut(text: str) -> str:
    if len(text) <= SNIPPET_CHARACTERS:
        return text
    return text[: SNIPPET_CHARACTERS - 2].rsplit(" ", 1)[0] + " …"
