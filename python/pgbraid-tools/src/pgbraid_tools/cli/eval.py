"""Run pgbraid eval."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pgbraid.cli.options import collection_option, dsn_option, json_option, tenant_option
from pgbraid.cli.output import print_json, table

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid_tools.evaluation.report import Explanations

FAILED = 1
METRICS = ("ndcg@10", "recall@10", "precision@10", "mrr@10", "map@10", "judged@10")
# compare_evaluations has the same limits. The number of draws is queries × metrics × samples.
MOST_DRAWS = 100_000_000
FEWEST_SAMPLES, SAMPLES = 100, 2000
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
REPORT = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.command("eval", short_help="Measure searches by judged queries.")
@click.argument("query_set")
@dsn_option
@tenant_option
@collection_option
@click.option("--config", "files", type=FILE, multiple=True, help="JSON of a configuration; the first is the baseline.")
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help=f"Default: {', '.join(METRICS)}.")
@click.option("--judge", metavar="NAME", help="Whose judgments count. Default: the median of all.")
@click.option("--report", type=REPORT, help="Write an HTML page, too.")
@click.option(
    "--fail-under", "floors", multiple=True, metavar="METRIC=VALUE", help="End with 1 if a configuration has less."
)
@json_option
def evaluate(
    query_set: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    files: tuple[Path, ...],
    metrics: tuple[str, ...],
    judge: str | None,
    report: Path | None,
    floors: tuple[str, ...],
    as_json: bool,
) -> None:
    """Run a search for each judged query of QUERY_SET, by each configuration, and print how good the rankings are.
    Further configurations are compared with the first.

    Example: pgbraid eval support --config now.json --config new.json --fail-under ndcg@10=0.62
    """
    import pgbraid

    wanted = _floors(floors)
    if report is not None:
        _check_folder(report)
    metrics = tuple(dict.fromkeys([*(metrics or METRICS), *wanted]))
    configurations = {name: {"collection": collection, **given} for name, given in read_configurations(files).items()}
    with pgbraid.connect(dsn, tenant=tenant) as client, client.transaction():
        # In one snapshot, all configurations see the same documents and judgments.
        client.connection.execute("set transaction isolation level repeatable read, read only")
        evaluations = {
            name: _in_order(
                client.evaluate(query_set, configuration, metrics, judge=judge, details=report is not None), metrics
            )
            for name, configuration in configurations.items()
        }
        # Print before the steps that can still fail.
        if not as_json:
            _print(_mean_lines(query_set, evaluations, metrics))
        compared = _compare(client, evaluations)
        explanations = _explain(client, evaluations) if report is not None else {}
    below = [
        f"{name}: {metric} is {evaluation['metrics'][metric]:.4f}, below {floor:g}"
        for name, evaluation in evaluations.items()
        for metric, floor in wanted.items()
        if evaluation["metrics"][metric] < floor
    ]
    if as_json:
        print_json({"evaluations": evaluations, "comparisons": compared, "below": below})
    else:
        _print(_comparison_lines(evaluations, compared, metrics))
    for line in below:
        click.echo(line, err=True)
    if report is not None:
        from pgbraid_tools.evaluation.report import render

        report.write_text(render(evaluations, compared, explanations), encoding="utf-8")
    if below:
        raise SystemExit(FAILED)


def _in_order(evaluation: dict[str, Any], metrics: tuple[str, ...]) -> dict[str, Any]:
    """Return the evaluation with its metrics in the order of their names on the command line: the report sorts by the
    first."""
    for measured in (evaluation, *evaluation["queries"]):
        measured["metrics"] = {metric: measured["metrics"][metric] for metric in metrics}
    return evaluation


def _compare(client: Client, evaluations: dict[str, Any]) -> dict[str, Any]:
    """Return the comparison of each evaluation with the first, by name."""
    # Rows of each query would only make the arguments large.
    baseline, *candidates = ((name, _without_rows(evaluation)) for name, evaluation in evaluations.items())
    count = len(baseline[1]["queries"])
    # One query proves no difference.
    if count < 2:
        return {}
    samples = max(FEWEST_SAMPLES, min(SAMPLES, MOST_DRAWS // (count * len(baseline[1]["metrics"]))))
    return {
        name: client.compare_evaluations(baseline[1], candidate, resample_count=samples)
        for name, candidate in candidates
    }


def _explain(client: Client, evaluations: dict[str, Any]) -> Explanations:
    """Return the contributions of words to the full-text scores of the first rows, for the queries that the report
    shows first. Leave out rows whose score explain_score cannot reproduce: with other statistics, without operators,
    corrected, …."""
    from pgbraid_tools.evaluation.report import MOST_EXPLAINED, MOST_EXPLAINED_ROWS, shown_queries

    explained = set(shown_queries(evaluations)[:MOST_EXPLAINED])
    found: dict[str, dict[str, dict[int, list[Any]]]] = {}
    for name, evaluation in evaluations.items():
        configuration = evaluation["configuration"]
        for query in evaluation["queries"]:
            rows = query["rows"][:MOST_EXPLAINED_ROWS]
            scores = {row["chunk_id"]: row["full_text_score"] for row in rows if row["full_text_score"] is not None}
            if query["query_id"] not in explained or not scores:
                continue
            of_query: dict[int, list[Any]] = {}
            for part in client.explain_score(
                query["query_text"],
                list(scores),
                match=configuration.get("match") or "any",
                collection=configuration["collection"],
            ):
                of_query.setdefault(part.chunk_id, []).append(part)
            found.setdefault(name, {})[query["query_id"]] = {
                chunk_id: parts
                for chunk_id, parts in of_query.items()
                if math.isclose(sum(part.contribution for part in parts), scores[chunk_id], rel_tol=1e-4)
            }
    return found


def _without_rows(evaluation: dict[str, Any]) -> dict[str, Any]:
    queries = [
        {key: value for key, value in query.items() if key not in ("rows", "missed")} for query in evaluation["queries"]
    ]
    return {**evaluation, "queries": queries}


def _check_folder(report: Path) -> None:
    """Check the folder before the searches, which may take long."""
    if not report.parent.is_dir():
        raise click.BadParameter(f"{report.parent} is no folder", param_hint="--report")
    if not report.exists() and not os.access(report.parent, os.W_OK):
        raise click.BadParameter(f"{report.parent} is not writable", param_hint="--report")


def _floors(given: tuple[str, ...]) -> dict[str, float]:
    floors: dict[str, float] = {}
    for metric, value in map(_floor, given):
        if metric in floors:
            raise click.BadParameter(f"{metric} comes twice", param_hint="--fail-under")
        floors[metric] = value
    return floors


def _floor(given: str) -> tuple[str, float]:
    metric, sign, value = given.partition("=")
    if not sign or not re.fullmatch(r"\d+(\.\d*)?|\.\d+", value):
        raise click.BadParameter(f"{given!r} is not like ndcg@10=0.62", param_hint="--fail-under")
    return metric, float(value)


def read_configurations(files: tuple[Path, ...]) -> dict[str, dict[str, Any]]:
    """Return the configurations by name; without files, the collection's own configuration."""
    found: dict[str, dict[str, Any]] = {} if files else {"default": {}}
    for file in files:
        try:
            configuration = json.loads(file.read_text(encoding="utf-8-sig"))
        except ValueError as error:
            raise click.BadParameter(f"{file} is not JSON: {error}", param_hint="--config") from error
        if not isinstance(configuration, dict):
            raise click.BadParameter(f"{file} is no JSON object", param_hint="--config")
        name = file.stem if file.stem not in found else str(file)
        if name in found:
            raise click.BadParameter(f"{file} comes twice", param_hint="--config")
        found[name] = configuration
    return found


