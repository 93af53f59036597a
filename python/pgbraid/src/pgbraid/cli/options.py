"""Define options that several commands share."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from pgbraid.embedders.model_files import OFFLINE_MODELS, offline_model
from pgbraid.long_numbers import loads

if TYPE_CHECKING:
    from pgbraid.embedders import Embedder


class FiniteRange(click.FloatRange):
    """Accept finite numbers only: NaN is in every range of click's."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{number} is not a finite number.", param, ctx)
        return number


class Name(click.Choice):  # type: ignore[type-arg]
    """Accept a mode or strategy of searches; refuse other systems' names for it with ours in the message."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from pgbraid.mode_names import other_name

        if value not in self.choices and (known := other_name(value)) in self.choices:
            self.fail(f"{value!r} is called {known!r} here.", param, ctx)
        return super().convert(value, param, ctx)


ROW_COUNT = click.IntRange(1, 10_000)
# Help of commands with a free text as argument.
MINUS = 'Write -- before a query that begins with a minus, as in: pgbraid search -- "-x"'


def match_count_option(
    what: str, default: int | None = None, kind: click.IntRange = ROW_COUNT
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option for the number of rows of a command, with both names."""
    names = ("-k", "--match-count", "--limit", "match_count")
    return click.option(*names, type=kind, default=default, show_default=default is not None, metavar="N", help=what)


dsn_option = click.option(
    "--dsn", envvar="PGBRAID_DSN", metavar="URL", help="The database. Default: $PGBRAID_DSN, else the embedded one."
)


def _beside_its_dsn(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Ignore the standbys of PGBRAID_READ_DSN if --dsn names a database, because they are standbys of the database
    of PGBRAID_DSN."""
    sources = [context.get_parameter_source(name) for name in ("read_dsn", "dsn")]
    return None if sources == [ParameterSource.ENVIRONMENT, ParameterSource.COMMANDLINE] else value


read_dsn_option = click.option(
    "--read-dsn",
    envvar="PGBRAID_READ_DSN",
    callback=_beside_its_dsn,
    metavar="URL",
    help="A hot standby to search on, or several, with spaces between them. Default: $PGBRAID_READ_DSN.",
)
tenant_option = click.option(
    "--tenant", default="default", show_default=True, metavar="KEY", help="The tenant to act for."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
collection_option = click.option(
    "--collection", default="default", show_default=True, metavar="NAME", help="The collection."
)


# Arguments of a search that --option accepts as well.
ARGUMENTS = ("rrf_k", "candidate_count", "min_score", "match")


def ranking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the ranking options to a command; `ranking_arguments` reads them."""
    for option in (
        click.option(
            "--option",
            "given_options",
            multiple=True,
            metavar="NAME=VALUE",
            help="An option of the search, such as collapse=true; rrf_k, candidate_count, min_score, match.",
        ),
        click.option(
            "--weights",
            metavar="FULL_TEXT,SEMANTIC",
            help="The weights of the legs, such as 0.7,0.3. Default: the collection's.",
        ),
        click.option("--fusion", metavar="NAME", help="rrf, convex, dbsf or max. Default: the collection's."),
    ):
        command = option(command)
    return command


def ranking_arguments(
    fusion: str | None, weights: str | None, given_options: tuple[str, ...], options: Any = None
) -> dict[str, Any]:
    """Return the arguments of a search that the ranking options give. Raise BadParameter."""
    arguments: dict[str, Any] = {"fusion": fusion}
    if weights is not None:
        try:
            full_text, semantic = map(float, weights.split(","))
        except ValueError:
            raise click.BadParameter(
                f"{weights!r} is not two numbers such as 0.7,0.3", param_hint="--weights"
            ) from None
        arguments |= {"full_text_weight": full_text, "semantic_weight": semantic}
    for given in given_options:
        name, separator, text = given.partition("=")
        if not name or not separator:
            raise click.BadParameter(f"{given!r} is not NAME=VALUE, such as collapse=true", param_hint="--option")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        if name == "match":
            arguments[name] = text
        elif name in ARGUMENTS:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise click.BadParameter(f"{name} is {text!r}, not a number", param_hint="--option")
            arguments[name] = value
        else:
            options = {**(options or {}), name: value}
    return {**arguments, "options": options}


EMBEDDING_APIS = ["openai", "azure", "cohere", "voyage", "gemini", "tei"]
# These services have no public address, so the user must give one.
OWN_SERVERS = ("azure", "tei")
API_KEY = "pgbraid.embedding_api"


def parse_json(text: str | None, option: str) -> Any:
    """Return the value of an option that takes JSON. Raise BadParameter."""
    try:
        return None if text is None else loads(text)
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}", param_hint=option) from error


def embedding_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --embedding-url and --embedding-model, and the API to the context, where `embedding_service` finds it."""
    for option in (
        click.option("--embedding-model", envvar="PGBRAID_EMBEDDING_MODEL", metavar="NAME", help="Its model."),
        click.option(
            "--embedding-url",
            envvar="PGBRAID_EMBEDDING_URL",
            metavar="URL",
            help="Where it is; by default the provider's own address.",
        ),
        click.option(
            "--embedding-api",
            envvar="PGBRAID_EMBEDDING_API",
            type=click.Choice(EMBEDDING_APIS),
            expose_value=False,
            callback=_keep_api,
            help="Which interface an embedding service has.  [default: openai]",
        ),
    ):
        command = option(command)
    return command


def _keep_api(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    context.meta[API_KEY] = value


def embedding_service(url: str | None, model: str | None, *, retries: int = 3) -> Embedder | None:
    """Return the embedder of the embedding options: an offline model if they name one alone; None without them."""
    api = click.get_current_context().meta.get(API_KEY)
    if url is None and model is None and api is None:
        return None
    if model is not None and url is None and api is None and (offline := offline_model(model)):
        from pgbraid.embedders.offline import OfflineModel

        return OfflineModel(offline.name)
    if model is None:
        raise _missing("api" if url is None else "url", "model")
    if url is None and (api is None or api in OWN_SERVERS):
        raise _missing("model" if api is None else f"api {api}", "url")
    from pgbraid.embedders import HttpEmbedder

    known: Any = api or "openai"
    return HttpEmbedder(known, model, base_url=url, retries=retries)


def _missing(given: str, missing: str) -> click.UsageError:
    return click.UsageError(
        f"--embedding-{given} needs --embedding-{missing}, or the environment variable"
        f" PGBRAID_EMBEDDING_{missing.upper()}"
    )


def embedders(url: str | None, model: str | None) -> list[Embedder]:
    """Return the embedder of the embedding options, and the offline models for collections of those models."""
    service = embedding_service(url, model)
    if service is None:
        return []
    from pgbraid.embedders.offline import OfflineModel

    return [service, *(OfflineModel(name) for name in OFFLINE_MODELS if name != service.model_name)]
