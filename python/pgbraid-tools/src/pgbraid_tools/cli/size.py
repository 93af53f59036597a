"""Run pgbraid size."""

from __future__ import annotations

from typing import Any

import click

from pgbraid.cli.options import json_option
from pgbraid.cli.output import print_json, table

UNITS = {"MB": 2**20, "GB": 2**30, "TB": 2**40}


class _Bytes(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        number, unit = str(value)[:-2], str(value)[-2:].upper()
        try:
            found = float(number) * UNITS[unit]
        except (KeyError, ValueError):
            self.fail(f"{value!r} is no size: give a number and MB, GB or TB, such as 64GB", param, ctx)
        if not 2**20 <= found <= 2**60:
            self.fail(f"{value!r} is not between 1MB and 1048576TB", param, ctx)
        return int(found)


class _Rate(click.FloatRange):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if number != number:
            self.fail(f"{value!r} is no number", param, ctx)
        return number


@click.command(short_help="How much disk, memory and CPU so many chunks take.")
@click.option("--chunks", type=click.IntRange(1, 10**13), required=True, metavar="N", help="How many, of all tenants.")
@click.option(
    "--dimensions", type=click.IntRange(1, 16_000), default=384, show_default=True, metavar="N", help="Of a vector."
)
@click.option(
    "--storage",
    type=click.Choice(["vector", "halfvec", "binary"]),
    help="The collection's vector_storage.  [default: the most exact that an index can take]",
)
@click.option(
    "--words", type=click.IntRange(1, 10_000), default=150, show_default=True, metavar="N", help="Of a chunk."
)
@click.option("--tenants", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="How many tenants.")
@click.option(
    "--largest",
    type=click.IntRange(1),
    metavar="N",
    help="How many chunks the largest tenant has.  [default: the mean]",
)
@click.option(
    "--qps",
    type=_Rate(0, 10**9),
    default=1.0,
    show_default=True,
    metavar="N",
    help="Hybrid searches a second, at the busiest time.",
)
@click.option(
    "--writes",
    type=_Rate(0, 10**9),
    default=0.0,
    show_default=True,
    metavar="N",
    help="Chunks written a second, at the busiest time.",
)
@click.option(
    "--cpus", type=click.IntRange(1, 4096), default=16, show_default=True, metavar="N", help="Processors of a node."
)
@click.option("--memory", type=_Bytes(), default="64GB", show_default=True, help="Memory of a node.")
@click.option("--disk", type=_Bytes(), default="2TB", show_default=True, help="Disk of a node.")
@json_option
def size(
    chunks: int,
    dimensions: int,
    storage: str | None,
    words: int,
    tenants: int,
    largest: int | None,
    qps: float,
    writes: float,
    cpus: int,
    memory: int,
    disk: int,
    as_json: bool,
) -> None:
    """Estimate disk, memory and CPU of a number of chunks, and the number of nodes of a given size. No database is
    used.

    Example: pgbraid size --chunks 100000000 --dimensions 384 --tenants 1000 --qps 100
    """
    from pgbraid_tools.sizing import Demand, Node, estimate

    demand = Demand(chunks, dimensions, storage, words, tenants, largest, qps, writes)
    estimated = estimate(demand, Node(cpus, memory, disk))
    if as_json:
        print_json(estimated)
    else:
        click.echo("\n".join(_lines(estimated)))


def _lines(estimated: dict[str, Any]) -> list[str]:
    demand, node, ms, by = (estimated[key] for key in ("demand", "node", "cpu_ms", "nodes_by"))
    a_chunk = estimated["bytes_a_chunk"]
    all_bytes = estimated["bytes_a_chunk_in_all"]
    parts = [[name, f"{count:,}", f"{count / all_bytes:.0%}"] for name, count in a_chunk.items()]
    tables = ""
    if estimated["vector_shards"]:
        tables = f"{_count(estimated['vector_shards'], 'table')} of vectors"
        tables = f", with {tables}" if estimated["primaries"] == 1 else f", with up to {tables} in each"
    lines = [
        f"{demand['chunks']:,} chunks of {demand['words']:,} words, vectors of {demand['dimensions']:,} dimensions as"
        f" {demand['storage']}; tenants: {demand['tenants']:,}, the largest of {demand['largest']:,} chunks",
        "",
        *table([["table", "bytes a chunk", ""], *parts, ["all", f"{all_bytes:,}", ""]], numbers=frozenset((1, 2))),
        "",
        f"on disk        {_bytes(estimated['bytes_on_disk'])}, a sixth of it for dead rows and half-empty pages",
        f"in memory      {_bytes(estimated['bytes_searches_read'])}, what searches read: the indexes, not the texts",
        f"a search       {ms['search']:.1f} ms of CPU, hybrid, in the largest tenant, all of it in memory",
        f"a chunk        {ms['write']:.2f} ms of CPU to write, {ms['maintain']:.2f} ms to maintain,"
        f" {_bytes(estimated['wal_bytes_a_chunk'])} of write-ahead log; embedding is not counted",
        f"in all         {estimated['cpus']:,.2f} processors, by {demand['qps']:g} searches and {demand['writes']:g}"
        " chunks a second",
        "",
        f"Nodes of {node['cpus']:,} processors, {_bytes(node['memory'])} of memory and {_bytes(node['disk'])} of disk,"
        " filled to 60 %, 75 % and 70 %:",
        f"by disk {by['disk']:,}, by memory {by['memory']:,}, by writes {by['writes']:,},"
        f" by processors {by['processors']:,}"
        f" -> {_count(estimated['primaries'], 'database')}"
        + tables
        + (f", and {_count(estimated['standbys'], 'standby')} for searches" if estimated["standbys"] else ""),
    ]
    return lines + [f"note: {warning}" for warning in estimated["warnings"]]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _bytes(count: float) -> str:
    for unit, least in (("TB", 2**40), ("GB", 2**30), ("MB", 2**20), ("kB", 2**10)):
        if count >= least:
            return f"{count / least:,.1f} {unit}"
    return f"{count:.0f} bytes"
