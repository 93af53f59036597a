"""Run models in ONNX from a folder, without torch."""

from __future__ import annotations

import json
import threading
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from pgbraid.embedders.protocol import Vector, Vectors
from pgbraid.errors import EmbeddingError, InvalidArgumentError, MissingExtraError

__all__ = ["OnnxEmbedder"]

# Exports put the model in one of these files, in the order of preference.
FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
BATCH = 32


class _Model(NamedTuple):
    tokenizer: Any
    session: Any
    inputs: set[str]
    pooling: str


class OnnxEmbedder:
    """Embed by a model in ONNX with its tokenizer.json, on the CPU; needs `pip install "pgbraid[onnx]"`.
    sentence-transformers, fastembed and Transformers.js export such models. The vectors are unit vectors.

    `path` is the folder, or the file in it. `pooling` makes one vector from the tokens' vectors: `"mean"` takes their
    mean, `"cls"` the first. None reads it from 1_Pooling/config.json, and takes the mean without that file. A text is
    cut at `max_tokens`: choose the collection's chunk_tokens below it. `model_name` defaults to the folder's name. The
    model loads at the first use. It is safe to use from several threads.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        model_name: str | None = None,
        pooling: Literal["mean", "cls"] | None = None,
        max_tokens: int = 512,
    ) -> None:
        if pooling not in ("mean", "cls", None):
            raise InvalidArgumentError(f"pooling is {pooling!r}", hint="use 'mean', 'cls' or None")
        if max_tokens < 1:
            raise InvalidArgumentError(
                f"max_tokens is {max_tokens}", hint="use the number of tokens that the model was trained on"
            )
        self._path = Path(path)
        self._pooling = pooling
        self._max_tokens = max_tokens
        self._loading = threading.Lock()
        folder = self._path.resolve()
        self.model_name = model_name or (folder.parent if folder.suffix == ".onnx" else folder).name

    @cached_property
    def dimensions(self) -> int:
        return len(self.embed_query("dimensions"))

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Return float32 vectors, shape (len(texts), dimensions). Raise EmbeddingError if the model cannot be
        loaded or run."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        model = self._model
        found = model.tokenizer.encode_batch([text.encode("utf-8", "replace").decode() for text in texts])
        # Texts of similar length need little padding.
        order = sorted(range(len(found)), key=lambda place: len(found[place].ids))
        vectors: list[Vector] = [np.empty(0, dtype=np.float32)] * len(found)
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            for place, vector in zip(places, self._run(model, [found[place] for place in places]), strict=True):
                vectors[place] = vector
        return np.stack(vectors)

    def embed_query(self, text: str) -> Vector:
        """Return a float32 vector, shape (dimensions,). Raise EmbeddingError if the model cannot be loaded or run."""
        vector: Vector = self.embed_documents([text])[0]
        return vector

    def warm_up(self) -> None:
        """Load the model now, and embed a text. Raise EmbeddingError if either fails."""
        self.embed_query("warm up")

    def _run(self, model: _Model, encodings: list[Any]) -> Vectors:
        length = max(1, *(len(encoding.ids) for encoding in encodings))
        ids, mask = np.zeros((2, len(encodings), length), dtype=np.int64)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            found = model.session.run(None, {name: value for name, value in given.items() if name in model.inputs})
        except Exception as error:
            raise EmbeddingError(
                f"the model {self._path} failed: {error}", hint="choose another max_tokens, or another model"
            ) from error
        # An output with one vector a text is pooled already.
        pooled = next((output for output in found if output.ndim == 2), None)
        if pooled is None:
            tokens = found[0].astype(np.float32)
            pooled = tokens[:, 0]
            if model.pooling == "mean":
                pooled = (tokens * mask[:, :, None]).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)[:, None]
        vectors: Vectors = np.array(pooled, dtype=np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, norms, out=vectors, where=norms > 0)
        return vectors

    @property
    def _model(self) -> _Model:
        with self._loading:
            return self._loaded

    @cached_property
    def _loaded(self) -> _Model:
        try:
            runtime = import_module("onnxruntime")
            tokenizer_class = import_module("tokenizers").Tokenizer
        except ImportError as error:
            raise MissingExtraError(
                f"OnnxEmbedder needs the library {error.name}", hint='run: pip install "pgbraid[onnx]"'
            ) from error
        try:
            file = self._path
            if file.is_dir():
                file = next(file / name for name in FILES if (file / name).is_file())
            folders = (file.parent, file.parent.parent)
            folder = next(folder for folder in folders if (folder / "tokenizer.json").is_file())
            tokenizer = tokenizer_class.from_file(str(folder / "tokenizer.json"))
            tokenizer.enable_truncation(self._max_tokens)
            tokenizer.no_padding()
            session = runtime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
            return _Model(
                tokenizer, session, {given.name for given in session.get_inputs()}, self._pooling or _pooling_of(folder)
            )
        except StopIteration:
            problem = "the folder needs tokenizer.json and one of " + ", ".join(FILES)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        raise EmbeddingError(
            f"{self._path} is no model in ONNX: {problem}", hint="give the folder of an export, such as optimum-cli's"
        )


def _pooling_of(folder: Path) -> str:
    file = folder / "1_Pooling" / "config.json"
    return "cls" if file.is_file() and json.loads(file.read_text()).get("pooling_mode_cls_token") else "mean"
