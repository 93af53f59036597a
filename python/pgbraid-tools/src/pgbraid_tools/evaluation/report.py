"""Render the HTML page of `pgbraid eval`: one file without scripts or external resources."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from statistics import fmean
from typing import Any

__all__ = ["MOST_EXPLAINED", "MOST_EXPLAINED_ROWS", "Explanations", "interpolated_precision", "render", "shown_queries"]

MOST_QUERIES = 1000
# The report shows what each word adds to the score for at most this number of queries, and of rows of each query.
MOST_EXPLAINED = 100
MOST_EXPLAINED_ROWS = 10
BARS = 24
WIDTH, HEIGHT = 480, 240
# Colours of the configurations in order; each is readable on white and on black.
COLOURS = ("#2f6fb0", "#c2571a", "#3a8a45", "#8f4fb0", "#b03a5b", "#7a7a22")
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1b1f24;
background: #fff; color-scheme: light dark; overflow-wrap: break-word }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem } h3 { font-size: 1rem }
.wide { overflow-x: auto } table { border-collapse: collapse; margin: .6rem 0 }
th { font-weight: 600; background: #f3f5f7 }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #dde1e6; text-align: left; vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
details > .wide > table > tbody > tr > td.text { min-width: 14rem; overflow-wrap: anywhere }
.good { color: #11672f } .bad { color: #a4211b } .faint { color: #68707a } .warning { color: #7a5200 }
details { border-bottom: 1px solid #dde1e6; padding: .3rem 0 } summary { cursor: pointer }
td details { border: 0; padding: 0 } td details table { margin: .2rem 0 } td details .wide { max-width: 75vw }
details table { font-size: .88rem } pre { background: #f3f5f7; padding: .6rem; overflow: auto; font-size: .85rem }
.relevant { background: #e6f4ea } .irrelevant { background: #fbeae9 }
svg { display: block; margin: .4rem 0; max-width: 100%; height: auto } svg text { font-size: 11px; fill: #68707a }
svg .axis { stroke: #aab1b9 } svg .grid { stroke: #e3e7eb } .key { margin: .1rem 0 }
.key svg { display: inline; vertical-align: middle; margin: 0 }
@media (prefers-color-scheme: dark) {
body { background: #16181b; color: #dfe3e8 } th, pre { background: #24282d }
th, td, details { border-color: #363b42 } .relevant { background: #173723 } .irrelevant { background: #3b1f1e }
.good { color: #6fce8d } .bad { color: #f1918b } .warning { color: #e3b65b } .faint { color: #98a1ab }
svg text { fill: #98a1ab } svg .axis { stroke: #59616b } svg .grid { stroke: #2a2f35 } }
@media (max-width: 40rem) { body { margin: 1rem auto; padding: 0 .6rem } th, td { padding: .2rem .4rem } }
"""
# Maps configuration, query and chunk_id to what each word adds to the full-text score.
Explanations = Mapping[str, Mapping[str, Mapping[int, Sequence[Any]]]]


