"""Call embedding services over HTTP: OpenAI, Azure, Cohere, Voyage, Gemini, Text Embeddings Inference, or the like."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from pgbraid._http import JsonService
from pgbraid.embedders.protocol import Vector, Vectors
from pgbraid.errors import EmbeddingServiceError, InvalidArgumentError


class Usage(NamedTuple):
    """Count a service's use. `estimated_tokens` of `tokens` were not reported, and count a quarter of the
    characters."""

    requests: int = 0
    texts: int = 0
    tokens: int = 0
    estimated_tokens: int = 0


class _Request(NamedTuple):
    model: str | None
    texts: list[str]
    is_query: bool
    dimensions: int | None


class _Api(NamedTuple):
    base_url: str | None
    path: str  # has {model} in place of the model's name, if the path contains it
    environment: str | None
    key_header: str
    batch_size: int
    body: Callable[[_Request], dict[str, Any]]
    vectors: Callable[[Any], list[Any]]
    # The response's path to the number of tokens.
    tokens: tuple[str, ...] = ()


def _with_dimensions(name: str, request: _Request, body: dict[str, Any]) -> dict[str, Any]:
    return body if request.dimensions is None else {**body, name: request.dimensions}


def _openai(request: _Request) -> dict[str, Any]:
    body = {"model": request.model, "input": request.texts, "encoding_format": "float"}
    return _with_dimensions("dimensions", request, body)


def _cohere(request: _Request) -> dict[str, Any]:
    kind = "search_query" if request.is_query else "search_document"
    body = {"model": request.model, "texts": request.texts, "input_type": kind, "embedding_types": ["float"]}
    return _with_dimensions("output_dimension", request, body)


def _voyage(request: _Request) -> dict[str, Any]:
    kind = "query" if request.is_query else "document"
    return _with_dimensions(
        "output_dimension", request, {"model": request.model, "input": request.texts, "input_type": kind}
    )


def _gemini(request: _Request) -> dict[str, Any]:
    each = {
        "model": f"models/{request.model}",
        "taskType": "RETRIEVAL_QUERY" if request.is_query else "RETRIEVAL_DOCUMENT",
    }
    each = _with_dimensions("outputDimensionality", request, each)
    return {"requests": [{**each, "content": {"parts": [{"text": text}]}} for text in request.texts]}


def _tei(request: _Request) -> dict[str, Any]:
    # Without truncate, one text beyond the model's window fails the request.
    return _with_dimensions("dimensions", request, {"inputs": request.texts, "normalize": True, "truncate": True})


def _by_index(answer: Any) -> list[Any]:
    rows = sorted(answer["data"], key=lambda row: row["index"])
    if [row["index"] for row in rows] != list(range(len(rows))):
        raise ValueError("an index is missing or comes twice")
    return [row["embedding"] for row in rows]


# The requests follow `platform.openai.com/docs/api-reference/embeddings`, `docs.cohere.com/reference/embed`,
# `learn.microsoft.com/azure/ai-services/openai/reference`, `docs.voyageai.com/reference/embeddings-api`,
# `ai.google.dev/api/embeddings` and `huggingface.github.io/text-embeddings-inference`.
_APIS = {
    "openai": _Api(
        "https://api.openai.com/v1",
        "/embeddings",
        "OPENAI_API_KEY",
        "Authorization",
        128,
        _openai,
        _by_index,
        ("usage", "total_tokens"),
    ),
    "azure": _Api(
        None,
        "/embeddings",
        "AZURE_OPENAI_API_KEY",
        "api-key",
        128,
        _openai,
        _by_index,
        ("usage", "total_tokens"),
    ),
    "cohere": _Api(
        "https://api.cohere.com/v2",
        "/embed",
        "COHERE_API_KEY",
        "Authorization",
        96,
        _cohere,
        lambda answer: list(answer["embeddings"]["float"]),
        ("meta", "billed_units", "input_tokens"),
    ),
    "voyage": _Api(
        "https://api.voyageai.com/v1",
        "/embeddings",
        "VOYAGE_API_KEY",
        "Authorization",
        128,
        _voyage,
        _by_index,
        ("usage", "total_tokens"),
    ),
    "gemini": _Api(
        "https://generativelanguage.googleapis.com/v1beta",
        "/models/{model}:batchEmbedContents",
        "GEMINI_API_KEY",
        "x-goog-api-key",
        100,
        _gemini,
        lambda answer: [row["values"] for row in answer["embeddings"]],
    ),
    "tei": _Api(None, "/embed", None, "Authorization", 32, _tei, list),
}


class HttpEmbedder:
    """Embed by a service over HTTP: `HttpEmbedder("cohere", "embed-v4.0")`, `HttpEmbedder("voyage", "voyage-3.5")`,
    `HttpEmbedder("gemini", "gemini-embedding-001")`, `HttpEmbedder("tei", "bge-m3", base_url="http://localhost:8080")`,
    `HttpEmbedder("openai", "text-embedding-3-small")`, `HttpEmbedder("azure", "text-embedding-3-small",
    base_url="https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT?api-version=2024-10-21")`.

    `api` is the form of requests and responses, which compatible servers share. The APIs of Cohere, Voyage and Gemini
    get told whether a text is a query. `base_url` is the address without the path that the API adds. `api_key` defaults
    to OPENAI_API_KEY, AZURE_OPENAI_API_KEY, COHERE_API_KEY, VOYAGE_API_KEY or GEMINI_API_KEY of the environment;
    without one, none is sent. `dimensions`, if given, is requested from the service, and vectors are normalised to unit
    vectors; the default is what the service returns. Requests carry `batch_size` texts: by default 128, for Gemini 100,
    for Cohere 96, for Text Embeddings Inference 32.

    `timeout` is in seconds per request. Responses 429 and 5xx are retried up to `retries` times, after the service's
    Retry-After, or else after 0.5, 1, 2, … seconds, plus or minus half. A Retry-After of more than a minute is an
    error, and a query is not retried after `timeout`. Raise EmbeddingServiceError.
    """

    def __init__(
        self,
        api: Literal["openai", "azure", "cohere", "voyage", "gemini", "tei"],
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        batch_size: int | None = None,
        timeout: float = 30.0,
        retries: int = 3,
    ) -> None:
        known = _APIS.get(api)
        if known is None:
            raise InvalidArgumentError(f"api is {api!r}", hint=f"use {', '.join(map(repr, _APIS))}")
        address = base_url or known.base_url
        if address is None:
            raise InvalidArgumentError(f"api {api!r} needs a base_url", hint="such as http://localhost:8080")
        for name, value in (("batch_size", batch_size), ("dimensions", dimensions)):
            if value is not None and value < 1:
                raise InvalidArgumentError(f"{name} {value} is less than 1", hint="use 1 or more, or None")
        # Kept for pickling. A key from the environment is read again where the embedder is unpickled.
        self._arguments = (api, model, base_url, api_key, dimensions, batch_size, timeout, retries)
        self.model_name = model
        self._api = known
        self._asked = dimensions
        self.batch_size = batch_size or known.batch_size
        self._used = threading.local()
        self._timeout = timeout
        self._service = JsonService(
            address,
            known.path.format(model=model),
            error=self._error,
            api_key=api_key,
            environment=known.environment,
            key_header=known.key_header,
            timeout=timeout,
            retries=retries,
        )

    def __getstate__(self) -> tuple[Any, ...]:
        return self._arguments

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        api, model, base_url, api_key, dimensions, batch_size, timeout, retries = state
        HttpEmbedder.__init__(
            self, api, model, base_url=base_url, api_key=api_key, dimensions=dimensions, batch_size=batch_size,
            timeout=timeout, retries=retries,
        )  # fmt: skip

    @cached_property
    def dimensions(self) -> int:
        return self._asked or len(self.embed_query("dimensions"))

    def embed_documents(self, texts: list[str]) -> Vectors:
        batches = [texts[i : i + self.batch_size] for i in range(0, len(texts), self.batch_size)]
        if not batches:
            return np.empty((0, self.dimensions), dtype=np.float32)
        found = [self._embed(batch, is_query=False) for batch in batches]
        if len({vectors.shape[1] for vectors in found}) > 1:
            raise self._error("answered vectors of different dimensions")
        return np.concatenate(found)

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self._embed([text], is_query=True)[0]
        return vector

    def warm_up(self) -> None:
        """Send one request, which wakes the service and checks address, key and model."""
        self.embed_query("warm up")

    def _embed(self, texts: list[str], *, is_query: bool) -> Vectors:
        request = _Request(self.model_name, texts, is_query, self._asked)
        answer = self._service.post(self._api.body(request), within=self._timeout if is_query else None)
        self._count(texts, answer)
        try:
            rows = self._api.vectors(answer)
            count = len(rows)
            with np.errstate(over="ignore"):
                vectors: Vectors = np.asarray(rows, dtype=np.float32)
        except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
            raise self._error("did not answer as such a service does") from error
        if count != len(texts):
            raise self._error(f"answered {count} embeddings for {len(texts)} texts")
        if vectors.ndim != 2 or vectors.shape[1] == 0:
            raise self._error("did not answer one list of numbers for each text")
        if not np.isfinite(vectors).all():
            raise self._error("answered NaN or infinite numbers")
        if self._asked is None:
            return vectors
        if vectors.shape[1] != self._asked:
            raise self._error(
                f"answered {vectors.shape[1]} dimensions, not {self._asked}",
                hint="leave out dimensions, or cut the vectors here: AdaptedEmbedder(embedder, truncate_to=…)",
            )
        # Some services truncate vectors without normalising them again.
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, norms, out=vectors, where=norms > 0)
        return vectors

    def take_usage(self) -> Usage:
        """Return this thread's use of the service since its last call of take_usage."""
        used: Usage = getattr(self._used, "usage", Usage())
        self._used.usage = Usage()
        return used

    def _count(self, texts: list[str], answer: Any) -> None:
        tokens = answer
        for key in self._api.tokens:
            tokens = tokens.get(key) if isinstance(tokens, dict) else None
        estimated = 0
        if not isinstance(tokens, int) or isinstance(tokens, bool) or not 0 <= tokens < 1 << 40:
            tokens = estimated = sum(len(text) + 3 for text in texts) // 4
        so_far: Usage = getattr(self._used, "usage", Usage())
        more = Usage(1, len(texts), tokens, estimated)
        self._used.usage = Usage(*(one + other for one, other in zip(so_far, more, strict=True)))

    def _error(self, what: str, *, hint: str | None = None) -> EmbeddingServiceError:
        return EmbeddingServiceError(
            f"the embedding service {self._service.address} {what}",
            hint=hint or "check base_url, api_key and model, and that the service is up",
        )
