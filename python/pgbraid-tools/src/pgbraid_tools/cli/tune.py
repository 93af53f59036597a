"""Run pgbraid tune and pgbraid rankings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pgbraid.cli.options import collection_option, dsn_option, json_option, tenant_option
from pgbraid.cli.output import print_json, table

if TYPE_CHECKING:
    from pgbraid.client import Client

FAILED = 1
MOST_CONFIGURATIONS = 500
SHOWN = 10
# The choice does not look at these keys of an evaluation.
UNUSED = ("counts", "warnings", "latency", "level")
# A version keeps these facts of a tuning; the rest is the ranking.
KEPT = ("query_set", "judge", "metric", "query_count", "fold_count", "seed", "held_out")
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OUTPUT = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.command(short_help="Choose settings of the ranking by judged queries.")
@click.argument("query_set")
@dsn_option
@tenant_option
@collection_option
@click.option("--space", type=FILE, help='JSON of what to try, such as {"k1": [0.9, 1.2]}. Default: a usual one.')
@click.option(
    "--budget",
    type=click.IntRange(2, MOST_CONFIGURATIONS),
    default=50,
    show_default=True,
    help="How many configurations to evaluate, the present one among them.",
)
@click.option("--config", type=FILE, help="JSON of a configuration of searches.")
@click.option("--metric", default="ndcg@10", show_default=True, metavar="NAME", help="What to choose by.")
@click.option("--judge", metavar="NAME", help="Whose judgments count. Default: the median of all.")
@click.option("--folds", type=click.IntRange(2, 5), default=5, show_default=True, help="For the gain.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed tries and chooses the same.")
@click.option("--output", type=OUTPUT, help="Write the ranking to this file, for pgbraid rankings apply.")
@click.option("--apply", "is_applied", is_flag=True, help="Let the collection rank so, if it surely gains.")
@click.option("--reason", metavar="TEXT", help="With --apply: why, for others.  [default: the gain]")
@json_option
def tune(
    query_set: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    space: Path | None,
    budget: int,
    config: Path | None,
    metric: str,
    judge: str | None,
    folds: int,
    seed: int,
    output: Path | None,
    is_applied: bool,
    reason: str | None,
    as_json: bool,
) -> None:
    """Run a search for each judged query of QUERY_SET by other settings of the ranking. Print the best settings, and
    their gain on queries that did not choose them. Exit with 1 if --apply finds that the gain may be chance, or needs
    options that only a search can set.

    Example: pgbraid tune support --budget 100 --apply
    """
    import pgbraid
    from pgbraid_tools.cli.eval import read_configurations

    if reason is not None and not is_applied:
        raise click.UsageError("--reason is for --apply")
    given = {"collection": collection, **read_configurations((config,) if config else ()).popitem()[1]}
    with pgbraid.connect(dsn, tenant=tenant) as client:
        with client.transaction():
            # In one snapshot, all configurations see the same documents and judgments.
            client.connection.execute("set transaction isolation level repeatable read, read only")
            plan = client.plan_tuning(
                query_set, None if space is None else _read(space, "--space"), budget, given, judge=judge, seed=seed
            )
            evaluations = _evaluate(client, query_set, plan, metric, judge)
            tuned = client.choose_configuration(evaluations, metric, fold_count=folds, seed=seed)
        present = evaluations[0]["configuration"]["options"]["ranking"]
        tuned |= {"budget": budget, "combination_count": plan[0]["combination_count"]}
        if output is not None:
            output.write_text(json.dumps(tuned["chosen"]["ranking"], indent=2) + "\n", encoding="utf-8")
            if tuned["chosen"]["search_arguments"]:
                click.echo(f"{output} does not hold everything that was measured: {_asked(tuned)}", err=True)
        if as_json:
            print_json(tuned)
        else:
            _print(tuned, present)
        if is_applied:
            _apply(client, str(given["collection"]), tuned, present, reason, as_json)


def _read(file: Path, option: str) -> Any:
    try:
        found = json.loads(file.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise click.BadParameter(f"{file} is not JSON: {error}", param_hint=option) from error
    if not isinstance(found, dict):
        raise click.BadParameter(f"{file} is no JSON object", param_hint=option)
    return found


def _evaluate(
    client: Client, query_set: str, plan: list[dict[str, Any]], metric: str, judge: str | None
) -> list[dict[str, Any]]:
    from pgbraid_tools.cli.progress import progress

    evaluations = []
    with progress("configurations", len(plan)) as done:
        for place, row in enumerate(plan, 1):
            evaluation = client.evaluate(query_set, row["candidate"], [metric], judge=judge)
            queries = [
                {key: query[key] for key in ("query_id", "relevant", "metrics")} for query in evaluation["queries"]
            ]
            evaluations.append({**{k: v for k, v in evaluation.items() if k not in UNUSED}, "queries": queries})
            done(place)
    return evaluations


def _print(tuned: dict[str, Any], present: dict[str, Any]) -> None:
    held_out, chosen = tuned["held_out"], tuned["chosen"]
    low, high = held_out["interval"]
    click.echo(
        f"{tuned['query_set']}: {tuned['query_count']} judged queries, "
        f"{len(tuned['tried'])} of {tuned['combination_count']} combinations tried"
    )
    click.echo(
        f"{tuned['metric']} of queries that did not choose, in {tuned['fold_count']} folds: "
        f"{held_out['baseline']:.4f} as it is, {held_out['chosen']:.4f} tuned"
    )
    click.echo(
        f"gain {held_out['gain']:+.4f} (95 %: {low:+.4f} to {high:+.4f}), {held_out['wins']} queries better, "
        f"{held_out['losses']} worse, {held_out['ties']} the same"
    )
    if needed := held_out["query_count_needed"]:
        click.echo(f"It may be chance: the interval reaches 0. About {needed} judged queries would tell.")
    click.echo()
    if chosen["place"] == 1:
        click.echo("no ranking that was tried is better than the present one")
    else:
        rows = [["setting", "now", "chosen"]]
        rows += [[key, _shown(present.get(key)), _shown(value)] for key, value in chosen["changes"].items()]
        for line in table(rows):
            click.echo(line)
        if chosen["search_arguments"]:
            click.echo(_asked(tuned))
    click.echo()
    best = sorted(tuned["tried"], key=lambda tried: (-tried["mean"], tried["place"]))[:SHOWN]
    rows = [[tuned["metric"], "on all queries, which flatters the best"]]
    rows += [
        [f"{tried['mean']:.4f}", json.dumps(tried["changes"]) if tried["changes"] else "as it is"] for tried in best
    ]
    for line in table(rows, numbers=frozenset([0])):
        click.echo(line)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _asked(tuned: dict[str, Any]) -> str:
    return f"each search must give {json.dumps(tuned['chosen']['search_arguments'])}"


def _apply(
    client: Client,
    collection: str,
    tuned: dict[str, Any],
    present: dict[str, Any],
    reason: str | None,
    as_json: bool,
) -> None:
    held_out = tuned["held_out"]
    low, high = held_out["interval"]
    if low <= 0 or tuned["chosen"]["place"] == 1:
        click.echo("not applied: the gain on held-out queries may be chance", err=True)
        raise SystemExit(FAILED)
    if tuned["chosen"]["search_arguments"]:
        click.echo(f"not applied: the ranking alone does not bring this gain, {_asked(tuned)}", err=True)
        raise SystemExit(FAILED)
    if reason is None:
        gain = f"{held_out['gain']:+.4f} (95 %: {low:+.4f} to {high:+.4f})"
        reason = f"tuned on {tuned['query_set']}: {tuned['metric']} {gain}"[:1000]
    version = client.set_ranking(
        collection,
        tuned["chosen"]["ranking"],
        reason,
        evaluation={key: tuned[key] for key in KEPT},
        # Without it, changes that others made meanwhile would be undone, and the gain would not be over the present
        # ranking.
        expected_ranking=present,
    )
    if not as_json:
        click.echo(f"applied: version {version} of the ranking of {collection}")


@click.group(short_help="List, apply and restore versions of a collection's ranking.")
def rankings() -> None:
    """List and change versions of a collection's ranking. Only administrators may change it."""


