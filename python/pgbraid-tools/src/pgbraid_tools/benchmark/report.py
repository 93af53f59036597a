"""Write the HTML page of `pgbraid bench`: one file without scripts, which loads nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pgbraid_tools.evaluation.report import STYLE

__all__ = ["render"]

COLOURS = ("#4a7fb5", "#c2702d", "#3f8f5b", "#8a5fa8")
WIDTH, HEIGHT, LEFT, BOTTOM = 620, 230, 62, 34
MORE_STYLE = """
.chart text { font-size: 12px } .key { display: inline-block; width: .8em; height: .8em; margin-right: .35em }
svg line { stroke: #c9ced5 } figure { margin: 1rem 0 } figcaption { font-size: .88rem }
@media (prefers-color-scheme: dark) { svg line { stroke: #363b42 } svg text { fill: #9aa3ad } }
"""


def render(result: Mapping[str, Any], times: Mapping[str, Sequence[float]]) -> str:
    """Return the page. `result` is the output of `pgbraid bench --json`. `times` has, by search, sorted milliseconds
    for the first number of clients."""
    collection, server = result["collection"], result["server"]
    title = f"Searches of {collection['name']}"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">""",
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(title)}</title><style>{STYLE}{MORE_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f"<p>{collection['documents']:,} documents, {collection['chunks']:,} chunks of {collection['dimensions']}"
        f" dimensions ({escape(collection['embedding_model'])}). {result['match_count']} rows a search;"
        f" {result['queries']['count']} queries: {escape(result['queries']['source'])}.</p>",
        f"<p class=faint>pgbraid {escape(server['pgbraid'])}, PostgreSQL {escape(server['postgresql'])}, pgvector"
        f" {escape(server['pgvector'] or '')}; shared_buffers {escape(server['shared_buffers'])}."
        f" {escape(result['begun'])}."
        " Clients ran on the machine that wrote this page: times include the network round trip to the server.</p>",
        *(f"<p class=warning>{escape(note)}</p>" for note in result["notes"]),
        _cells(result["cells"]),
        _index_recall(result["index_recall"]),
        f"<h2>Latency, clients: {result['cells'][0]['clients']}</h2>" if times else "",
        _distribution(times),
        *_sweeps(result["cells"]),
        _said(result),
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _cells(cells: Sequence[Mapping[str, Any]]) -> str:
    heads = ["", "clients", "p50 ms", "p95 ms", "p99 ms", "searches a second", "rows a search", "searches", "errors"]
    lines = [
        "<table><tr>" + "".join(f"<th{' class=n' if n else ''}>{head}</th>" for n, head in enumerate(heads)) + "</tr>"
    ]
    for cell in cells:
        latencies = [_number(cell[key]) for key in ("p50_ms", "p95_ms", "p99_ms")]
        failed = f"<span class=bad>{cell['errors']}</span>" if cell["errors"] else "0"
        values = [
            str(cell["clients"]),
            *latencies,
            f"{cell['per_second']:,.1f}",
            f"{cell['rows']:.1f}",
            f"{cell['searches']:,}",
            failed,
        ]
        name = f"{escape(cell['system'])}: {escape(cell['mode'].replace('_', ' '))}"
        lines.append(f"<tr><td>{name}</td>" + "".join(f"<td class=n>{value}</td>" for value in values) + "</tr>")
    errors = {cell["error"] for cell in cells if cell["error"]}
    return "".join(lines) + "</table>" + "".join(f"<p class=bad>{escape(error)}</p>" for error in sorted(errors))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}"


def _index_recall(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return ""
    return (
        f"<p>Searches by meaning find {100 * found['mean']:.1f} % of the {found['at']} nearest vectors (index recall@"
        f"{found['at']}, against comparing all; {found['queries']} queries,"
        f" lowest {100 * found['lowest']:.0f} %).</p>"
    )


def _frame(x_ticks: Sequence[tuple[float, str]], top: float, unit: str, inside: str, caption: str) -> str:
    """Return a chart with `x_ticks` at places from 0 to 1, and a scale from 0 to `top`."""
    parts = []
    for step in range(5):
        y = HEIGHT - BOTTOM - step * (HEIGHT - BOTTOM - 12) / 4
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - 8}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_tick(top * step / 4)}</text>')
    for place, label in x_ticks:
        parts.append(f'<text x="{_x(place):.1f}" y="{HEIGHT - 14}" text-anchor="middle">{escape(label)}</text>')
    return (
        f'<figure><figcaption>{caption}</figcaption><svg class="chart" width="{WIDTH}" height="{HEIGHT}" role="img"'
        f' viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}{inside}'
        f'<text x="{WIDTH - 8}" y="{HEIGHT - 1}" text-anchor="end">{escape(unit)}</text></svg></figure>'
    )


def _tick(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 0.1 or value == 0 else f"{value:.3f}"


def _x(place: float) -> float:
    return LEFT + 12 + place * (WIDTH - LEFT - 40)


def _y(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - value / top * (HEIGHT - BOTTOM - 12)


def _key(names: Sequence[str]) -> str:
    return " &nbsp; ".join(
        f'<span class=key style="background:{COLOURS[place % len(COLOURS)]}"></span>{escape(name)}'
        for place, name in enumerate(names)
    )


def _distribution(times: Mapping[str, Sequence[float]]) -> str:
    """Return a chart of latency percentiles, up to the 99th."""
    if not times:
        return ""
    shares = [step / 50 for step in range(50)]
    curves = {
        name: [ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in shares]
        for name, ordered in times.items()
    }
    top = max(max(curve) for curve in curves.values()) or 1.0
    lines = [
        _line([(share, value) for share, value in zip(shares, curve, strict=True)], top, place, name)
        for place, (name, curve) in enumerate(curves.items())
    ]
    ticks = [(share, f"{100 * share:.0f} %") for share in (0.0, 0.25, 0.5, 0.75, 0.95)]
    return _frame(ticks, top, "share of the searches", "".join(lines), f"ms &nbsp; {_key(list(curves))}")


def _line(points: Sequence[tuple[float, float]], top: float, place: int, name: str) -> str:
    path = " ".join(f"{_x(x):.1f},{_y(y, top):.1f}" for x, y in points)
    return (
        f'<polyline points="{path}" fill="none" stroke="{COLOURS[place % len(COLOURS)]}" stroke-width="2">'
        f"<title>{escape(name)}</title></polyline>"
    )


def _sweeps(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return charts of throughput and latency by the number of clients, for searches measured with several numbers."""
    curves: dict[str, list[Mapping[str, Any]]] = {}
    for cell in cells:
        curves.setdefault(f"{cell['system']}: {cell['mode'].replace('_', ' ')}", []).append(cell)
    swept = {name: found for name, found in curves.items() if len(found) > 1}
    if not swept:
        return []
    counts = sorted({cell["clients"] for found in swept.values() for cell in found})
    places = {count: number / max(1, len(counts) - 1) for number, count in enumerate(counts)}
    ticks = [(places[count], str(count)) for count in counts]
    charts = ["<h2>Several clients</h2>"]
    for key, said in (("per_second", "searches a second"), ("p95_ms", "p95 ms")):
        top = max((cell[key] or 0.0) for found in swept.values() for cell in found) or 1.0
        lines = []
        for number, (name, found) in enumerate(swept.items()):
            points = [(places[cell["clients"]], float(cell[key])) for cell in found if cell[key] is not None]
            lines.append(_line(points, top, number, name))
            lines += [
                f'<circle cx="{_x(x):.1f}" cy="{_y(y, top):.1f}" r="3.5" fill="{COLOURS[number % len(COLOURS)]}">'
                f"<title>{escape(name)}: {y:,.1f}</title></circle>"
                for x, y in points
            ]
        charts.append(_frame(ticks, top, "clients", "".join(lines), f"{said} &nbsp; {_key(list(swept))}"))
    return charts


def _said(result: Mapping[str, Any]) -> str:
    baseline = result["baseline"]
    if baseline is None:
        return ""
    return (
        "<h2>What it is compared with</h2><p>The usual function, over a copy of the same rows: a column of type"
        " tsvector with a GIN index, an HNSW index with the defaults of pgvector, ts_rank_cd over rows that have all"
        " words of the query, and reciprocal rank fusion of the first rows of both. It has no policies and one tenant."
        f" The copy took {baseline['seconds']:.1f} s and {baseline['bytes'] / 1e6:,.0f} MB, and was removed.</p>"
    )
