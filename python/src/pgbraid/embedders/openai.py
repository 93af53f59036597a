"""Any service that speaks OpenAI's POST /v1/embeddings."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from pgbraid._http import JsonService
from pgbraid.embedders.protocol import Vector, Vectors
from pgbraid.errors import EmbeddingServiceError, InvalidArgumentError

__all__ = ["OpenAIEmbedder"]


class OpenAIEmbedder:
    """Embeddings over HTTP: OpenAI, or any server with the same interface (vLLM, Ollama, TEI, llama.cpp, …).

    `base_url` ends before `/embeddings`. `api_key` defaults to the environment variable OPENAI_API_KEY;
    without one, no Authorization header is sent. `dimensions`, if given, is asked of the service; else it is
    what the service answers. `timeout` is in seconds per request. Answers 429 and 5xx are repeated up to
    `retries` times, after the service's Retry-After or 0.5, 1, 2, … seconds; an unreachable service is not.
    Raises EmbeddingServiceError.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "https://api.openai.com/v1",
        api_key: str | None = None,
        dimensions: int | None = None,
        batch_size: int = 128,
        timeout: float = 30.0,
        retries: int = 3,
    ) -> None:
        if batch_size < 1:
            raise InvalidArgumentError(f"batch_size {batch_size} is less than 1")
        self.model_name = model
        self._asked = dimensions
        self._batch_size = batch_size
        self._service = JsonService(
            base_url,
            "/embeddings",
            error=self._error,
            api_key=api_key,
            environment="OPENAI_API_KEY",
            timeout=timeout,
            retries=retries,
        )

    @cached_property
    def dimensions(self) -> int:
        return self._asked or len(self.embed_query("dimensions"))

    def embed_documents(self, texts: list[str]) -> Vectors:
        batches = [texts[i : i + self._batch_size] for i in range(0, len(texts), self._batch_size)]
        if not batches:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.concatenate([self._embed(batch) for batch in batches])

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self._embed([text])[0]
        return vector

    def warm_up(self) -> None:
        """One request, which wakes the service and shows whether address, key and model are right."""
        self.embed_query("warm up")

    def _embed(self, texts: list[str]) -> Vectors:
        body: dict[str, Any] = {"model": self.model_name, "input": texts, "encoding_format": "float"}
        if self._asked:
            body["dimensions"] = self._asked
        answer = self._service.post(body)
        try:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            vectors = np.asarray([row["embedding"] for row in rows], dtype=np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise self._error("did not answer as /v1/embeddings does") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise self._error(f"answered {len(vectors)} embeddings for {len(texts)} texts")
        if not np.isfinite(vectors).all():
            raise self._error("answered NaN or infinite numbers")
        return vectors

    def _error(self, what: str) -> EmbeddingServiceError:
        return EmbeddingServiceError(
            f"the embedding service {self._service.url} {what}",
            hint="check base_url, api_key and model, and that the service is up",
        )