@rankings.command("list", short_help="List the versions.")
@dsn_option
@collection_option
@json_option
def list_rankings(dsn: str | None, collection: str, as_json: bool) -> None:
    """List the versions of the collection's ranking, newest first: who changed what, when and why."""
    import pgbraid

    with pgbraid.connect(dsn) as client:
        found = client.list_rankings(collection)
    if as_json:
        print_json(found)
        return
    rows = [["version", "when", "who", "changes", "why"]]
    for version in found:
        changes = ", ".join(f"{key} {_shown(old)} → {_shown(new)}" for key, (old, new) in version["changes"].items())
        why = version["reason"] or ""
        if version["restored_version"] is not None:
            why = f"restores {version['restored_version']}{': ' if why else ''}{why}"
        rows.append(
            [
                f"{version['version']}{' *' if version['is_current'] else ''}",
                (version["changed_at"] or "")[:19].replace("T", " "),
                version["role"] or version["login"] or "",
                changes,
                why,
            ]
        )
    for line in table(rows):
        click.echo(line)


@rankings.command("apply", short_help="Let a collection rank otherwise.")
@click.argument("file", type=FILE)
@click.option("--reason", required=True, metavar="TEXT", help="Why, for others.")
@dsn_option
@collection_option
def set_ranking(file: Path, reason: str, dsn: str | None, collection: str) -> None:
    """Let the collection rank by the settings in FILE, such as {"k1": 0.9}; other settings stay.

    Example: pgbraid rankings apply ranking.json --reason "titles say more"
    """
    import pgbraid

    ranking = _read(file, "FILE")
    with pgbraid.connect(dsn) as client:
        click.echo(f"version {client.set_ranking(collection, ranking, reason)}")


@rankings.command("restore", short_help="Let a collection rank as in a version.")
@click.argument("version", type=click.IntRange(1, 2**31 - 1))
@click.option("--reason", metavar="TEXT", help="Why, for others.")
@dsn_option
@collection_option
def restore_ranking(version: int, reason: str | None, dsn: str | None, collection: str) -> None:
    """Let the collection rank as in VERSION. This makes a new version, so it can be undone as well.

    Example: pgbraid rankings restore 3
    """
    import pgbraid

    with pgbraid.connect(dsn) as client:
        click.echo(f"version {client.restore_ranking(collection, version, reason)}")
