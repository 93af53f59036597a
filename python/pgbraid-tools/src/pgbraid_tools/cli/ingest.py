"""Run pgbraid ingest."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pgbraid.cli.options import collection_option, dsn_option, embedders, embedding_options, tenant_option

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid_tools.files.drafts import Fields
    from pgbraid_tools.files.ingesting import Ingestion, Options
    from pgbraid_tools.files.report import Report

FAILED = 1
INPUT = "-"
QUERY_PLACE = "query"


def _field_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options `--id-column` and its siblings. `--id-key` is the same, because JSON has keys. All take
    PATTERN=NAME."""
    kinds = {
        "id": "Becomes external_id.",
        "text": "Becomes content. May be given several times. 'faq*.xlsx=answer' holds for files of such a name.",
        "title": "Becomes title.",
        "speaker": "Becomes speaker.",
        "occurred-at": "Becomes occurred_at.",
        "category": "Becomes category.",
        "importance": "Becomes importance.",
        "language": "Becomes language.",
        "source-uri": "Becomes source_uri.",
        "metadata": "Kept as metadata. May be given several times; default: all that are left.",
    }
    for kind, text in reversed(kinds.items()):
        function = click.option(
            f"--{kind}-column",
            f"--{kind}-key",
            f"{kind.replace('-', '_')}_field",
            metavar="NAME",
            help=text,
            multiple=True,
        )(function)
    return function