def render(
    evaluations: Mapping[str, Mapping[str, Any]],
    compared: Mapping[str, Mapping[str, Any]],
    explanations: Explanations | None = None,
) -> str:
    """Return the page.

    `evaluations` maps each configuration's name to its evaluation with details, the baseline first. `compared` holds
    the results of compare_evaluations for the others; `explanations` holds ScoreParts for rows of some queries.
    """
    first = next(iter(evaluations.values()))
    title = f"Evaluation of {first['query_set']}"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">""",
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f"<p>{first['counts']['queries']} judged queries, of {escape(first['level'])}s.</p>",
        _means(evaluations),
        *(_comparison(name, next(iter(evaluations)), found, first["metrics"]) for name, found in compared.items()),
        _warnings(evaluations),
        "<h2>Precision and recall</h2>",
        _precision_and_recall(evaluations),
        "<h2>Latency</h2>",
        _latencies(evaluations),
        "<h2>Queries</h2>",
        _queries(evaluations, explanations or {}),
        "<h2>Configurations</h2>",
        *(
            f"<h3>{escape(name)}</h3><pre>{_json(evaluation['configuration'])}</pre>"
            for name, evaluation in evaluations.items()
        ),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _json(value: Any) -> str:
    return escape(json.dumps(value, indent=2, ensure_ascii=False))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], classes: Sequence[str] = ()) -> str:
    """Return a table whose cells are HTML; all columns after the first are numbers."""

    def line(tag: str, cells: Sequence[str], kind: str) -> str:
        made = (f"<{tag} class={'n' if place else 'text'}>{cell}</{tag}>" for place, cell in enumerate(cells))
        return f"<tr{f' class={kind}' if kind else ''}>{''.join(made)}</tr>"

    kinds = classes or [""] * len(rows)
    body = "".join(line("td", row, kind) for row, kind in zip(rows, kinds, strict=True))
    return f"<div class=wide><table>{line('th', head, '')}{body}</table></div>"


def _means(evaluations: Mapping[str, Mapping[str, Any]]) -> str:
    metrics = list(next(iter(evaluations.values()))["metrics"])
    return _table(
        ["", *map(escape, metrics), "unjudged rows"],
        [
            [
                escape(name),
                *(f"{evaluation['metrics'][metric]:.4f}" for metric in metrics),
                f"{evaluation['counts']['unjudged_results']} of {evaluation['counts']['results']}",
            ]
            for name, evaluation in evaluations.items()
        ],
    )


def _signed(value: float, digits: int = 4) -> str:
    kind = "good" if value > 0 else "bad" if value < 0 else "faint"
    return f"<span class={kind}>{value:+.{digits}f}</span>"


def _comparison(name: str, baseline: str, compared: Mapping[str, Any], metrics: Iterable[str]) -> str:
    rows = [
        [
            escape(metric),
            _signed(found["difference"]),
            f"{found['interval'][0]:+.4f} to {found['interval'][1]:+.4f}",
            f"{found['p_value']:.3f}",
            str(found["wins"]),
            str(found["losses"]),
            str(found["ties"]),
        ]
        for metric in metrics
        if (found := compared["metrics"].get(metric)) is not None
    ]
    said = (
        f"<p class=faint>Intervals: 95 %, bootstrap of the queries. p: paired randomisation test, two-sided."
        f" {compared['resample_count']} samples.</p>"
    )
    head = ["", "difference", "interval", "p", "better", "worse", "same"]
    return f"<h2>{escape(name)} against {escape(baseline)}</h2>{_table(head, rows)}{said}"


def _warnings(evaluations: Mapping[str, Mapping[str, Any]]) -> str:
    return "".join(
        f"<p class=warning>{escape(name)}: {escape(warning['message'])}</p>"
        for name, evaluation in evaluations.items()
        for warning in evaluation["warnings"]
    )


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _keys(names: Iterable[str], said: Mapping[str, str]) -> str:
    """Return the legend: the colour of each configuration, and a remark on it."""
    return "".join(
        f'<p class=key><svg width="12" height="12"><rect width="12" height="12" '
        f'fill="{_colour(place)}"></rect></svg> {escape(name)}: {said[name]}</p>'
        for place, name in enumerate(names)
    )


