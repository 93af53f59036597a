"""Run pgbraid jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from pgbraid.cli.options import collection_option, dsn_option, json_option, match_count_option, tenant_option
from pgbraid.cli.output import print_json, table

STATES = ["waiting", "claimed", "paused", "abandoned"]
COLUMNS = ["chunk_id", "external_id", "chunk_index", "state", "attempts", "available_at", "last_error"]


def _of_collection(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option(
            "--embedding-model",
            "model",
            metavar="NAME",
            help="The embedding model. Default: the searches' model.",
        ),
        collection_option,
        tenant_option,
        dsn_option,
    ):
        command = option(command)
    return command


def _of_chunks(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.argument("chunk_ids", metavar="[CHUNK_ID]...", nargs=-1, type=click.IntRange(1, 2**63 - 1))(
        _of_collection(command)
    )


@click.group(short_help="List chunks that wait for an embedding; retry or drop them.")
def jobs() -> None:
    """List, retry and drop the chunks of a collection that wait for their embedding. A worker abandons a text that the
    model refuses; it stays listed here until you retry or drop it."""


@jobs.command("list", short_help="List them, with the reason why they failed.")
@_of_collection
@click.option("--state", type=click.Choice(STATES), help="Only these. abandoned: no worker tries them again.")
@match_count_option("How many jobs.", 100)
@json_option
def list_jobs(
    dsn: str | None,
    tenant: str,
    collection: str,
    model: str | None,
    state: str | None,
    match_count: int,
    as_json: bool,
) -> None:
    """List chunks that wait for their embedding, with the reason of each failure."""
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant) as client:
        found = client._session.json_rows(
            "list_embedding_jobs",
            """
            with_state => %(state)s, match_count => %(match_count)s::int, collection => %(collection)s,
            embedding_model => %(model)s
            """,
            state=state,
            match_count=match_count,
            collection=collection,
            model=model,
        )
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo("none" if state is None else f"none {state}")
        return
    header = ["chunk", "document", "part", "state", "attempts", "available", "error"]
    rows = [["" if job[name] is None else str(job[name]) for name in COLUMNS] for job in found]
    for line in table([header, *rows], numbers=frozenset({0, 2, 4})):
        click.echo(line)
    if len(found) == match_count:
        click.echo(f"the first {match_count}: --match-count shows more")


@jobs.command(short_help="Let workers try them again at once.")
@_of_chunks
def retry(dsn: str | None, tenant: str, collection: str, model: str | None, chunk_ids: tuple[int, ...]) -> None:
    """Let workers retry the named chunks, or all failed chunks, at once."""
    count = _change(True, dsn, tenant, collection, model, chunk_ids)
    click.echo(f"{count} chunks wait for a worker")


@jobs.command(short_help="Leave them without an embedding.")
@_of_chunks
def drop(dsn: str | None, tenant: str, collection: str, model: str | None, chunk_ids: tuple[int, ...]) -> None:
    """Leave the named chunks, or all abandoned chunks, without an embedding. Full text finds them."""
    count = _change(False, dsn, tenant, collection, model, chunk_ids)
    click.echo(f"{count} chunks stay without an embedding")


def _change(
    is_retried: bool,
    dsn: str | None,
    tenant: str,
    collection: str,
    model: str | None,
    chunk_ids: tuple[int, ...],
) -> int:
    """Retry or drop jobs; return how many."""
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant) as client:
        change = client.retry_embedding_jobs if is_retried else client.drop_embedding_jobs
        return change(list(chunk_ids) or None, collection, embedding_model=model)
