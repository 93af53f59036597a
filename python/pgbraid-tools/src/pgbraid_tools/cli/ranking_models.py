"""Run pgbraid ranking-models."""

from __future__ import annotations

from pathlib import Path

import click

from pgbraid.cli.options import dsn_option, json_option, tenant_option
from pgbraid.cli.output import print_json, table

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group("ranking-models", short_help="List, store and drop models that searches rank by.")
def ranking_models() -> None:
    """List, store and drop the tenant's ranking models, which `pgbraid learn` makes."""


@ranking_models.command("list", short_help="List the models.")
@dsn_option
@tenant_option
@json_option
def list_ranking_models(dsn: str | None, tenant: str, as_json: bool) -> None:
    """List the tenant's ranking models, with the gain that each had when it was learned."""
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant) as client:
        found = client.list_ranking_models()
    if as_json:
        print_json(found)
        return
    rows = [["name", "mode", "features", "trees", "gain", "collections"]]
    for model in found:
        gain = (model["learned"] or {}).get("gain")
        rows.append(
            [
                model["name"],
                model["mode"],
                str(len(model["features"])),
                str(model["tree_count"]),
                f"{gain:+.4f}" if isinstance(gain, int | float) else "",
                ", ".join(model["collections"]),
            ]
        )
    for line in table(rows, numbers=frozenset([2, 3, 4])):
        click.echo(line)


@ranking_models.command("store", short_help="Store a model from a file.")
@click.argument("name")
@click.argument("file", type=FILE)
@dsn_option
@tenant_option
def store_ranking_model(name: str, file: Path, dsn: str | None, tenant: str) -> None:
    """Store the model that `pgbraid learn --output FILE` wrote as NAME. A changed file is refused.

    Example: pgbraid ranking-models store support model.json
    """
    import pgbraid
    from pgbraid_tools.learning import read_ranking_model

    model = read_ranking_model(file)
    with pgbraid.connect(dsn, tenant=tenant) as client:
        click.echo("stored" if client.store_ranking_model(name, model) else "replaced")


@ranking_models.command("drop", short_help="Drop a model.")
@click.argument("name")
@dsn_option
@tenant_option
def drop_ranking_model(name: str, dsn: str | None, tenant: str) -> None:
    """Drop the model NAME. Searches that name it fail; collections that name it rank without it."""
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant) as client:
        if not client.drop_ranking_model(name):
            raise click.ClickException(f'there is no ranking model "{name}"')
    click.echo("dropped")
