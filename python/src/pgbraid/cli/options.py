"""Options that several commands have."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pgbraid.embedders import Embedder
    from pgbraid.embedders.protocol import Vectors
    from pgbraid.vectors import VectorLike

ROW_COUNT = click.IntRange(1, 10_000)

dsn_option = click.option(
    "--dsn", envvar="PGBRAID_DSN", metavar="URL", help="The database. Default: $PGBRAID_DSN, else the embedded one."
)
tenant_option = click.option(
    "--tenant", default="default", show_default=True, metavar="KEY", help="The tenant to act for."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
collection_option = click.option(
    "--collection", default="default", show_default=True, metavar="NAME", help="The collection."
)


def parse_json(text: str | None, option: str) -> Any:
    """The value of an option that takes JSON."""
    try:
        return None if text is None else json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}", param_hint=option) from error


def embedding_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """For a command that embeds, as `embedding_url` and `embedding_model`."""
    for option in (
        click.option("--embedding-model", envvar="PGBRAID_EMBEDDING_MODEL", metavar="NAME", help="Its model."),
        click.option(
            "--embedding-url", envvar="PGBRAID_EMBEDDING_URL", metavar="URL", help="Of a service like OpenAI's."
        ),
    ):
        command = option(command)
    return command


def embedding_service(url: str | None, model: str | None) -> Embedder | None:
    """The embedder of those options; None without them."""
    if url is None and model is None:
        return None
    if url is None or model is None:
        given, missing = ("model", "url") if url is None else ("url", "model")
        raise click.UsageError(
            f"--embedding-{given} needs --embedding-{missing}, or the environment variable"
            f" PGBRAID_EMBEDDING_{missing.upper()}"
        )
    from pgbraid.embedders import OpenAIEmbedder

    return OpenAIEmbedder(model, base_url=url)


def embedders(url: str | None, model: str | None) -> list[Embedder]:
    """The service of those options for collections of its model, and the offline model for those of that."""
    from pgbraid.spaces import LOCAL_MODEL

    service = embedding_service(url, model)
    if service is None:
        return []
    if service.model_name == LOCAL_MODEL:
        return [service]
    return [service, _OfflineModel()]


class _OfflineModel:
    """The offline model, which is only missed where it is needed."""

    model_name = "all-MiniLM-L6-v2"
    dimensions = 384

    @cached_property
    def _model(self) -> Embedder:
        from pgbraid.embedders import LocalEmbedder

        return LocalEmbedder()

    def embed_documents(self, texts: list[str]) -> Vectors | Sequence[VectorLike]:
        return self._model.embed_documents(texts)

    def embed_query(self, text: str) -> VectorLike:
        return self._model.embed_query(text)
