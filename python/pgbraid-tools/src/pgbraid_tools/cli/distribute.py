"""Run pgbraid distribute, pgbraid move-tenant and pgbraid rebalance."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from pgbraid.cli.options import dsn_option, json_option


@click.command(short_help="Spread tenants over a Citus cluster.")
@dsn_option
@click.option("--dry-run", is_flag=True, help="Only check, and print what would be done.")
@click.option(
    "--shards", type=click.IntRange(2, 256), metavar="N", help="Into how many parts.  [default: 4 for each worker]"
)
@click.option("--no-check", is_flag=True, help="Count rows afterwards, but do not check each tenant's index.")
@click.option("--gather", is_flag=True, help="Undo it: bring all tenants back to the coordinator.")
@json_option
def distribute(dsn: str | None, dry_run: bool, shards: int | None, no_check: bool, gather: bool, as_json: bool) -> None:
    """Spread the tenants of a database over the workers of a Citus cluster. The DSN is the coordinator's, as a
    superuser.

    Calls wait while rows are moved. Rows are counted before and after, and each tenant's index is checked. After an
    interruption, run it again: finished steps stay done. Run it again, too, after `pgbraid upgrade`, after new roles,
    and after others have moved shards: it brings the nodes up to date. See docs/guide/citus.md.
    """
    from pgbraid._dsn import find_dsn
    from pgbraid_tools import cluster

    if gather:
        if dry_run:
            raise click.UsageError("--gather has no --dry-run")
        counts = cluster.gather(find_dsn(dsn), notify=lambda line: click.echo(line, err=as_json))
        told = f"{counts['documents']} documents, {counts['chunks']} chunks are on the coordinator"
        click.echo(json.dumps({"rows_after": counts}, indent=2) if as_json else told)
        return
    report = cluster.distribute(
        find_dsn(dsn),
        shard_count=shards,
        dry_run=dry_run,
        check=not no_check,
        notify=lambda line: click.echo(line, err=as_json),
    )
    if as_json:
        click.echo(json.dumps(asdict(report), indent=2))
    elif dry_run:
        click.echo("nothing was done (--dry-run)")
    else:
        for node, count in report.tenants.items():
            click.echo(f"{node}: {count} tenants")
        rows = report.rows_after
        checked = "not checked" if no_check else "right"
        click.echo(f"{rows['documents']} documents, {rows['chunks']} chunks; indexes {checked}")


@click.command("move-tenant", short_help="Move a tenant to another node of a Citus cluster.")
@dsn_option
@json_option
@click.argument("tenant")
@click.argument("node", metavar="HOST:PORT")
def move_tenant(dsn: str | None, as_json: bool, tenant: str, node: str) -> None:
    """Move a tenant to the node HOST:PORT, with the tenants that share its shard. The DSN is the coordinator's, as a
    superuser.

    Searches go on; writes wait until the move ends, and are then refused with the name of the new node, which the
    Python client follows. Vectors are found by scans until `pgbraid maintain` has made their index on the new node. If
    it was interrupted, run it again.
    """
    from pgbraid._dsn import find_dsn
    from pgbraid_tools.cluster import move_tenant as run

    report = run(find_dsn(dsn), tenant, node, notify=lambda line: click.echo(line, err=as_json))
    if as_json:
        click.echo(json.dumps(asdict(report), indent=2))
    elif report.source == report.target:
        click.echo(f"{tenant} is on {node}")
    else:
        click.echo(f"{', '.join(report.tenants)} moved from {report.source} to {report.target}")


@click.command(short_help="Even out the nodes of a Citus cluster.")
@dsn_option
@click.option("--drain", metavar="HOST:PORT", help="Instead move all shards of this node to the others.")
@click.option("--dry-run", is_flag=True, help="Only print what would be moved.")
@json_option
def rebalance(dsn: str | None, drain: str | None, dry_run: bool, as_json: bool) -> None:
    """Move shards, one after the other, until nodes have about the same number of bytes, as Citus' rebalancer would
    choose the shards. The DSN is the coordinator's, as a superuser.

    Searches and writes go on as for `pgbraid move-tenant`. --drain empties a node, which can be removed then.
    """
    from pgbraid._dsn import find_dsn
    from pgbraid_tools.cluster import rebalance as run

    moves = run(find_dsn(dsn), drain=drain, dry_run=dry_run, notify=lambda line: click.echo(line, err=as_json))
    if as_json:
        click.echo(json.dumps([asdict(move) for move in moves], indent=2))
        return
    for move in moves:
        told = ", ".join(move.tenants) or "a shard without tenants"
        click.echo(f"{told}: from {move.source} to {move.target}")
    click.echo(f"{len(moves)} shards {'would move (--dry-run)' if dry_run else 'moved'}")