def _print(lines: list[str]) -> None:
    for line in lines:
        click.echo(line)


def _mean_lines(query_set: str, evaluations: dict[str, Any], metrics: tuple[str, ...]) -> list[str]:
    first = next(iter(evaluations.values()))
    rows = [["", *metrics, "p95 ms"]]
    for name, evaluation in evaluations.items():
        means = [f"{evaluation['metrics'][metric]:.4f}" for metric in metrics]
        rows.append([name, *means, f"{evaluation['latency']['p95_ms']:.1f}"])
    queries = f"{query_set}: {first['counts']['queries']} judged queries"
    return [queries, "", *table(rows, numbers=frozenset(range(1, len(rows[0]))))]


def _comparison_lines(evaluations: dict[str, Any], compared: dict[str, Any], metrics: tuple[str, ...]) -> list[str]:
    lines: list[str] = []
    for name, comparison in compared.items():
        rows = [[f"{name} - {next(iter(evaluations))}", "difference", "95 %", "p", "better", "worse", "same"]]
        for metric in metrics:
            found = comparison["metrics"][metric]
            low, high = found["interval"]
            counts = [str(found[count]) for count in ("wins", "losses", "ties")]
            between = f"{low:+.4f} to {high:+.4f}"
            rows.append([metric, f"{found['difference']:+.4f}", between, f"{found['p_value']:.3f}", *counts])
        lines += ["", *table(rows, numbers=frozenset(range(1, 7)))]
    for name, evaluation in evaluations.items():
        if evaluation["warnings"]:
            lines += ["", *(f"{name}: {warning['message']}" for warning in evaluation["warnings"])]
    return lines
