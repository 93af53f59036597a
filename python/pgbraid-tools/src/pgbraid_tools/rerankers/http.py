"""Rerank with services over HTTP: Cohere, Jina, Text Embeddings Inference, and compatible services."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from pgbraid._http import JsonService
from pgbraid.errors import InvalidArgumentError
from pgbraid.reranker import Scores
from pgbraid_tools.errors import RerankingServiceError

__all__ = ["HttpReranker"]


class _Api(NamedTuple):
    base_url: str | None
    environment: str | None
    texts: str
    extra: dict[str, Any]
    results: str | None
    score: str
    batch_size: int


# Sources: docs.cohere.com/reference/rerank, api.jina.ai/redoc, huggingface.github.io/text-embeddings-inference.
_APIS = {
    "cohere": _Api("https://api.cohere.com/v2", "COHERE_API_KEY", "documents", {}, "results", "relevance_score", 1000),
    "jina": _Api(
        "https://api.jina.ai/v1",
        "JINA_API_KEY",
        "documents",
        {"return_documents": False},
        "results",
        "relevance_score",
        1000,
    ),
    # Without truncate, one text beyond the model's window fails the request.
    "tei": _Api(None, None, "texts", {"truncate": True, "raw_scores": False}, None, "score", 32),
}


class HttpReranker:
    """Rerank with a service: `HttpReranker("cohere", "rerank-v3.5")`, `HttpReranker("jina",
    "jina-reranker-v2-base-multilingual")`, `HttpReranker("tei", base_url="http://localhost:8080")`.

    `api` names the format of requests and answers, which other servers share: vLLM, LiteLLM and Infinity speak Cohere's
    or Jina's. `base_url` ends before `/rerank`. `api_key` defaults to the environment variable COHERE_API_KEY or
    JINA_API_KEY; without one, no Authorization header is sent. Each request carries up to `batch_size` texts, by
    default 1,000, and 32 for TEI. `timeout` is in seconds per request. Requests answered with 429 or 5xx are retried up
    to `retries` times. Scores are the service's; the three services above return relevance from 0 to 1.
    """

    def __init__(
        self,
        api: Literal["cohere", "jina", "tei"],
        model: str | None = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        batch_size: int | None = None,
        timeout: float = 10.0,
        retries: int = 1,
    ) -> None:
        known = _APIS.get(api)
        if known is None:
            raise InvalidArgumentError(f"api is {api!r}", hint=f"use {', '.join(map(repr, _APIS))}")
        if model is None and api != "tei":
            raise InvalidArgumentError(f"api {api!r} needs a model", hint="give its name as the second argument")
        address = base_url or known.base_url
        if address is None:
            raise InvalidArgumentError(f"api {api!r} needs a base_url", hint="such as http://localhost:8080")
        if batch_size is not None and batch_size < 1:
            raise InvalidArgumentError(f"batch_size {batch_size} is less than 1")
        self.model_name = model or api
        self._api = known
        self._model = model
        self._batch_size = batch_size or known.batch_size
        self._service = JsonService(
            address,
            "/rerank",
            error=self._error,
            api_key=api_key,
            environment=known.environment,
            timeout=timeout,
            retries=retries,
        )

    def rerank(self, query: str, texts: list[str]) -> Scores:
        """Return scores as float64, shape (len(texts),). Raise RerankingServiceError if the service fails or does not
        give a finite score for each text."""
        batches = [texts[i : i + self._batch_size] for i in range(0, len(texts), self._batch_size)]
        return np.concatenate([np.empty(0), *(self._score(query, batch) for batch in batches)])

    def warm_up(self) -> None:
        """Send one request, which wakes the service and verifies address, key and model."""
        self.rerank("query", ["text"])

    def _score(self, query: str, texts: list[str]) -> Scores:
        body = {"query": query, self._api.texts: texts, **self._api.extra}
        if self._model is not None:
            body["model"] = self._model
        answer = self._service.post(body)
        scores = np.full(len(texts), np.nan)
        try:
            rows = answer if self._api.results is None else answer[self._api.results]
            places = [int(row["index"]) for row in rows]
            values = [float(row[self._api.score]) for row in rows]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise self._error("did not answer as /rerank does") from error
        if sorted(places) != list(range(len(texts))):
            raise self._error(f"answered {len(places)} scores for {len(texts)} texts, or not one for each")
        scores[places] = values
        if not np.isfinite(scores).all():
            raise self._error("answered NaN or infinite scores")
        return scores

    def _error(self, what: str) -> RerankingServiceError:
        return RerankingServiceError(
            f"the rerank service {self._service.address} {what}",
            hint="check api, base_url, api_key and model, and that the service is up",
        )
