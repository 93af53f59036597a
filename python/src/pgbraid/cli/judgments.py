"""pgbraid judgments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from pgbraid.cli.options import (
    collection_option,
    dsn_option,
    embedders,
    embedding_options,
    json_option,
    parse_json,
    tenant_option,
)
from pgbraid.cli.output import print_json
from pgbraid.display import clean

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid.evaluation.judging import PooledResult
    from pgbraid.evaluation.model_judge import Asked
    from pgbraid.evaluation.preferences import Preferences

BATCH = 500
PAGE = 1000
UNGRADED = 1
DEPTH = click.IntRange(1, 1000)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(short_help="Load judged queries, or have a language model judge.")
def judgments() -> None:
    """Judged queries: what `pgbraid eval` measures by."""


@judgments.command(short_help="Load a BEIR folder or TREC's files into a query set.")
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
    """Load judged queries into QUERY_SET, which is created if it is not there: from FOLDER, a BEIR data set, or from
    --qrels and --topics. Queries are embedded by the model of --collection. All or nothing is stored.

    Example: pgbraid judgments load scifact data/scifact --collection papers
    """
    import pgbraid
    from pgbraid.evaluation.judgment_files import read_beir, read_trec

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
            _embed(client, queries, collection)
        made = [
            {"query_id": query, "external_id": document, "grade": grade, "judge": judge}
            for query, grades in read.grades.items()
            for document, grade in grades.items()
        ]
        counts: dict[str, int] = {}
        with client.transaction():
            _keep_what_is_there(client, query_set, queries)
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


@judgments.command(short_help="Have a language model grade what searches find.")
@click.argument("query_set")
@dsn_option
@tenant_option
@collection_option
@click.option("--config", "files", type=FILE, multiple=True, help="JSON of a configuration whose results are graded.")
@click.option("--depth", type=DEPTH, default=10, show_default=True, metavar="N", help="How many results of each.")
@click.option("--chat-model", envvar="PGBRAID_CHAT_MODEL", required=True, metavar="NAME", help="The language model.")
@click.option(
    "--chat-url", envvar="PGBRAID_CHAT_URL", metavar="URL", help="A service like OpenAI's, whose own is the default."
)
@click.option("--chat-options", metavar="JSON", help="""More fields of its requests, such as '{"temperature": 0}'.""")
@click.option("--judge", metavar="NAME", help="The judge's name. Default: the model's.")
@click.option("--reference", metavar="NAME", help="With whom to compare. Default: the median of all others.")
@click.option("--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, metavar="N", help="At a time.")
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
    """Show the first results of each configuration for the queries of QUERY_SET to a language model, each once, and
    store its grades from 0 to 3, as those of a judge of its name; then tell how far it agrees with other judges.

    Each grade is stored at once. What this judge has graded is not asked again. The key is in OPENAI_API_KEY. The exit
    code is 1 if something is left without a grade.

    Example: pgbraid judgments ask support --config now.json --chat-model gpt-4o
    """
    import pgbraid
    from pgbraid._chat import CHAT_URL
    from pgbraid.cli.eval import read_configurations
    from pgbraid.cli.progress import progress
    from pgbraid.evaluation.judging import pooled_results
    from pgbraid.evaluation.model_judge import ModelJudge, ask_model

    options = parse_json(chat_options, "--chat-options")
    if not (options is None or isinstance(options, dict)):
        raise click.BadParameter("no JSON object", param_hint="--chat-options")
    configurations = [{"collection": collection, **given} for given in read_configurations(files).values()]
    model = ModelJudge(chat_model, base_url=chat_url or CHAT_URL, **_fields(options or {}))
    judge = judge or chat_model
    with pgbraid.connect(dsn, tenant=tenant) as client:
        counts = {found["query_set"]: found["query_count"] for found in client.list_query_sets()}
        results = pooled_results(client, query_set, configurations, depth=depth, judge=judge, seed=0)
        with progress("queries", counts.get(query_set, 0)) as show:
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
        _print_agreement(client, query_set, judge, reference, as_json=False, is_needed=reference is not None)
    if asked.unusable or asked.failed:
        raise SystemExit(UNGRADED)


@judgments.command(short_help="Have a language model prefer one of two configurations.")
@click.argument("query_set")
@dsn_option
@tenant_option
@collection_option
@click.option("--config", "files", type=FILE, multiple=True, required=True, help="JSON of a configuration; twice.")
@click.option("--depth", type=DEPTH, default=5, show_default=True, metavar="N", help="How many results of each.")
@click.option("--chat-model", envvar="PGBRAID_CHAT_MODEL", required=True, metavar="NAME", help="The language model.")
@click.option(
    "--chat-url", envvar="PGBRAID_CHAT_URL", metavar="URL", help="A service like OpenAI's, whose own is the default."
)
@click.option("--chat-options", metavar="JSON", help="""More fields of its requests, such as '{"temperature": 0}'.""")
@click.option("--reference", metavar="NAME", help="With whose grades to compare. Default: the median of all.")
@click.option("--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, metavar="N", help="At a time.")
@json_option
def compare(
    query_set: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    files: tuple[Path, ...],
    depth: int,
    chat_model: str,
    chat_url: str | None,
    chat_options: str | None,
    reference: str | None,
    concurrency: int,
    as_json: bool,
) -> None:
    """Show a language model pairs of results, one that only the first configuration has among its first results and one
    that only the second has, for each query of QUERY_SET; tell for how many queries it prefers which, and how far its
    preferences agree with grades.

    Each pair is shown in both orders, which is two requests, and counts only if the answers agree. Nothing is stored.
    The key is in OPENAI_API_KEY. The exit code is 1 if a pair is left without an answer.

    Example: pgbraid judgments compare support --config now.json --config new.json --chat-model gpt-4o
    """
    import pgbraid
    from pgbraid._chat import CHAT_URL
    from pgbraid.cli.eval import read_configurations
    from pgbraid.cli.progress import progress
    from pgbraid.errors import InvalidArgumentError
    from pgbraid.evaluation.preferences import PairJudge, ask_preferences, differing_pairs

    options = parse_json(chat_options, "--chat-options")
    if not (options is None or isinstance(options, dict)):
        raise click.BadParameter("no JSON object", param_hint="--chat-options")
    named = read_configurations(files)
    if len(named) != 2:
        raise click.BadParameter(f"there are {len(named)}, and two are compared", param_hint="--config")
    first, second = ({"collection": collection, **given} for given in named.values())
    model = PairJudge(chat_model, base_url=chat_url or CHAT_URL, **_fields(options or {}))
    with pgbraid.connect(dsn, tenant=tenant) as client:
        counts = {found["query_set"]: found["query_count"] for found in client.list_query_sets()}
        if counts.get(query_set) == 0:
            raise InvalidArgumentError(
                f'query set "{query_set}" has no queries', hint="store some with braid.store_queries"
            )
        pairs = differing_pairs(client, query_set, first, second, depth=depth)
        with progress("queries", counts.get(query_set, 0)) as show:
            found = ask_preferences(
                pairs, model, grade_of=_grades(client, query_set, reference), concurrency=concurrency, progress=show
            )
    _print_preferences(found, [*named], as_json)
    if found.unusable or found.failed:
        raise SystemExit(UNGRADED)


def _grades(client: Client, query_set: str, judge: str | None) -> Callable[[PooledResult], float | None]:
    """What finds the grade of a result: of one judge, or the median of all, of two the lower."""
    of_query: dict[str, dict[tuple[str, int | None], list[int]]] = {}

    def grade_of(result: PooledResult) -> float | None:
        if result.query_id not in of_query:
            grades: dict[tuple[str, int | None], list[int]] = {}
            rows = client._session.rows(
                """
                select external_id, chunk_index, judge, grade
                from braid.list_judgments(query_set => %(query_set)s::text, query_id => %(query_id)s::text)
                """,
                query_set=query_set,
                query_id=result.query_id,
            )
            for external_id, chunk_index, by, grade in rows:
                if grade >= 0 and judge in (None, by):
                    grades.setdefault((external_id, chunk_index), []).append(grade)
            of_query[result.query_id] = grades
        given = of_query[result.query_id].get((result.external_id, result.chunk_index))
        return sorted(given)[(len(given) - 1) // 2] if given else None

    return grade_of


def _print_preferences(found: Preferences, names: list[str], as_json: bool) -> None:
    if as_json:
        keys = ("wins", "losses", "ties", "alike", "pairs", "unusable", "failed", "graded", "agreeing", "opposed", "p")
        print_json({"configurations": names} | {key: getattr(found, key) for key in keys})
        return
    lines = [
        f"{found.pairs} pairs of {found.wins + found.losses + found.ties} queries compared; "
        f"for {found.alike} queries both found the same",
        f"preferred: {names[0]} {found.wins}, {names[1]} {found.losses}, neither {found.ties}; "
        f"p {found.p:.3f} (sign test)",
    ]
    if found.graded:
        lines.append(
            f"of {found.graded} pairs with two grades it prefers the better one in "
            f"{100 * found.agreeing / found.graded:.1f} %, the other in {100 * found.opposed / found.graded:.1f} %"
        )
    if found.unusable:
        lines.append(f"left out: {found.unusable} whose answers were none")
    if found.failed and found.last_failure is not None:
        lines.append(f"left out: {found.failed} whose requests failed, the last one so: {found.last_failure.message}")
    for line in lines:
        click.echo(clean(line))


def _fields(options: dict[str, Any]) -> dict[str, Any]:
    """More fields of the requests, which are not the judge's own arguments."""
    own = {"model", "messages", "base_url", "api_key", "text_characters", "timeout", "retries"} & options.keys()
    if own:
        raise click.BadParameter(f"{min(own)} cannot be set there", param_hint="--chat-options")
    return options


