"""Run pgbraid judgments ask."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pgbraid.cli.options import collection_option, dsn_option, tenant_option
from pgbraid.display import clean
from pgbraid_tools.cli.eval import FILE, read_configurations
from pgbraid_tools.cli.judgments.agreement import print_agreement
from pgbraid_tools.cli.judgments.chat import DEPTH, UNANSWERED, chat_judge, chat_options

if TYPE_CHECKING:
    from pgbraid_tools.evaluation.model_judge import Asked


@click.command(short_help="Have a language model grade what searches find.")
@click.argument("query_set")
@dsn_option
@tenant_option
@collection_option
@click.option("--config", "files", type=FILE, multiple=True, help="JSON of a configuration whose results are graded.")
@click.option("--depth", type=DEPTH, default=10, show_default=True, metavar="N", help="How many results of each.")
@chat_options
@click.option("--judge", metavar="NAME", help="The judge's name. Default: the model's.")
@click.option("--reference", metavar="NAME", help="With whom to compare. Default: the median of all others.")
def ask(
    query_set: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    files: tuple[Path, ...],
    depth: int,
    chat_model: str,
    chat_url: str | None,
    chat_options: str | None,
    judge: str | None,
    reference: str | None,
    concurrency: int,
) -> None:
    """Show the first results of each configuration for the queries of QUERY_SET to a language model, each once. Store
    its grades from 0 to 3 under a judge of the model's name, and print how far it agrees with other judges.

    Each grade is stored at once. Results that this judge has graded are not asked again. The key is in OPENAI_API_KEY.
    The exit code is 1 if a result is left without a grade.

    Example: pgbraid judgments ask support --config now.json --chat-model gpt-4o
    """
    import pgbraid
    from pgbraid_tools.cli.progress import progress
    from pgbraid_tools.evaluation.judging import pooled_results, query_count
    from pgbraid_tools.evaluation.model_judge import ModelJudge, ask_model

    configurations = [{"collection": collection, **given} for given in read_configurations(files).values()]
    model = chat_judge(ModelJudge, chat_model, chat_url, chat_options)
    judge = judge or chat_model
    with pgbraid.connect(dsn, tenant=tenant) as client:
        count = query_count(client, query_set)
        results = pooled_results(client, query_set, configurations, depth=depth, judge=judge, seed=0)
        with progress("queries", count) as show:
            asked = ask_model(
                client,
                query_set,
                results,
                model,
                judge,
                concurrency=concurrency,
                progress=lambda result: show(result.query_number),
            )
        _print_asked(asked)
        print_agreement(client, query_set, judge, reference, as_json=False, is_needed=reference is not None)
    if asked.unusable or asked.failed:
        raise SystemExit(UNANSWERED)


def _print_asked(asked: Asked) -> None:
    click.echo(f"{asked.graded} graded")
    if asked.unusable:
        click.echo(f"left ungraded: {asked.unusable} whose answers had no grade from 0 to 3")
    if asked.failed and asked.last_failure is not None:
        said = f"left ungraded: {asked.failed} whose requests failed, the last one so: {asked.last_failure.message}"
        click.echo(clean(said))
