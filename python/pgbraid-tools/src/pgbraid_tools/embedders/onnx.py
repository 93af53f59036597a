"""Run models in ONNX from a folder, without torch."""

from __future__ import annotations

import json
import threading
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from pgbraid.embedders.model_files import offline_model
from pgbraid.embedders.protocol import Vector, Vectors
from pgbraid.errors import EmbeddingError, InvalidArgumentError, MissingExtraError

__all__ = ["OnnxEmbedder"]

# Exports put the model in one of these files, in the order of preference.
FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
BATCH = 32


# Outputs with a vector for each text, and with a vector for each token, by the names that exports give them. BERT's
# `pooler_output` is for classification.
TEXT_OUTPUTS = ("sentence_embedding",)
TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")
NO_EMBEDDING = ("pooler_output",)
MODES = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


class _Model(NamedTuple):
    tokenizer: Any
    session: Any
    inputs: set[str]
    pooling: str | None
    # The first prefix is for queries, the second for documents.
    prefixes: tuple[str, str]


class OnnxEmbedder:
    """Embed by a model in ONNX with its tokenizer.json, on the CPU; needs `pip install "pgbraid[onnx]"`.
    sentence-transformers, fastembed and Transformers.js export such models. The vectors are unit vectors.

    `path` is the folder, or the file in it. `pooling` makes one vector from the tokens' vectors: `"mean"` takes their
    mean, `"cls"` the first. None reads it from 1_Pooling/config.json; without that file, a model whose output is not
    pooled is refused. `query_prefix` and `document_prefix` come before each text; None reads them from
    config_sentence_transformers.json. The folder names of the offline models stand for their pooling and prefix. A
    text is cut at `max_tokens`; None reads it from the folder, else takes 512: choose the collection's chunk_tokens
    below it. `model_name` defaults to the folder's name. The model loads at the first use. It is safe to use from
    several threads.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        model_name: str | None = None,
        pooling: Literal["mean", "cls"] | None = None,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        max_tokens: int | None = None,
    ) -> None:
        if pooling not in ("mean", "cls", None):
            raise InvalidArgumentError(f"pooling is {pooling!r}", hint="use 'mean', 'cls' or None")
        if max_tokens is not None and max_tokens < 1:
            raise InvalidArgumentError(
                f"max_tokens is {max_tokens}", hint="use the number of tokens that the model was trained on"
            )
        self._path = Path(path)
        self._pooling = pooling
        self._prefixes = query_prefix, document_prefix
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
        return self._embed(model, _prefixed(model.prefixes[1], texts))

    def _embed(self, model: _Model, texts: list[str]) -> Vectors:
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
        model = self._model
        vector: Vector = self._embed(model, _prefixed(model.prefixes[0], [text]))[0]
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
        pooled = self._output(model, found, 2, TEXT_OUTPUTS)
        if pooled is None:
            tokens = self._output(model, found, 3, TOKEN_OUTPUTS)
            if tokens is None:
                raise EmbeddingError(
                    f"the model {self._path} has no output with vectors of texts or tokens",
                    hint="export it for feature extraction, as optimum-cli does with --task feature-extraction",
                )
            if model.pooling is None:
                raise EmbeddingError(
                    f"{self._path} does not say how tokens' vectors make a text's vector: 1_Pooling/config.json is"
                    " missing",
                    hint='copy that file from the model\'s repository, or give pooling="mean" or pooling="cls"',
                )
            tokens = tokens.astype(np.float32)
            pooled = tokens[:, 0]
            if model.pooling == "mean":
                pooled = (tokens * mask[:, :, None]).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)[:, None]
        vectors: Vectors = np.array(pooled, dtype=np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, norms, out=vectors, where=norms > 0)
        return vectors

    def _output(self, model: _Model, found: list[Any], rank: int, names: tuple[str, ...]) -> Any:
        """Return the output of this rank, which has a known name or is alone; else None. Raise EmbeddingError if
        several could be meant."""
        outputs = {each.name: value for each, value in zip(model.session.get_outputs(), found, strict=True)}
        fitting = {name: value for name, value in outputs.items() if value.ndim == rank and name not in NO_EMBEDDING}
        for name in names:
            if name in fitting:
                return fitting[name]
        if len(fitting) > 1:
            raise EmbeddingError(
                f"the model {self._path} has several outputs that could be its vectors: {', '.join(fitting)}",
                hint=f"export it with one output, or with one named {' or '.join(names)}",
            )
        return next(iter(fitting.values()), None)

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
                file = next((file / name for name in FILES if (file / name).is_file()), file / FILES[0])
            folders = (file.parent, file.parent.parent)
            folder = next((folder for folder in folders if (folder / "tokenizer.json").is_file()), None)
            if folder is None or not file.is_file():
                missing = "tokenizer.json" if file.is_file() else "one of " + ", ".join(FILES)
                raise FileNotFoundError(f"the folder needs {missing}")
            known = offline_model(self.model_name) or offline_model(folder.resolve().name)
            tokenizer = tokenizer_class.from_file(str(folder / "tokenizer.json"))
            tokenizer.enable_truncation(self._max_tokens or _window_of(folder))
            tokenizer.no_padding()
            session = runtime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
            pooling = self._pooling or _pooling_of(folder) or (known.pooling if known else None)
            prompts = _read(folder / "config_sentence_transformers.json").get("prompts") or {}
            query = prompts.get("query", known.query_prefix if known else "")
            prefixes = (query, prompts.get("document", prompts.get("passage", "")))
            chosen = [own if given is None else given for given, own in zip(self._prefixes, prefixes, strict=True)]
            inputs = {given.name for given in session.get_inputs()}
            return _Model(tokenizer, session, inputs, pooling, (chosen[0], chosen[1]))
        except EmbeddingError:
            raise
        except FileNotFoundError as error:
            problem = str(error)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        raise EmbeddingError(
            f"{self._path} is no model in ONNX: {problem}", hint="give the folder of an export, such as optimum-cli's"
        )


def _prefixed(prefix: str, texts: list[str]) -> list[str]:
    # An AdaptedEmbedder may have put the prefix there.
    return [text if text.startswith(prefix) else prefix + text for text in texts]


def _pooling_of(folder: Path) -> str | None:
    """Return the pooling that 1_Pooling/config.json names, None without that file. Raise EmbeddingError for a pooling
    that OnnxEmbedder lacks."""
    file = folder / "1_Pooling" / "config.json"
    chosen = [name for name, value in _read(file).items() if name.startswith("pooling_mode_") and value is True]
    if file.is_file() and (len(chosen) != 1 or chosen[0] not in MODES):
        raise EmbeddingError(
            f"{file} asks for {' and '.join(chosen) or 'no pooling'}, which OnnxEmbedder lacks",
            hint="use SentenceTransformerEmbedder, or export the model with the output sentence_embedding",
        )
    return MODES[chosen[0]] if chosen else None


def _window_of(folder: Path) -> int:
    """Return the smallest number of tokens that the folder's files name for one text, else 512."""
    named = [
        _read(folder / "sentence_bert_config.json").get("max_seq_length"),
        _read(folder / "tokenizer_config.json").get("model_max_length"),
        _read(folder / "config.json").get("max_position_embeddings"),
    ]
    # Some tokenizers name 1e30 for no limit.
    return min((number for number in named if isinstance(number, int) and 0 < number < 1 << 20), default=512)


def _read(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else {}
