"""Run pgbraid learn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pgbraid.cli.options import collection_option, dsn_option, json_option, tenant_option
from pgbraid.cli.output import print_json, table

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid_tools.learning import Learned

PAGE = 100
FAILED = 1
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
OUTPUT = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.command(short_help="Learn a ranking model from judged queries.")
@click.argument("query_set")
@dsn_option
@tenant_option
@collection_option
@click.option(
    "--kind",
    type=click.Choice(["linear", "trees"]),
    default="linear",
    show_default=True,
    help="A weighted sum of features, or trees on top of that, which need pgbraid[learn].",
)
@click.option("--name", metavar="NAME", help="What --store calls the ranking model.  [default: QUERY_SET]")
@click.option("--config", type=FILE, help="JSON of a configuration of searches.")
@click.option("--judge", metavar="NAME", help="Whose judgments count. Default: the median of all.")
@click.option("--folds", type=click.IntRange(2, 20), default=5, show_default=True, help="For the gain.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same model.")
@click.option("--output", type=OUTPUT, help="Write the ranking model to this file.")
@click.option("--store", is_flag=True, help="Store it, if it gains on queries that it has not seen.")
@json_option
def learn(
    query_set: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    kind: Any,
    name: str | None,
    config: Path | None,
    judge: str | None,
    folds: int,
    seed: int,
    output: Path | None,
    store: bool,
    as_json: bool,
) -> None:
    """Learn from QUERY_SET how to weigh the features of candidates, and print the gain on held-out queries. It exits
    with 1 if --store finds no gain.

    Example: pgbraid learn support --name support --store
    """
    import pgbraid
    from pgbraid_tools.cli.eval import read_configurations
    from pgbraid_tools.learning import learn as learn_model
    from pgbraid_tools.learning import write_ranking_model

    name = query_set if name is None else name
    configuration = {"collection": collection, **read_configurations((config,) if config else ()).popitem()[1]}
    with pgbraid.connect(dsn, tenant=tenant) as client:
        with client.transaction():
            # In one snapshot, all pages see the same documents and judgments.
            client.connection.execute("set transaction isolation level repeatable read, read only")
            levels = {found["query_set"]: found["level"] for found in client.list_query_sets()}
            rows = _rows(client, query_set, configuration, judge)
        learned = learn_model(
            rows,
            kind=kind,
            mode=configuration.get("mode") or "hybrid",
            of_chunks=levels.get(query_set) == "chunk",
            folds=folds,
            seed=seed,
            source={"query_set": query_set, "judge": judge, "configuration": configuration},
        )
        if output is not None:
            write_ranking_model(learned.model, output)
        if as_json:
            print_json(learned.model)
        else:
            _print(query_set, kind, learned)
        if store and learned.gain <= 0:
            click.echo("not stored: the model gains nothing on queries that it was not trained on", err=True)
            raise SystemExit(FAILED)
        if store:
            is_new = client.store_ranking_model(name, learned.model)
            if not as_json:
                done = "stored" if is_new else "replaced"
                click.echo(f'{done}: searches rank by it with the option "ranking_model": "{name}"')


def _rows(client: Client, query_set: str, configuration: dict[str, Any], judge: str | None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    after = None
    while page := client.ranking_features(query_set, configuration, judge=judge, after=after, query_count=PAGE):
        rows += page
        after = page[-1]["query_id"]
    return rows


def _print(query_set: str, kind: str, learned: Learned) -> None:
    model = learned.model
    low, high = learned.interval
    click.echo(f"{query_set}: {learned.query_count} judged queries, {learned.taught_by} of them to learn from")
    click.echo(
        f"nDCG@10 of queries left out, in {learned.folds} folds: {learned.baseline:.4f} as it is, "
        f"{learned.learned:.4f} with the {kind} model"
    )
    click.echo(
        f"gain {learned.gain:+.4f} (95 %: {low:+.4f} to {high:+.4f}), {learned.wins} queries better, "
        f"{learned.losses} worse, {learned.ties} the same"
    )
    if low <= 0:
        click.echo("It may be chance: the interval reaches 0. More judged queries make it narrower.")
    click.echo()
    weights = zip(model["features"], model["weights"], strict=True)
    rows = [["feature", "weight"], *([feature, f"{weight:+.4g}"] for feature, weight in weights)]
    for line in table(rows, numbers=frozenset([1])):
        click.echo(line)
    if "trees" in model:
        click.echo(f"and {len(model['trees'])} trees")
