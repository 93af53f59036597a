"""Run pgbraid judgments compare."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pgbraid.cli.options import collection_option, dsn_option, json_option, tenant_option
from pgbraid.cli.output import print_json
from pgbraid.display import clean
from pgbraid_tools.cli.eval import FILE, read_configurations
from pgbraid_tools.cli.judgments.chat import DEPTH, UNANSWERED, chat_judge, chat_options

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid_tools.evaluation.judging import PooledResult
    from pgbraid_tools.evaluation.preferences import Preferences


@click.command(short_help="Have a language model prefer one of two configurations.")
@click.argument("query_set")
@dsn_option
@tenant_option
@collection_option
@click.option("--config", "files", type=FILE, multiple=True, required=True, help="JSON of a configuration; twice.")
@click.option("--depth", type=DEPTH, default=5, show_default=True, metavar="N", help="How many results of each.")
@chat_options
@click.option("--reference", metavar="NAME", help="With whose grades to compare. Default: the median of all.")
@json_option
def compare(
    query_set: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    files: tuple[Path, ...],
    depth: int,
    chat_model: str,
    chat_url: str | None,
    chat_options: str | None,
    reference: str | None,
    concurrency: int,
    as_json: bool,
) -> None:
    """Show a language model pairs of results for each query of QUERY_SET. In a pair, one result is only among the first
    results of the first configuration, the other only among those found by the second. Print for how many queries the
    model prefers which configuration, and how far its preferences agree with grades.

    Each pair is shown in both orders, which is two requests, and counts only if the answers agree. Nothing is stored.
    The key is in OPENAI_API_KEY. The exit code is 1 if a pair is left without an answer.

    Example: pgbraid judgments compare support --config now.json --config new.json --chat-model gpt-4o
    """
    import pgbraid
    from pgbraid_tools.cli.progress import progress
    from pgbraid_tools.evaluation.judging import query_count
    from pgbraid_tools.evaluation.preferences import PairJudge, ask_preferences, differing_pairs

    named = read_configurations(files)
    if len(named) != 2:
        raise click.BadParameter(f"there are {len(named)}, and two are compared", param_hint="--config")
    first, second = ({"collection": collection, **given} for given in named.values())
    model = chat_judge(PairJudge, chat_model, chat_url, chat_options)
    with pgbraid.connect(dsn, tenant=tenant) as client:
        count = query_count(client, query_set)
        pairs = differing_pairs(client, query_set, first, second, depth=depth)
        with progress("queries", count) as show:
            found = ask_preferences(
                pairs, model, grade_of=_grades(client, query_set, reference), concurrency=concurrency, progress=show
            )
    _print_preferences(found, [*named], as_json)
    if found.unusable or found.failed:
        raise SystemExit(UNANSWERED)


def _grades(client: Client, query_set: str, judge: str | None) -> Callable[[PooledResult], float | None]:
    """Return a function that finds the grade of a result: the grade of one judge, or the lower median of all judges."""
    of_query: dict[str, dict[tuple[str, int | None], list[int]]] = {}

    def grade_of(result: PooledResult) -> float | None:
        if result.query_id not in of_query:
            grades: dict[tuple[str, int | None], list[int]] = {}
            rows = client._session.rows(
                "list_judgments",
                """
                select external_id, chunk_index, judge, grade
                from braid.list_judgments(query_set => %(query_set)s::text, query_id => %(query_id)s::text)
                """,
                query_set=query_set,
                query_id=result.query_id,
            )
            for external_id, chunk_index, by, grade in rows:
                if grade >= 0 and judge in (None, by):
                    grades.setdefault((external_id, chunk_index), []).append(grade)
            of_query[result.query_id] = grades
        given = of_query[result.query_id].get((result.external_id, result.chunk_index))
        return sorted(given)[(len(given) - 1) // 2] if given else None

    return grade_of


def _print_preferences(found: Preferences, names: list[str], as_json: bool) -> None:
    if as_json:
        keys = ("wins", "losses", "ties", "alike", "pairs", "unusable", "failed", "graded", "agreeing", "opposed", "p")
        print_json({"configurations": names} | {key: getattr(found, key) for key in keys})
        return
    lines = [
        f"{found.pairs} pairs of {found.wins + found.losses + found.ties} queries compared; "
        f"for {found.alike} queries both found the same",
        f"preferred: {names[0]} {found.wins}, {names[1]} {found.losses}, neither {found.ties}; "
        f"p {found.p:.3f} (sign test)",
    ]
    if found.graded:
        lines.append(
            f"of {found.graded} pairs with two grades it prefers the better one in "
            f"{100 * found.agreeing / found.graded:.1f} %, the other in {100 * found.opposed / found.graded:.1f} %"
        )
    if found.unusable:
        lines.append(f"left out: {found.unusable} whose answers were none")
    if found.failed and found.last_failure is not None:
        lines.append(f"left out: {found.failed} whose requests failed, the last one so: {found.last_failure.message}")
    for line in lines:
        click.echo(clean(line))
