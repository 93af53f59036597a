"""Run pgbraid judgments load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pgbraid.cli.options import collection_option, dsn_option, embedders, embedding_options, tenant_option
from pgbraid_tools.cli.eval import FILE
from pgbraid_tools.cli.judgments.queries import BATCH, embed, keep_what_is_there


@click.command(short_help="Load a BEIR folder or TREC's files into a query set.")
@click.argument("query_set")
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@dsn_option
@tenant_option
@collection_option
@click.option("--split", default="test", show_default=True, metavar="NAME", help="Of a folder: qrels/NAME.tsv.")
@click.option("--qrels", type=FILE, help="Instead of a folder: lines of query, 0, document and grade.")
@click.option("--topics", type=FILE, help="The queries of --qrels: TREC's topics, or lines of an id, a tab and a text.")
@click.option("--judge", default="default", show_default=True, metavar="NAME", help="Whose judgments they are.")
@click.option("--no-embed", is_flag=True, help="Without embeddings: for evaluations of full text alone.")
@embedding_options
def load(
    query_set: str,
    folder: Path | None,
    dsn: str | None,
    tenant: str,
    collection: str,
    split: str,
    qrels: Path | None,
    topics: Path | None,
    judge: str,
    no_embed: bool,
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Load judged queries into QUERY_SET, which is created if it does not exist: from FOLDER, a BEIR data set, or from
    --qrels and --topics. Queries are embedded by the model of --collection. All or nothing is stored.

    Example: pgbraid judgments load scifact data/scifact --collection papers
    """
    import pgbraid
    from pgbraid_tools.evaluation.judgment_files import read_beir, read_trec

    if folder is not None and qrels is None and topics is None:
        read = read_beir(folder, split)
    elif folder is None and qrels is not None and topics is not None:
        read = read_trec(qrels, topics)
    else:
        raise click.UsageError("give a folder, or --qrels and --topics", click.get_current_context())
    if not read.texts:
        raise click.ClickException("no query has both a text and judgments")
    with pgbraid.connect(dsn, tenant=tenant, embedder=embedders(embedding_url, embedding_model)) as client:
        queries: list[dict[str, Any]] = [{"query_id": query, "text": text} for query, text in read.texts.items()]
        if not no_embed:
            embed(client, queries, collection)
        made = [
            {"query_id": query, "external_id": document, "grade": grade, "judge": judge}
            for query, grades in read.grades.items()
            for document, grade in grades.items()
        ]
        counts: dict[str, int] = {}
        with client.transaction():
            keep_what_is_there(client, query_set, queries)
            for start in range(0, len(queries), BATCH):
                client.store_queries(query_set, queries[start : start + BATCH], collection=collection)
            for start in range(0, len(made), 20 * BATCH):
                for name, count in client.store_judgments(query_set, made[start : start + 20 * BATCH]).items():
                    counts[name] = counts.get(name, 0) + count
    done = [f"{count} judgments {name}" for name, count in counts.items() if count]
    click.echo(", ".join([f"{len(queries)} queries", *done]))
    if read.unjudged:
        click.echo(f"left out: {read.unjudged} queries without judgments")
    if read.unknown:
        click.echo(f"left out: the judgments of {read.unknown} queries whose text is not there")
