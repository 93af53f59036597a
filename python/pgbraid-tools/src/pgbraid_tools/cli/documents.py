"""Run pgbraid list, pgbraid show and pgbraid delete."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timezone
from typing import TYPE_CHECKING

import click

from pgbraid.cli.options import collection_option, dsn_option, json_option, match_count_option, tenant_option
from pgbraid.cli.output import print_json, style, table
from pgbraid.display import clean, clean_lines
from pgbraid.long_numbers import dumps

if TYPE_CHECKING:
    from pgbraid.stored import Document

# Up to this many documents are deleted without a question.
UNASKED = 10
TITLE_WIDTH = 50


@click.command("list", short_help="List documents.")
@dsn_option
@tenant_option
@collection_option
@match_count_option("How many documents.", 100)
@click.option("--after", metavar="EXTERNAL_ID", help="Begin behind this one, which need not exist.")
@json_option
def list_documents(
    dsn: str | None, tenant: str, collection: str, match_count: int, after: str | None, as_json: bool
) -> None:
    """List the documents of a collection in the order of their external_ids.

    Example: pgbraid list -k 20 --after notes/fox.md
    """
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant) as client:
        documents = client.list_documents(collection, match_count=match_count, after=after)
    if as_json:
        print_json([asdict(document) for document in documents])
        return
    if not documents:
        click.echo("no documents", err=True)
        return
    rows = [
        (
            document.external_id,
            _short(document.title or ""),
            str(document.chunk_count),
            f"{document.updated_at.astimezone(timezone.utc):%Y-%m-%d %H:%M}",
        )
        for document in documents
    ]
    for line in table([("external_id", "title", "chunks", "updated (UTC)"), *rows], numbers=frozenset((2,))):
        click.echo(line)
    if len(documents) == match_count:
        click.echo(f"there may be more: --after {clean(documents[-1].external_id)}", err=True)


def _short(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= TITLE_WIDTH else f"{line[: TITLE_WIDTH - 1]}…"


@click.command(short_help="Show a document.")
@click.argument("external_id")
@dsn_option
@tenant_option
@collection_option
@json_option
def show(external_id: str, dsn: str | None, tenant: str, collection: str, as_json: bool) -> None:
    """Show the document EXTERNAL_ID: its fields, and its text by chunks.

    Example: pgbraid show notes/fox.md
    """
    import pgbraid
    from pgbraid.errors import NotFoundError

    with pgbraid.connect(dsn, tenant=tenant) as client:
        document = client.get_document(external_id, collection=collection)
    if document is None:
        raise NotFoundError(
            f'collection "{collection}" has no document {external_id!r}',
            hint="pgbraid list shows the documents there are; a row of a synced table may still wait for pgbraid work",
        )
    if as_json:
        print_json(asdict(document))
    else:
        click.echo(_text(document))


def _text(document: Document) -> str:
    coloured = style() or (lambda text, _: text)
    metadata = dumps(document.metadata, str, ensure_ascii=False) if document.metadata else None
    facts = {
        "external_id": document.external_id,
        "source_uri": document.source_uri,
        "occurred_at": document.occurred_at,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
        "metadata": metadata,
    }
    lines = [coloured(clean(document.title), "title")] if document.title else []
    lines += [coloured(clean(f"{name:<11} {value}"), "faint") for name, value in facts.items() if value is not None]
    for chunk in document.chunks:
        said = [chunk.speaker, chunk.category, chunk.language]
        about = "".join(f"  {part}" for part in said if part is not None)
        head = clean(f"[{chunk.chunk_index}] {chunk.token_count} tokens{about}")
        lines += ["", coloured(head, "faint"), clean_lines(chunk.content)]
    return "\n".join(lines)


@click.command(short_help="Delete documents.")
@click.argument("external_ids", nargs=-1, metavar="EXTERNAL_ID…")
@dsn_option
@tenant_option
@collection_option
@click.option("--all", "everything", is_flag=True, help="Delete all of the tenant's documents of the collection.")
@click.option("--yes", is_flag=True, help=f"Do not ask, as is done for --all and for more than {UNASKED} documents.")
def delete(
    external_ids: tuple[str, ...], dsn: str | None, tenant: str, collection: str, everything: bool, yes: bool
) -> None:
    """Delete documents with their chunks and vectors.

    Example: pgbraid delete notes/fox.md notes/tax.md
    """
    import pgbraid
    from pgbraid.errors import NotFoundError

    wanted = list(dict.fromkeys(external_ids))
    if everything == bool(wanted):
        raise click.UsageError("give external_ids or --all" + (", not both" if everything else ""))
    with pgbraid.connect(dsn, tenant=tenant) as client:
        count = client.count(collection) if everything else len(wanted)
        if not yes and (everything or count > UNASKED):
            click.confirm(f'Delete {_number(count)} of tenant "{tenant}" from collection "{collection}"?', abort=True)
        if everything:
            deleted = client.clear_collection(collection)
        else:
            deleted = client.delete_documents(wanted, collection=collection)
            if not deleted:
                raise NotFoundError(
                    f'collection "{collection}" has none of these documents',
                    hint="pgbraid list shows the documents there are",
                )
    click.echo(f"{_number(deleted)} deleted" + ("" if everything or deleted == count else f" of {count}"))


def _number(count: int) -> str:
    return f"{count} document{'' if count == 1 else 's'}"