def _print_asked(asked: Asked) -> None:
    click.echo(f"{asked.graded} graded")
    if asked.unusable:
        click.echo(f"left ungraded: {asked.unusable} whose answers had no grade from 0 to 3")
    if asked.failed and asked.last_failure is not None:
        said = f"left ungraded: {asked.failed} whose requests failed, the last one so: {asked.last_failure.message}"
        click.echo(clean(said))


@judgments.command(short_help="Take queries from the search log into a query set.")
@click.argument("query_set")
@dsn_option
@tenant_option
@collection_option
@click.option(
    "--method",
    type=click.Choice(["random", "frequency", "worst"]),
    default="random",
    show_default=True,
    help="Each query alike, those asked most, or those whose searches went worst.",
)
@click.option("--count", type=click.IntRange(1, 10_000), default=100, show_default=True, metavar="N", help="How many.")
@click.option(
    "--min-searches", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Asked so often."
)
@click.option("--with-filters", is_flag=True, help="A query with other filters is another one, and keeps them.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Another one, other random queries.")
@click.option("--no-embed", is_flag=True, help="Without embeddings: for evaluations of full text alone.")
@embedding_options
def sample(
    query_set: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    method: Literal["random", "frequency", "worst"],
    count: int,
    min_searches: int,
    with_filters: bool,
    seed: int,
    no_embed: bool,
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Store queries that were searched for in QUERY_SET, which is created if it is not there, and embed all of the set
    that the model of --collection has not embedded. The collection's search log has to keep the text of queries.

    Example: pgbraid judgments sample support --method frequency --count 50
    """
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant, embedder=embedders(embedding_url, embedding_model)) as client:
        with client.transaction():
            _keep_what_is_there(client, query_set, [])
            stored = client.sample_queries(
                query_set,
                collection,
                method,
                count,
                min_searches=min_searches,
                with_filters=with_filters,
                seed=seed,
            )
        embedded = 0 if no_embed else _embed_missing(client, query_set, collection)
    click.echo(", ".join([f"{stored} queries stored", *([f"{embedded} embedded"] if embedded else [])]))


@judgments.command(short_help="Tell how far two judges agree.")
@click.argument("query_set")
@dsn_option
@tenant_option
@click.option("--judge", required=True, metavar="NAME", help="Whose grades.")
@click.option("--reference", metavar="NAME", help="With whom to compare. Default: the median of all others.")
@json_option
def agreement(query_set: str, dsn: str | None, tenant: str, judge: str, reference: str | None, as_json: bool) -> None:
    """Compare the grades of two judges of QUERY_SET: how many are equal, and Cohen's kappa, which is 1 for perfect
    agreement and 0 for that of chance.

    Example: pgbraid judgments agreement support --judge gpt-4o --reference ana
    """
    import pgbraid

    with pgbraid.connect(dsn, tenant=tenant) as client:
        _print_agreement(client, query_set, judge, reference, as_json=as_json, is_needed=True)


def _print_agreement(
    client: Client, query_set: str, judge: str, reference: str | None, *, as_json: bool, is_needed: bool
) -> None:
    from pgbraid.errors import InvalidArgumentError

    try:
        found = client.judge_agreement(query_set, judge, reference)
    except InvalidArgumentError:
        # Without grades of either, there is nothing to compare.
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


def _keep_what_is_there(client: Client, query_set: str, queries: list[dict[str, Any]]) -> None:
    """Create the set. One that is there keeps its description, and its queries their filters: the files have none."""
    descriptions = {found["query_set"]: found["description"] for found in client.list_query_sets()}
    client.create_query_set(query_set, description=descriptions.get(query_set, ""))
    by_id = {query["query_id"]: query for query in queries}
    after = None
    while page := client.list_queries(query_set, limit=PAGE, after=after):
        for found in page:
            if found["filters"] is not None and found["query_id"] in by_id:
                by_id[found["query_id"]]["filters"] = found["filters"]
        after = page[-1]["query_id"]


def _embed_missing(client: Client, query_set: str, collection: str) -> int:
    """Embed the queries of the set that have no embedding of the collection's model; how many."""
    model = client._spaces.of(collection)[0].model
    missing: list[dict[str, Any]] = []
    after = None
    while page := client.list_queries(query_set, limit=PAGE, after=after):
        missing += [
            {"query_id": found["query_id"], "text": found["query_text"], "filters": found["filters"]}
            for found in page
            if model not in found["embedding_models"]
        ]
        after = page[-1]["query_id"]
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        _embed(client, batch, collection)
        client.store_queries(query_set, batch, collection=collection)
    return len(missing)


def _embed(client: Client, queries: list[dict[str, Any]], collection: str) -> None:
    from pgbraid.cli.progress import progress
    from pgbraid.query_text import embedded_text
    from pgbraid.text_vectors import query_vector

    embedder = client._spaces.embedder_of(collection)
    with progress("embedding queries", len(queries)) as show:
        for place, query in enumerate(queries, 1):
            # As a search embeds it: without operators, unless nothing else is left.
            text = embedded_text(query["text"]).strip() or query["text"]
            query["embedding"] = query_vector(embedder, text).to_list()
            show(place)
