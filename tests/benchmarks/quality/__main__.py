"""Print how well each leg, fusion and option ranks on the judged sets, through pgbraid."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from psycopg.types.json import Jsonb

from benchmarks.full_text.report import say, table
from benchmarks.pages import MEASUREMENTS, README, markdown_table, measured_on, write_section
from benchmarks.quality.configurations import CONFIGURATIONS, LEGS, PLAIN, VARIANTS, Arguments
from benchmarks.quality.loading import add_options, loaded, preset_of, set_ranking
from benchmarks.quality.measures import MEASURES, Values, interval, randomisation_p
from benchmarks.quality.sets import JudgedSet, Query
from support.loading import Connection

DEPTH = 100
TITLES = {"cranfield": "Cranfield", "cisi": "CISI", "scifact": "SciFact", "locomo": "LoCoMo", "qmsum": "QMSum"}
# The pages show these configurations under these names.
WRITTEN = {
    "full text": "full text alone",
    "semantic": "vectors alone",
    "rrf, k 60": "`rrf`, k 60",
    "default": "hybrid, the default",
    "default before": "hybrid, the default of 0.1.0",
}
# A collection of 0.1.0 has this ranking.
BEFORE = {
    "preset": "prose",
    "b": 0.75,
    "smoothing": 0,
    "statistics_scope": "collection",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    add_options(parser, more="; xquad too, whose model is English")
    parser.add_argument("--configurations", help="some of them, by number")
    parser.add_argument("--write", action="store_true", help="only what the pages show, and write it there")
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        parser.exit(1, f"the test collections are not there ({arguments.data})\n")
    names = [label for label in WRITTEN if label in CONFIGURATIONS] if arguments.write else list(CONFIGURATIONS)
    if arguments.configurations:
        names = [names[int(number)] for number in arguments.configurations.split(",")]

    found: dict[str, dict[str, dict[str, Values]]] = {}
    for db, judged in loaded(arguments):
        name = judged.name
        found[name] = {label: measure(db, judged, CONFIGURATIONS[label]) for label in names}
        for label, options in VARIANTS.items():
            if arguments.configurations or judged.queries[0].filters is None:
                continue
            found[name][f"default, {label}"] = measure(db, judged, {"options": {**PLAIN, **options}})
        if not arguments.configurations:
            if judged.turns:
                set_ranking(db, name, {"preset": "prose"})
                found[name]["default, preset prose"] = measure(db, judged, {})
            set_ranking(db, name, BEFORE)
            found[name]["default before"] = measure(db, judged, {})
            set_ranking(db, name, {"preset": preset_of(judged)})
        if name == "locomo" and not arguments.configurations and not arguments.write:
            found[name].update(conversations(db, judged))
        say(f"{name}: {len(judged.documents):,} documents, {len(judged.queries):,} queries")
        report({name: found[name]})
    report_means(found)
    compare(found)
    if arguments.write:
        write_pages(found)


def measure(db: Connection, judged: JudgedSet, arguments: Arguments) -> dict[str, Values]:
    rankings, times = [], []
    for query in judged.queries:
        started = time.perf_counter()
        rankings.append(rank(db, judged, query, arguments))
        times.append(1000 * (time.perf_counter() - started))
    return {
        name: np.array([of(ranking, query.relevance) for ranking, query in zip(rankings, judged.queries, strict=True)])
        for name, of in MEASURES.items()
    } | {"ms": np.array(times)}


def rank(
    db: Connection, judged: JudgedSet, query: Query, arguments: Mapping[str, Any], function: str = "hybrid_search"
) -> list[str]:
    values = {
        "query_text": query.text,
        "query_embedding": query.embedding,
        "match_count": DEPTH,
        "filters": query.filters,
        "collection": judged.name,
        **arguments,
    }
    named = ", ".join(f"{name} => %({name})s" for name in values)
    rows = db.execute(
        f"select external_id, chunk_index from braid.{function}({named})",
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in values.items()},
    )
    return [judged.judged_id(*row) for row in rows.fetchall()]


def conversations(db: Connection, judged: JudgedSet) -> dict[str, dict[str, Values]]:
    """Measure searches that use clues from the question's text, never from the judgments: the speaker it names, as a
    filter and as a boost, and the timeframe that `recall` extracts."""
    found: dict[str, list[list[str]]] = {
        "default, speaker named: filter": [],
        "default, speaker named: boost": [],
        "recall, timeframe auto": [],
    }
    for query in judged.queries:
        named = [speaker for speaker in query.metadata["speakers"] if speaker.lower() in query.text.lower()]
        speaker = {"speaker": named[0]} if len(named) == 1 else None
        filtered = {"filters": {**(query.filters or {}), **(speaker or {})}, "options": PLAIN}
        boosted = {"options": {**PLAIN, "boosts": [{"filter": speaker, "factor": 1.2}]} if speaker else PLAIN}
        timed = {"timeframe": "auto", "options": PLAIN}
        rankings = (
            rank(db, judged, query, filtered),
            rank(db, judged, query, boosted),
            rank(db, judged, query, timed, "recall"),
        )
        for ranking, of_query in zip(found.values(), rankings, strict=True):
            ranking.append(of_query)
    return {
        label: {
            name: np.array([of(found, query.relevance) for found, query in zip(rankings, judged.queries, strict=True)])
            for name, of in MEASURES.items()
        }
        for label, rankings in found.items()
    }


def report(found: dict[str, dict[str, dict[str, Values]]]) -> None:
    first, *rest = MEASURES
    for name, configurations in found.items():
        rows = []
        for label, values in configurations.items():
            low, high = interval(values[first])
            means = [f"{values[measure].mean():.4f}" for measure in MEASURES]
            ms = f"{np.median(values['ms']):.0f}" if "ms" in values else ""
            rows.append((label, [means[0], f"{low:.3f}–{high:.3f}", *means[1:], ms]))
        table(name, [first, "95 %", *rest, "ms"], rows)


def report_means(found: dict[str, dict[str, dict[str, Values]]]) -> None:
    labels = [label for label in next(iter(found.values())) if all(label in values for values in found.values())]
    rows = []
    for label in labels:
        means = [values[label]["nDCG@10"].mean() for values in found.values()]
        rows.append((label, [f"{mean:.4f}" for mean in [*means, float(np.mean(means))]]))
    table("nDCG@10", [*found, "mean"], rows)


def compare(found: dict[str, dict[str, dict[str, Values]]]) -> None:
    """Compare the default with the better leg of each set, and with the default of 0.1.0."""
    rows = []
    for name, values in found.items():
        if "default" not in values or not all(leg in values for leg in LEGS):
            continue
        better = max(LEGS, key=lambda leg: float(values[leg]["nDCG@10"].mean()))
        for label in (better, "default before"):
            if label in values:
                default, other = values["default"]["nDCG@10"], values[label]["nDCG@10"]
                low, high = interval(default - other)
                rows.append(
                    (
                        name,
                        [
                            label,
                            f"{(default - other).mean():+.4f}",
                            f"{low:+.4f} to {high:+.4f}",
                            f"{randomisation_p(default, other):.4f}",
                        ],
                    )
                )
    if rows:
        table("the default less another", ["the other", "nDCG@10", "95 %", "p"], rows)


def write_pages(found: dict[str, dict[str, dict[str, Values]]]) -> None:
    labels = dict(WRITTEN)
    labels |= {f"default, {label}": f"the default, with `{label.replace(' ', '` `')}`" for label in VARIANTS}
    means = {
        label: [float(values[label]["nDCG@10"].mean()) if label in values else None for values in found.values()]
        for label in labels
    }
    heading = ["", *(TITLES.get(name, name) for name in found), "mean"]
    rows = {label: [labels[label], *map(_decimals, [*of, _mean(of)])] for label, of in means.items()}
    text = f"{measured_on()}.\n\n" + markdown_table(heading, list(rows.values()))
    write_section(MEASUREMENTS, "quality", text)
    heading[0] = "nDCG@10 (1 is perfect), offline model"
    write_section(README, "quality", markdown_table(heading, [rows[label] for label in (*LEGS, "default")]))


def _mean(values: list[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return sum(given) / len(given) if len(given) == len(values) else None


def _decimals(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}".removeprefix("0")


if __name__ == "__main__":
    main()
