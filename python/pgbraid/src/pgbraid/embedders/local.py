"""Embed by an offline model, all-MiniLM-L6-v2 or bge-small-en-v1.5, without torch."""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pgbraid.embedders.model_files import DEFAULT, OFFLINE_MODELS, SHORT_NAMES, offline_model
from pgbraid.errors import EmbeddingError, InvalidArgumentError, MissingExtraError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from pgbraid.embedders.bert import Bert
    from pgbraid.embedders.protocol import Vector, Vectors

BEGIN, END = 101, 102  # BEGIN is the id of [CLS], END of [SEP].
OVERLAP = 32
# Tokens of one packed forward pass: its activations fit the cache.
PACK = 1024
# A longer query would take longer to embed than to search.
QUERY_CHARACTERS = 8192
REQUIRED = ("tokenizers", "threadpoolctl")

_all_cores = threading.Lock()


class LocalEmbedder:
    """Embed with all-MiniLM-L6-v2 or bge-small-en-v1.5 (384 dimensions, unit vectors) on the CPU; needs `pip install
    "pgbraid[local]"`, and bge-small the package pgbraid-tools.

    `model` is the model's name, or its short name `"minilm"` or `"bge-small"`. Up to the model's window (256 and 512
    tokens) the vectors are the same as sentence-transformers', except for the rounding of bge-small's weights to 8
    bits. A longer text is embedded in overlapping windows, and their unit vectors are averaged, so that no part is
    ignored. A query counts up to 8,192 characters, and bge-small gets its prefix before a query. The model loads at
    first use. Several threads may share an embedder.
    """

    model_name = DEFAULT.name
    dimensions = 384

    def __init__(self, model: str = DEFAULT.name) -> None:
        files = offline_model(model)
        if files is None:
            raise InvalidArgumentError(
                f"model is {model!r}", hint=f"use one of {', '.join([*OFFLINE_MODELS, *SHORT_NAMES])}"
            )
        self._files = files
        self.model_name = files.name
        if not self.installed():
            raise MissingExtraError(
                "the local embedding model needs the extra [local]", hint='run: pip install "pgbraid[local]"'
            )
        self._loading = threading.Lock()

    def __reduce__(self) -> tuple[type[LocalEmbedder], tuple[str]]:
        # The unpickled copy loads the model itself.
        return type(self), (self._files.name,)

    @staticmethod
    def installed() -> bool:
        """Return whether the libraries are installed; missing model files are downloaded at first use."""
        return all(importlib.util.find_spec(name) for name in REQUIRED)

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Return float32, shape (len(texts), 384). Raise EmbeddingError if the model cannot be downloaded."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        tokenizer, model = self._parts
        windows, counts = _windows_of(tokenizer, texts, self._files.window)
        vectors = _run(model, windows)
        if len(windows) == len(texts):
            return vectors
        starts = np.cumsum([0, *counts[:-1]])
        means = np.add.reduceat(vectors, starts, axis=0)
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        return means

    def embed_query(self, text: str) -> Vector:
        """Return float32, shape (384,). Raise EmbeddingError if the model cannot be downloaded."""
        vector: Vector = self.embed_documents([self._files.query_prefix + text[:QUERY_CHARACTERS]])[0]
        return vector

    def warm_up(self) -> None:
        """Download and load the model now. Raise EmbeddingError."""
        self.embed_query("warm up")

    def embed_tokens(self, texts: list[str]) -> list[Vectors]:
        """Return float32 unit vectors of each text, shape (tokens, 384), in the tokens' order and without [CLS] and
        [SEP]. Tokens in the overlap of windows come twice. Raise EmbeddingError if the model cannot be downloaded."""
        if not texts:
            return []
        tokenizer, model = self._parts
        windows, counts = _windows_of(tokenizer, texts, self._files.window)
        ends = np.cumsum([len(window) for window in windows])
        parts = iter(np.split(_run(model.token_vectors, windows), ends[:-1]))
        return [np.concatenate([next(parts)[1:-1] for _ in range(count)]) for count in counts]

    @property
    def _parts(self) -> tuple[Tokenizer, Bert]:
        with self._loading:
            return self._loaded

    @cached_property
    def _loaded(self) -> tuple[Tokenizer, Bert]:
        from tokenizers import Tokenizer

        from pgbraid.embedders.bert import Bert, read_safetensors
        from pgbraid.embedders.model_files import cache_directory, find_model

        files = self._files
        directory = find_model(files)
        if directory is None:
            from pgbraid.embedders.model_fetch import fetch

            directory = fetch(files, cache_directory(files))
        tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
        # The packaged file would truncate and pad.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        weights = directory / files.weights
        try:
            if weights.suffix == ".onnx":
                from pgbraid._tools import tool

                return tokenizer, Bert(tool("onnx-weights", files.name).read_onnx(weights), files.pooling)
            return tokenizer, Bert(read_safetensors(weights), files.pooling)
        except (IndexError, KeyError, StopIteration, ValueError) as error:
            raise EmbeddingError(
                f"{weights} does not hold the weights of {files.name}",
                hint=f"take the file of the package {files.package} {files.version}",
            ) from error


def _windows_of(tokenizer: Tokenizer, texts: list[str], window: int) -> tuple[list[list[int]], list[int]]:
    """Return the windows of all texts as token ids with [CLS] and [SEP], and each text's number of windows."""
    windows: list[list[int]] = []
    counts: list[int] = []
    for encoding in tokenizer.encode_batch_fast(
        [text.encode("utf-8", "replace").decode() for text in texts], add_special_tokens=False
    ):
        pieces = _windows(encoding.ids, window)
        windows += [[BEGIN, *piece, END] for piece in pieces]
        counts.append(len(pieces))
    return windows, counts


def _windows(ids: list[int], window: int) -> list[list[int]]:
    if len(ids) <= window:
        return [ids]
    starts = [*range(0, len(ids) - window, window - OVERLAP), len(ids) - window]
    return [ids[start : start + window] for start in starts]


def _run(model: Callable[[list[list[int]]], Vectors], windows: list[list[int]]) -> Vectors:
    packs: list[list[list[int]]] = [[]]
    size = 0
    for window in windows:
        if size + len(window) > PACK and packs[-1]:
            packs.append([])
            size = 0
        packs[-1].append(window)
        size += len(window)
    workers = min(_cores(), len(packs))
    if workers == 1:
        return np.concatenate([model(pack) for pack in packs])

    from threadpoolctl import threadpool_limits

    # One pass per core beats one pass over all cores. The limit of BLAS is per process, hence one caller at a time.
    with _all_cores, threadpool_limits(1, "blas"), ThreadPoolExecutor(workers) as pool:
        return np.concatenate(list(pool.map(model, packs)))


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
