"""Rerank with any cross-encoder of the sentence-transformers library."""

from __future__ import annotations

import threading
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from pgbraid.errors import InvalidArgumentError, MissingExtraError, RerankingError
from pgbraid.reranker import Scores

__all__ = ["CrossEncoderReranker"]


class CrossEncoderReranker:
    """Rerank with a cross-encoder (Nogueira & Cho 2019), given by name or path; needs `pip install
    "pgbraid[sentence-transformers]"`.

    The model reads query and text together and returns one number; the score is this number after the model's own
    activation. The library truncates text beyond the model's window, which is 512 tokens for the default model.
    `batch_size` is in pairs. `model_name` defaults to the last part of the name or path; `options` go to
    `sentence_transformers.CrossEncoder` (device, max_length, …). The model is loaded at the first use. Several threads
    may share it; they take turns.
    """

    def __init__(
        self,
        model_name_or_path: str = "cross-encoder/ms-marco-MiniLM-L-6-v2",
        *,
        batch_size: int = 32,
        model_name: str | None = None,
        **options: Any,
    ) -> None:
        if batch_size < 1:
            raise InvalidArgumentError(f"batch_size {batch_size} is less than 1")
        self._source = model_name_or_path
        self._batch_size = batch_size
        self._options = options
        # The lock also protects the tokenizer, which cannot truncate for two callers at once.
        self._using = threading.Lock()
        self.model_name = model_name or model_name_or_path.rstrip("/").rsplit("/", 1)[-1]

    def rerank(self, query: str, texts: list[str]) -> Scores:
        """Return scores as float64, shape (len(texts),). Raise MissingExtraError and RerankingError."""
        if not texts:
            return np.empty(0)
        pairs = [(_clean(query), _clean(text)) for text in texts]
        with self._using:
            scores = np.asarray(
                self._model.predict(pairs, batch_size=self._batch_size, show_progress_bar=False), dtype=np.float64
            )
        if scores.size != len(texts):
            raise RerankingError(
                f"{self._source!r} gives scores of shape {scores.shape} for {len(texts)} pairs",
                hint="use a model that gives one score for each pair",
            )
        return scores.reshape(len(texts))

    def warm_up(self) -> None:
        self.rerank("query", ["text"])

    @cached_property
    def _model(self) -> Any:
        try:
            library = import_module("sentence_transformers")
        except ImportError as error:
            raise MissingExtraError(
                "CrossEncoderReranker needs the sentence-transformers library",
                hint='run: pip install "pgbraid[sentence-transformers]"',
            ) from error
        try:
            return library.CrossEncoder(self._source, **self._options)
        except Exception as error:
            raise RerankingError(
                f"sentence-transformers cannot load {self._source!r}: {error}",
                hint="give a model name it knows, or the path of a downloaded model",
            ) from error


def _clean(text: str) -> str:
    """Remove lone surrogates, which tokenizers refuse."""
    return text.encode("utf-8", "replace").decode()