def _precision_and_recall(evaluations: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the chart of interpolated precision at eleven levels of recall, averaged over queries as in trec_eval."""
    lines, said = [], {}
    for place, (name, evaluation) in enumerate(evaluations.items()):
        curves = [interpolated_precision(query) for query in evaluation["queries"] if query["relevant"]]
        means = [fmean(values) for values in zip(*curves, strict=True)]
        points = " ".join(f"{_x(level / 10):.1f},{_y(mean):.1f}" for level, mean in enumerate(means))
        said[name] = f"precision {means[1]:.3f} at recall .1, {means[5]:.3f} at .5"
        # Dashes keep both lines visible where they coincide.
        dashes = ' stroke-dasharray="8 5"' if place else ""
        lines.append(
            f'<polyline points="{points}" fill="none" stroke="{_colour(place)}" stroke-width="2"{dashes}>'
            f"<title>{escape(name)}</title></polyline>"
        )
    grid = "".join(
        f'<line class=grid x1="{_x(0)}" x2="{_x(1)}" y1="{_y(part):.1f}" y2="{_y(part):.1f}"></line>'
        f'<text x="{_x(0) - 6}" y="{_y(part) + 4:.1f}" text-anchor="end">{part:g}</text>'
        f'<text x="{_x(part):.1f}" y="{HEIGHT - 22}" text-anchor="middle">{part:g}</text>'
        for part in (0, 0.25, 0.5, 0.75, 1)
    )
    axes = f'<text x="{_x(0.5)}" y="{HEIGHT - 6}" text-anchor="middle">recall</text><text x="2" y="12">precision</text>'
    count = min(evaluation["configuration"]["match_count"] for evaluation in evaluations.values())
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    note = (
        "Interpolated, mean of the queries with something relevant, over the first "
        f"{count} rows: what is further down counts as not found."
    )
    drawn = f'<svg {size} role="img">{grid}{axes}{"".join(lines)}</svg>'
    return f"{drawn}{_keys(evaluations, said)}<p class=faint>{note}</p>"


def _x(part: float) -> float:
    return 40 + part * (WIDTH - 60)


def _y(part: float) -> float:
    return 22 + (1 - part) * (HEIGHT - 62)


def interpolated_precision(query: Mapping[str, Any]) -> list[float]:
    """Return the interpolated precision at the recall levels 0, .1, … 1: the best precision at that recall or above,
    as in trec_eval."""
    found, points = 0, []
    for row in query["rows"]:
        if (row["grade"] or 0) > 0:
            found += 1
            points.append((found, found / row["rank"]))
    # trec_eval rounds in this way: a recall of .1 of 3 documents needs one document.
    needed = [int(level / 10 * query["relevant"] + 0.9) for level in range(11)]
    return [max((precision for count, precision in points if count >= least), default=0.0) for least in needed]


def _latencies(evaluations: Mapping[str, Mapping[str, Any]]) -> str:
    """Return histograms of query times on one scale; the last bar includes the slowest 1 %."""
    times = {name: sorted(query["query_time_ms"] for query in found["queries"]) for name, found in evaluations.items()}
    longest = max(*(taken[min(len(taken) - 1, len(taken) * 99 // 100)] for taken in times.values()), 0.001)
    parts = []
    for place, (name, taken) in enumerate(times.items()):
        counts = [0] * BARS
        for time in taken:
            counts[min(int(time / longest * BARS), BARS - 1)] += 1
        heights = [70 * count / max(counts) for count in counts]
        bars = "".join(
            f'<rect x="{20 * bar}" y="{80 - height:.1f}" width="18" height="{height:.1f}" fill="{_colour(place)}">'
            f"<title>{counts[bar]} queries, {longest * bar / BARS:.1f} ms and more</title></rect>"
            for bar, height in enumerate(heights)
            if height
        )
        latency = evaluations[name]["latency"]
        said = ", ".join(f"{key.removesuffix('_ms')} {latency[key]:.1f} ms" for key in ("p50_ms", "p95_ms", "max_ms"))
        parts.append(
            f"<p>{escape(name)}: {said}</p>"
            f'<svg viewBox="0 0 {20 * BARS} 98" width="{20 * BARS}" height="98" role="img">{bars}'
            f'<line class=axis x1="0" x2="{20 * BARS}" y1="80.5" y2="80.5"></line><text x="0" y="95">0</text>'
            f'<text x="{20 * BARS}" y="95" text-anchor="end">{longest:.1f} ms</text></svg>'
        )
    return "".join(parts)


def shown_queries(evaluations: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the ids of the queries to show: the largest changes first, or with one configuration, the worst queries
    first."""
    metric = next(iter(next(iter(evaluations.values()))["metrics"]))
    first, *others = (
        {query["query_id"]: float(query["metrics"][metric]) for query in found["queries"]}
        for found in evaluations.values()
    )

    def order(query: str) -> tuple[float, str]:
        change = max((abs(other[query] - first[query]) for other in others), default=-first[query])
        return -change, query

    return sorted((query for query in first if all(query in other for other in others)), key=order)[:MOST_QUERIES]


def _queries(evaluations: Mapping[str, Mapping[str, Any]], explanations: Explanations) -> str:
    names = list(evaluations)
    metric = next(iter(evaluations[names[0]]["metrics"]))
    by_id = {name: {query["query_id"]: query for query in evaluations[name]["queries"]} for name in names}
    shown = shown_queries(evaluations)
    parts = [f"<p class=faint>By {escape(metric)}. Of {len(by_id[names[0]])} queries {len(shown)} are shown.</p>"]
    for query in shown:
        values = [float(by_id[name][query]["metrics"][metric]) for name in names]
        said = " → ".join(f"{value:.3f}" for value in values)
        change = _signed(values[-1] - values[0], 3) if len(names) > 1 else ""
        text = escape(by_id[names[0]][query]["query_text"][:300])
        parts.append(
            f"<details><summary>{said} {change} <b>{text}</b> <span class=faint>{escape(query)}</span></summary>"
            + "".join(_rows(name, by_id[name][query], explanations.get(name, {}).get(query, {})) for name in names)
            + "</details>"
        )
    return "\n".join(parts)


def _rows(name: str, query: Mapping[str, Any], parts: Mapping[int, Sequence[Any]]) -> str:
    metrics = ", ".join(f"{escape(metric)} {value:.3f}" for metric, value in query["metrics"].items())
    rows, classes = [], []
    for row in query["rows"]:
        grade = row["grade"]
        judged = grade is not None and grade >= 0
        classes.append(("relevant" if grade > 0 else "irrelevant") if judged else "")
        place = "" if row["chunk_index"] is None else f" <span class=faint>chunk {row['chunk_index']}</span>"
        shown = f"<b>{escape(row['title'] or '')}</b> {escape(row['content'] or '')}"
        why = _words(parts.get(row["chunk_id"], ()))
        rows.append(
            [
                f"{row['rank']}. {escape(row['external_id'])}{place}<br>{shown}{why}",
                str(grade) if judged else "not judged",
                f"{row['score']:.4f}",
                _leg(row["full_text_score"], row["full_text_rank"]),
                _leg(row["semantic_score"], row["semantic_rank"]),
            ]
        )
    missed = ", ".join(f"{escape(item['external_id'])} ({item['grade']})" for item in query["missed"][:100])
    said = f"<p>Relevant, and not found: {missed}</p>" if missed else ""
    head = ["document", "grade", "score", "full text", "semantic"]
    return f"<p>{escape(name)}: {metrics}, {query['query_time_ms']:.1f} ms</p>{_table(head, rows, classes)}{said}"


def _leg(score: float | None, rank: int | None) -> str:
    return "" if score is None else f"{score:.4f}" + (f" #{rank}" if rank is not None else "")


def _words(parts: Sequence[Any]) -> str:
    """Return what each word adds to a full-text score, with the figures that explain it."""
    if not parts:
        return ""
    rows = [
        [
            escape(part.lexeme),
            f"{part.contribution:.4f}",
            f"{part.idf:.3f}",
            f"{part.document_frequency:,}",
            f"{part.frequency:g}",
            f"{part.title_frequency:g}",
            f"{part.length_normalisation:.3f}",
        ]
        for part in sorted(parts, key=lambda part: -part.contribution)
    ]
    head = ["word", "adds", "idf", "chunks", "in text", "in title", "length norm"]
    return f"<details><summary>why</summary>{_table(head, rows)}</details>"
