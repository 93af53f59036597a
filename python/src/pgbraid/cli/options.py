"""Options that several commands have."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from pgbraid.embedders import Embedder


class FiniteRange(click.FloatRange):
    """NaN is in every range of click's."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{number} is not a finite number.", param, ctx)
        return number


ROW_COUNT = click.IntRange(1, 10_000)

dsn_option = click.option(
    "--dsn", envvar="PGBRAID_DSN", metavar="URL", help="The database. Default: $PGBRAID_DSN, else the embedded one."
)


def _beside_its_dsn(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Standbys that the environment names belong to the database that it names, not to another one."""
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


EMBEDDING_APIS = ["openai", "azure", "cohere", "voyage", "gemini", "tei"]
# Those without an address that is the same for everybody.
OWN_SERVERS = ("azure", "tei")
API_KEY = "pgbraid.embedding_api"


def parse_json(text: str | None, option: str) -> Any:
    """The value of an option that takes JSON."""
    try:
        return None if text is None else json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}", param_hint=option) from error


def embedding_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """For a command that embeds, as `embedding_url` and `embedding_model`; `embedding_service` finds the api itself."""
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
    """The embedder of those options; None without them."""
    api = click.get_current_context().meta.get(API_KEY)
    if url is None and model is None and api is None:
        return None
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
    """The service of those options for collections of its model, and the offline model for those of that."""
    from pgbraid.spaces import LOCAL_MODEL

    service = embedding_service(url, model)
    if service is None:
        return []
    if service.model_name == LOCAL_MODEL:
        return [service]
    from pgbraid.embedders.offline import OfflineModel

    return [service, OfflineModel()]
