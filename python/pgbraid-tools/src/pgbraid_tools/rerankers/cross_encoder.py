"""Rerank with a cross-encoder: a model in ONNX, or any of the sentence-transformers library."""

from __future__ import annotations

import threading
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pgbraid.errors import InvalidArgumentError, MissingExtraError, RerankingError
from pgbraid.reranker import Scores
from pgbraid_tools.embedders.onnx import FILES
from pgbraid_tools.rerankers.onnx import OnnxCrossEncoder, onnx_file

__all__ = ["CrossEncoderReranker"]

# A folder without an ONNX file needs one of these, which sentence-transformers loads.
WEIGHTS = ("*.safetensors", "*.bin")


class _Model(Protocol):
    def predict(self, pairs: list[tuple[str, str]], batch_size: int) -> Any: ...


class CrossEncoderReranker:
    """Rerank with a cross-encoder (Nogueira & Cho 2019), given by name or path.

    A folder with a model in ONNX and its tokenizer.json, or the path of the .onnx file, runs on the CPU without torch,
    by `pip install "pgbraid[onnx]"`. Other folders and names need `pip install "pgbraid[sentence-transformers]"`.

    The model reads query and text together and returns one number; the score is this number after the model's own
    activation. Pairs beyond the model's window are cut; it is 512 tokens for the default model. `batch_size` is in
    pairs, which are sorted by length. `model_name` defaults to the last part of the name or path; `options` (device,
    max_length, …) go to `sentence_transformers.CrossEncoder`, which then also loads a folder with both kinds of files.
    The model is loaded at the first use. Several threads may share it; they take turns.
    """

    def __init__(
        self,
        model_name_or_path: str | Path = "cross-encoder/ms-marco-MiniLM-L-6-v2",
        *,
        batch_size: int = 32,
        model_name: str | None = None,
        **options: Any,
    ) -> None:
        if batch_size < 1:
            raise InvalidArgumentError(f"batch_size {batch_size} is less than 1")
        self._source = str(model_name_or_path)
        self._batch_size = batch_size
        self._options = options
        # The lock also protects the library's tokenizer, which cannot truncate for two callers at once.
        self._using = threading.Lock()
        self.model_name = model_name or self._source.rstrip("/").rsplit("/", 1)[-1]

    def rerank(self, query: str, texts: list[str]) -> Scores:
        """Return scores as float64, shape (len(texts),). Raise MissingExtraError and RerankingError."""
        if not texts:
            return np.empty(0)
        pairs = [(_clean(query), _clean(text)) for text in texts]
        with self._using:
            scores = np.asarray(self._model.predict(pairs, batch_size=self._batch_size), dtype=np.float64)
        if scores.size != len(texts):
            raise RerankingError(
                f"{self._source!r} gives scores of shape {scores.shape} for {len(texts)} pairs",
                hint="use a model that gives one score for each pair",
            )
        return scores.reshape(len(texts))

    def warm_up(self) -> None:
        self.rerank("query", ["text"])

    @cached_property
    def _model(self) -> _Model:
        path = Path(self._source)
        file = None if self._options else onnx_file(path)
        if file is not None:
            return OnnxCrossEncoder(file)
        if path.is_dir() and not any(found for kind in WEIGHTS for found in path.glob(kind)):
            raise RerankingError(
                f"{self._source!r} holds no model",
                hint=f"the folder needs tokenizer.json and one of {', '.join(FILES)}, or a model with its weights in "
                "safetensors",
            )
        return _LibraryModel(self._source, self._options)


class _LibraryModel:
    """Score pairs by a model that sentence-transformers loads."""

    def __init__(self, source: str, options: dict[str, Any]) -> None:
        try:
            library = import_module("sentence_transformers")
        except ImportError as error:
            raise MissingExtraError(
                "CrossEncoderReranker needs the sentence-transformers library",
                hint='run: pip install "pgbraid[sentence-transformers]", or give a folder with a model in ONNX',
            ) from error
        try:
            self._encoder = library.CrossEncoder(source, **options)
        except Exception as error:
            raise RerankingError(
                f"sentence-transformers cannot load {source!r}: {error}",
                hint="give a model name it knows, or the path of a downloaded model",
            ) from error

    def predict(self, pairs: list[tuple[str, str]], batch_size: int) -> Any:
        return self._encoder.predict(pairs, batch_size=batch_size, show_progress_bar=False)


def _clean(text: str) -> str:
    """Remove lone surrogates, which tokenizers refuse."""
    return text.encode("utf-8", "replace").decode()