def _delimiter(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    found = "\t" if value in ("tab", r"\t") else value
    if found is not None and (len(found) != 1 or found in '\r\n"'):
        raise click.BadParameter(f"{value!r} is no single character: use one such as ; or the word tab")
    return found


@click.command(short_help="Index files and folders.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, allow_dash=True, path_type=Path), metavar="PATH…")
@dsn_option
@tenant_option
@collection_option
@click.option("--create", is_flag=True, help="Create the collection, with the usual settings, if it is not there.")
@click.option(
    "--source", metavar="NAME", help="What the documents belong to. Default: the folder, as an absolute path."
)
@click.option("--prune", is_flag=True, help="Delete documents of the source whose file, or row, is gone.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--strict/--skip-bad", default=False, help="If anything fails, index nothing. Default: the rest.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Files to leave out, as in .gitignore.")
@click.option("--no-gitignore", is_flag=True, help="Read what .gitignore leaves out, too.")
@click.option("--format", "kind", metavar="KIND", help="Read all files as this kind, such as text or csv.")
@click.option(
    "--reader",
    type=click.Choice(["docling", "trafilatura"]),
    help="Read PDF, DOCX and HTML by docling, or HTML by trafilatura, each an extra of its own.",
)
@click.option("--encoding", metavar="NAME", help="Of texts. Default: what they seem to have, mostly UTF-8.")
@click.option(
    "--delimiter",
    metavar="CHARACTER",
    callback=_delimiter,
    help="What stands between the cells of CSV: a character, or tab. Default: found out.",
)
@_field_options
@click.option("--sql", metavar="QUERY", help="Index the rows of a query.")
@click.option("--from", "from_dsn", metavar="URL", help="The database of --sql, if it is another one.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    metavar="N",
    help="Connections that write at once. With --strict, one.",
)
@click.option("--verbose", "-v", is_flag=True, help="Tell of each file.")
@click.option("--no-embed", is_flag=True, help="Leave the embedding to a later run.")
@embedding_options
def ingest(
    paths: tuple[Path, ...],
    dsn: str | None,
    tenant: str,
    collection: str,
    create: bool,
    source: str | None,
    prune: bool,
    dry_run: bool,
    strict: bool,
    exclude: tuple[str, ...],
    no_gitignore: bool,
    kind: str | None,
    reader: str | None,
    encoding: str | None,
    delimiter: str | None,
    sql: str | None,
    from_dsn: str | None,
    jobs: int,
    verbose: bool,
    no_embed: bool,
    embedding_url: str | None,
    embedding_model: str | None,
    **fields: Any,
) -> None:
    """Index files, and folders with everything below them: text, Markdown, HTML, PDF, DOCX, PPTX, RTF, EPUB, notebooks,
    tables, JSON, e-mail, transcripts, source code. A path of - is standard input.

    A file's external_id is its source and its path within it, followed by a row's id. Running it again processes only
    changed files. It exits with 1 if a file failed.

    Example: pgbraid ingest notes/ papers.jsonl
    """
    import pgbraid
    from pgbraid.errors import PgbraidError
    from pgbraid_tools.cli.progress import ByteProgress, embed
    from pgbraid_tools.files.drafts import FieldRules
    from pgbraid_tools.files.ingesting import Ingestion, Options
    from pgbraid_tools.files.kinds import KINDS
    from pgbraid_tools.files.report import Report
    from pgbraid_tools.files.walking import Found, Walk, make_roots

    if not paths and sql is None:
        raise click.UsageError("Missing argument 'PATH…'.", click.get_current_context())
    if kind is not None and kind not in KINDS:
        raise click.BadParameter(f"{kind!r} is none of {', '.join(KINDS)}", param_hint="--format")
    if from_dsn and sql is None:
        raise click.UsageError("--from needs --sql", click.get_current_context())
    options = Options(
        FieldRules({name.removesuffix("_field"): given for name, given in fields.items()}),
        encoding,
        strict,
        dry_run,
        prune,
        reader,
        delimiter,
        jobs,
    )
    roots = make_roots([path for path in paths if str(path) != INPUT], source)
    walk = Walk(exclude, not no_gitignore, kind)
    found = list(walk.files(roots))
    has_input = any(str(path) == INPUT for path in paths)
    shown = ByteProgress("indexing", sum(file.size for file in found if isinstance(file, Found)))
    report = Report(shown.say, verbose or dry_run, dry_run)
    if not found and not has_input and sql is None and not prune:
        click.echo("nothing to index", err=True)
        return
    with pgbraid.connect(dsn, tenant=tenant, embedder=embedders(embedding_url, embedding_model)) as client:
        ingestion = Ingestion(
            client,
            collection,
            options,
            report,
            _chunk_tokens(client, collection, create=create and not dry_run),
            shown.update,
            lambda: pgbraid.connect(dsn, tenant=tenant),
        )
        try:
            with ingestion.open(), client.transaction() if strict else nullcontext():
                ingestion.run(roots, found, walk.unreadable)
                if has_input:
                    _ingest_input(ingestion, source, kind or "text", options)
                if sql is not None:
                    _ingest_query(ingestion, source, from_dsn or dsn, sql, options.fields.fields(QUERY_PLACE))
                if prune:
                    ingestion.prune()
        except (KeyboardInterrupt, PgbraidError):
            if not dry_run:
                shown.say(_interrupted(report, strict))
            raise
        finally:
            shown.clear()
        for pattern in options.fields.unused():
            shown.say(f"warning: no file has a name like {pattern!r}")
        for line in report.skipped_lines():
            shown.say(line)
        for line in report.lines():
            click.echo(line)
        if not no_embed and not dry_run:
            embed(client, collection)
    if report.failed:
        raise SystemExit(FAILED)


def _interrupted(report: Report, strict: bool) -> str:
    if strict:
        return "nothing was indexed"
    return f"{report.indexed} file{'' if report.indexed == 1 else 's'} indexed; run it again to go on"


def _chunk_tokens(client: Client, collection: str, *, create: bool) -> int:
    from pgbraid.errors import NotFoundError

    query = "select chunk_tokens from braid_calls.collection_spaces(%s) limit 1"
    row = client.connection.execute(query, (collection,), prepare=False).fetchone()
    if row is None and create:
        client.create_collection(collection)
        row = client.connection.execute(query, (collection,), prepare=False).fetchone()
    if row is None:
        raise NotFoundError(
            f'collection "{collection}" does not exist', hint="add --create, or see the collections with pgbraid status"
        )
    return int(row[0])


def _ingest_input(ingestion: Ingestion, source: str | None, kind: str, options: Options) -> None:
    """Ingest standard input through a temporary file, because it is read more than once."""
    from pgbraid_tools.files.drafts import Input
    from pgbraid_tools.files.sources import Source
    from pgbraid_tools.files.stored import INPUT_PATH

    name = source or "stdin"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        size = path.stat().st_size
        file = Input(
            path,
            "standard input",
            size,
            kind,
            name,
            options.fields.fields(INPUT),
            options.encoding,
            ingestion.chunk_tokens,
            options.reader,
            options.delimiter,
        )
        named = source is not None
        ingestion.add_file(Source("standard input", name, name, INPUT_PATH, size, is_named=named), file)


def _ingest_query(ingestion: Ingestion, source: str | None, dsn: str | None, query: str, fields: Fields) -> None:
    from hashlib import sha256

    from pgbraid._dsn import find_dsn
    from pgbraid_tools.files.query import query_drafts
    from pgbraid_tools.files.sources import QUERY, Source

    # Without a name, a query is identified by its text.
    path = QUERY if source else f"{QUERY}-{sha256(query.strip().encode()).hexdigest()[:8]}"
    name = source or QUERY
    rows = query_drafts(find_dsn(dsn), query, fields)
    ingestion.add_rows(Source("--sql", name, name, path, 0, is_named=source is not None), rows)
