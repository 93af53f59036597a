"""pgbraid ingest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pgbraid.cli.options import collection_option, dsn_option, tenant_option

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid.ingestion.files import Item
    from pgbraid.stored import WriteSummary

BATCH = 500
BATCH_BYTES = 4_000_000


@click.command(short_help="Index files and folders.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATH…")
@dsn_option
@tenant_option
@collection_option
@click.option("--strict/--skip-bad", default=True, help="Bad file or line: index nothing (default), or leave it out.")
@click.option("--no-embed", is_flag=True, help="Leave the embedding to a later run.")
def ingest(
    paths: tuple[Path, ...], dsn: str | None, tenant: str, collection: str, strict: bool, no_embed: bool
) -> None:
    """Index files: folders recursively, .md and .txt as one document each, .jsonl as one document a line.

    A file's external_id is its path below the folder given; a line has the keys of `add_documents`.
    Running it again costs only what has changed.

    Example: pgbraid ingest notes/ papers.jsonl
    """
    import pgbraid
    from pgbraid.cli.progress import embed, progress
    from pgbraid.ingestion.files import find_files, read_files

    files = find_files(paths)
    total = bad = 0
    for item in read_files(files):
        if item.error is None:
            total += 1
        elif strict:
            raise item.error
        else:
            bad += 1
            click.echo(f"skipped: {item.error.message}", err=True)
    if not total:
        click.echo("nothing to index", err=True)
        return
    with pgbraid.connect(dsn, tenant=tenant) as client:
        good = (item for item in read_files(files) if item.error is None or strict)
        with progress("indexing documents", total) as done:
            if strict:
                with client.transaction():
                    summary = client.add_documents(_documents(good), collection=collection, progress=done)
            else:
                summary, refused = _add_good(client, good, collection, done)
                bad += refused
        click.echo(f"{summary}" + (f"; {bad} skipped" if bad else ""))
        if not no_embed:
            embed(client, collection)


def _documents(items: Iterable[Item]) -> Iterator[dict[str, object]]:
    for item in items:
        if item.error is not None:
            raise item.error
        assert item.document is not None
        yield item.document


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Bounded by number and size, as those of add_documents."""
    batch: list[Item] = []
    size = 0
    for item in items:
        more = len(str((item.document or {}).get("content") or ""))
        if batch and (len(batch) == BATCH or size + more > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += more
    if batch:
        yield batch


def _add_good(
    client: Client, items: Iterator[Item], collection: str, done: Callable[[int], None]
) -> tuple[WriteSummary, int]:
    """Batch by batch; a batch that the database refuses goes document by document, without those refused."""
    from pgbraid.errors import InvalidArgumentError
    from pgbraid.stored import WriteSummary

    summary, refused = WriteSummary(), 0
    for batch in _batches(items):
        try:
            summary += client.add_documents(_documents(batch), collection=collection)
        except InvalidArgumentError:
            for item in batch:
                try:
                    summary += client.add_documents(_documents([item]), collection=collection)
                except InvalidArgumentError as error:
                    refused += 1
                    place = f"{item.file}:{item.line}" if item.line else f"{item.file}"
                    click.echo(f"skipped: {place}: {error.message}", err=True)
        done(summary.documents + refused)
    return summary, refused
