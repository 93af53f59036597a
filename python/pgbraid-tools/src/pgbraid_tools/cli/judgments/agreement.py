"""Run pgbraid judgments agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pgbraid.cli.options import dsn_option, json_option, tenant_option
from pgbraid.cli.output import print_json
from pgbraid.display import clean

if TYPE_CHECKING:
    from pgbraid.client import Client


@click.command(short_help="Tell how far two judges agree.")
@click.argument("query_set")
@dsn_option
@tenant_option
@click.option("--judge", required=True, metavar="NAME", help="Whose grades.")
@click.option("--reference", metavar="NAME", help="With whom to compare. Default: the median of all others.")
@json_option
def agreement(query_set: str, dsn: str | None, tenant: str, judge: str, reference: str | None, as_json: bool) -> None:
    """Compare the grades of two judges of QUERY_SET: how many are equal, and Cohen's kappa. Kappa is 1 for perfect
    agreement and 0 for agreement by chance.

    Example: pgbraid judgments agreement support --judge gpt-4o --reference ana
    """
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant) as client:
        print_agreement(client, query_set, judge, reference, as_json=as_json, is_needed=True)


def print_agreement(
    client: Client, query_set: str, judge: str, reference: str | None, *, as_json: bool, is_needed: bool
) -> None:
    from pgbraid.errors import InvalidArgumentError

    try:
        found = client.judge_agreement(query_set, judge, reference)
    except InvalidArgumentError:
        # Without grades of either judge, there is nothing to compare.
        if is_needed:
            raise
        return
    if as_json:
        print_json(found)
        return
    others = f'judge "{reference}"' if reference else "the median of the others"
    click.echo(clean(f"graded by both, {judge} and {others}: {found['judged_by_both']}"))
    if found["judged_by_both"]:
        for name, equal, kappas in (
            ("grades", "equal", [("kappa", "kappa"), ("weighted kappa", "weighted_kappa")]),
            ("relevant or not", "relevant_equal", [("kappa", "relevant_kappa")]),
        ):
            said = [f"{said} {'–' if found[key] is None else format(found[key], '.3f')}" for said, key in kappas]
            click.echo(f"{name}: {100 * found[equal]:.1f} % equal, {', '.join(said)}")
