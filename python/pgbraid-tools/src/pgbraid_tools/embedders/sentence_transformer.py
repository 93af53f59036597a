"""Embed by any model of the sentence-transformers library."""

from __future__ import annotations

import threading
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from pgbraid.embedders.protocol import Vector, Vectors
from pgbraid.errors import EmbeddingError, MissingExtraError

__all__ = ["SentenceTransformerEmbedder"]


# The library's own encode_document looks for these names.
DOCUMENT_PROMPTS = ("document", "passage", "corpus")


class SentenceTransformerEmbedder:
    """Embed by a sentence-transformers model, given by name or path; needs `pip install sentence-transformers`.

    The library cuts a text at the model's `max_seq_length`: choose the collection's chunk_tokens below it. The model's
    own prompts for queries and documents are used; for others, and for prefixes, see AdaptedEmbedder. `model_name`
    defaults to the last part of the name or path. The model loads at the first use.
    """

    def __init__(self, model_name_or_path: str, *, model_name: str | None = None, **options: Any) -> None:
        self._source = model_name_or_path
        self._options = options
        self._loading = threading.Lock()
        self.model_name = model_name or model_name_or_path.rstrip("/").rsplit("/", 1)[-1]

    @property
    def dimensions(self) -> int:
        model = self._model
        # sentence-transformers 5.4 renamed this method, and the older name warns since.
        size = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        return int(size())

    def embed_documents(self, texts: list[str]) -> Vectors:
        prompts = self._prompts
        return self._encode(texts, prompt_name=next((name for name in DOCUMENT_PROMPTS if name in prompts), None))

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self._encode([text], prompt_name="query" if "query" in self._prompts else None)[0]
        return vector

    def warm_up(self) -> None:
        """Load the model now, and embed a text. Raise EmbeddingError if the model cannot be loaded."""
        self.embed_query("warm up")

    def embed_tokens(self, texts: list[str]) -> list[Vectors]:
        """Return for each text float32 unit vectors, shape (tokens, dimensions), special tokens included."""
        found = self._model.encode(texts, output_value="token_embeddings", show_progress_bar=False)
        tokens = [np.asarray(vectors.float().cpu(), dtype=np.float32) for vectors in found]
        return [vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in tokens]

    def _encode(self, texts: list[str], prompt_name: str | None = None) -> Vectors:
        vectors = self._model.encode(texts, prompt_name=prompt_name, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), -1)

    @property
    def _prompts(self) -> dict[str, str]:
        return {name: text for name, text in (self._model.prompts or {}).items() if text}

    @property
    def _model(self) -> Any:
        with self._loading:
            return self._loaded

    @cached_property
    def _loaded(self) -> Any:
        try:
            library = import_module("sentence_transformers")
        except ImportError as error:
            raise MissingExtraError(
                "SentenceTransformerEmbedder needs the sentence-transformers library",
                hint="run: pip install sentence-transformers",
            ) from error
        try:
            return library.SentenceTransformer(self._source, **self._options)
        except Exception as error:
            raise EmbeddingError(
                f"sentence-transformers cannot load {self._source!r}: {error}",
                hint="give a model name it knows, or the path of a downloaded model",
            ) from error
