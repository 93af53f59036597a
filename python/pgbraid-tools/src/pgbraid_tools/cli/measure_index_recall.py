"""Run pgbraid measure-index-recall."""

from __future__ import annotations

from typing import Any

import click

from pgbraid.cli.options import collection_option, dsn_option, json_option, tenant_option
from pgbraid.cli.output import print_json, table

WIDTHS = ("ef_search_fused", "ef_search", "ef_search_100")
FAR = ("far_distance", "far_ef_search")


@click.command("measure-index-recall", short_help="What the vector index finds of what an exact search finds.")
@dsn_option
@tenant_option
@collection_option
@click.option(
    "--queries",
    "query_count",
    type=click.IntRange(10, 1000),
    default=100,
    show_default=True,
    metavar="N",
    help="How many queries to ask; with --set at least 30.",
)
@click.option("--set", "is_set", is_flag=True, help="Have searches use the ef_search suggested.")
@json_option
def measure_index_recall(
    dsn: str | None, tenant: str, collection: str, query_count: int, is_set: bool, as_json: bool
) -> None:
    """Search a collection's vector index for the tenant's own queries, at growing ef_search, and compare with a scan.

    It takes as long as the same number of exact searches. The tenant's own queries are the queries whose vectors are
    stored, and the queries of query sets. If there are fewer than 30, moved copies of stored vectors are added.
    """
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant) as client:
        measured = client.measure_index_recall(collection, query_count=query_count, set_ef_search=is_set)
    if as_json:
        print_json(measured)
    elif not measured["indexes"]:
        click.echo(f"{collection}: no vector index: all vectors are compared, and searches are exact")
    else:
        click.echo("\n\n".join("\n".join(_lines(index)) for index in measured["indexes"]))


def _lines(index: dict[str, Any]) -> list[str]:
    named = f"shard {index['shard']}, {index['embedding_model']}, {index['vectors']:,} vectors"
    if not index["is_indexed"]:
        return [f"{named}: the index is missing, and searches are exact. Call rebuild_vector_index."]
    asked = index["queries"]
    rows = [["ef_search", "index recall@10", "", "index recall@100", "", ""]]
    for width in index["widths"]:
        uses = ", ".join(name for name in WIDTHS if index[name] == width["ef_search"])
        is_suggested = any(index[f"suggested_{name}"] == width["ef_search"] for name in WIDTHS)
        rows.append(
            [
                str(width["ef_search"]),
                *_measured(width["index_recall_10"], width["error_10"]),
                *_measured(width["index_recall_100"], width["error_100"]),
                f"{f'<- {uses}' if uses else ''}{' (suggested)' if is_suggested else ''}".strip(),
            ]
        )
    return [
        f"{named}; asked: {asked['stored']} stored queries, {asked['query_sets']} of query sets, {asked['sample']} made"
        " of stored vectors",
        *table(rows, numbers=frozenset(range(5))),
        _verdict(index),
    ]


def _measured(mean: float, error: float) -> list[str]:
    return [f"{mean:.4f}", f"± {error:.4f}"]


def _verdict(index: dict[str, Any]) -> str:
    best, best_100 = index["suggested_ef_search"], index["suggested_ef_search_100"]
    if best is None:
        said = "the index does not find 97 % at any width: searches should stay exact"
    else:
        said = (
            f"suggested: ef_search {best} for the 10 nearest, {best_100} for the 100 nearest,"
            f" {index['suggested_ef_search_fused']} beside full text"
        )
        if (distance := index["suggested_far_distance"]) is not None:
            width = index["suggested_far_ef_search"]
            again = "compared with all vectors" if width is None else f"searched again at {width}"
            said += f"; answers farther than {distance:.4g} are {again}"
    if index["is_set"]:
        return f"{said}; set"
    if all(index[name] == index[f"suggested_{name}"] for name in (*WIDTHS, *FAR)):
        return f"{said}, as it is"
    return f"{said}; --set makes it so"
