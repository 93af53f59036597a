"""Embed by static vectors, one for each token, as model2vec makes them: no neural network runs."""

from __future__ import annotations

import json
import threading
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pgbraid.embedders.protocol import Vector, Vectors
from pgbraid.errors import EmbeddingError, MissingExtraError

__all__ = ["StaticEmbedder"]

# The number types of safetensors, as numpy names them: https://huggingface.co/docs/safetensors
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I8": "i1"}


class _Model(NamedTuple):
    tokenizer: Any
    unknown: int | None
    vectors: npt.NDArray[Any]  # Vectors of tokens, or of their groups.
    groups: npt.NDArray[np.int64] | None
    weights: npt.NDArray[np.float32] | None
    normalise: bool


class StaticEmbedder:
    """Embed by a model2vec model from a folder with model.safetensors, tokenizer.json and config.json; needs `pip
    install "pgbraid[local]"`.

    The vector of a text is the mean of its tokens' vectors, whatever the text's length. `model_name` defaults to the
    folder's name. The model loads at the first use. It is safe to use from several threads.
    """

    def __init__(self, path: str | Path, *, model_name: str | None = None) -> None:
        self._path = Path(path)
        self._loading = threading.Lock()
        self.model_name = model_name or self._path.resolve().name

    @property
    def dimensions(self) -> int:
        return int(self._model.vectors.shape[1])

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Return float32 vectors, shape (len(texts), dimensions). Raise EmbeddingError if loading fails."""
        model = self._model
        encodings = model.tokenizer.encode_batch_fast(
            [text.encode("utf-8", "replace").decode() for text in texts], add_special_tokens=False
        )
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for vector, encoding in zip(vectors, encodings, strict=True):
            vector[:] = _mean(model, [token for token in encoding.ids if token != model.unknown])
        return vectors

    def embed_query(self, text: str) -> Vector:
        """Return a float32 vector, shape (dimensions,). Raise EmbeddingError if loading fails."""
        vector: Vector = self.embed_documents([text])[0]
        return vector

    def warm_up(self) -> None:
        """Load the model now. Raise EmbeddingError if loading fails."""
        self.embed_query("warm up")

    @property
    def _model(self) -> _Model:
        with self._loading:
            return self._loaded

    @cached_property
    def _loaded(self) -> _Model:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtraError(
                "StaticEmbedder needs the tokenizers library", hint='run: pip install "pgbraid[local]"'
            ) from error
        try:
            tensors = _read_tensors(self._path / "model.safetensors")
            config = json.loads((self._path / "config.json").read_text())
            tokenizer = Tokenizer.from_file(str(self._path / "tokenizer.json"))
            tokenizer.no_truncation()
            tokenizer.no_padding()
            kind = json.loads(tokenizer.to_str())["model"]
            vectors = tensors["embeddings"] if "embeddings" in tensors else tensors["embedding.weight"]
            groups, weights = tensors.get("mapping"), tensors.get("weights")
            if vectors.ndim != 2 or len(vectors if groups is None else groups) < tokenizer.get_vocab_size():
                raise ValueError("there are fewer vectors than tokens")
        except Exception as error:
            raise EmbeddingError(
                f"{self._path} is no model of static vectors: {type(error).__name__}: {error}",
                hint="give a folder that model2vec's save_pretrained wrote",
            ) from error
        unknown = tokenizer.token_to_id(kind["unk_token"]) if kind.get("unk_token") else kind.get("unk_id")
        return _Model(tokenizer, unknown, vectors, groups, weights, bool(config.get("normalize", False)))


def _mean(model: _Model, tokens: list[int]) -> Vector:
    size = model.vectors.shape[1]
    if not tokens:
        # A text without a known word is equally near to all others; a zero vector has no direction.
        return np.full(size, size**-0.5, dtype=np.float32)
    found = model.vectors[tokens if model.groups is None else model.groups[tokens]].astype(np.float32)
    if model.weights is not None:
        found *= model.weights[tokens].astype(np.float32)[:, None]
    mean: Vector = found.mean(axis=0)
    norm = np.linalg.norm(mean)
    return mean / norm if model.normalise and norm > 0 else mean


def _read_tensors(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Return views of the file's memory map: unused rows are never read from disk."""
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    size = int(raw[:8].view("<u8")[0])
    header = json.loads(raw[8 : 8 + size].tobytes())
    body = raw[8 + size :]
    return {
        name: np.asarray(body[slice(*entry["data_offsets"])].view(_TYPES[entry["dtype"]]).reshape(entry["shape"]))
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] in _TYPES
    }
