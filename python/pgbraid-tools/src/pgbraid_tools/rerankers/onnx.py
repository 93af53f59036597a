"""Run cross-encoders in ONNX from a folder, without torch."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pgbraid.errors import MissingExtraError, RerankingError
from pgbraid.reranker import Scores
from pgbraid_tools.embedders.onnx import FILES

__all__ = ["OnnxCrossEncoder", "onnx_file"]

HINT = "give the folder of an export, such as optimum-cli's with --task text-classification"
MOST_TOKENS = 512
# Tokenizers without a limit state a huge number.
UNLIMITED = 1_000_000


def onnx_file(path: Path) -> Path | None:
    """Return the model's file in the folder, or the path itself if it names a file in ONNX; None without one."""
    if path.suffix == ".onnx":
        return path
    return next((path / name for name in FILES if (path / name).is_file()), None)


class OnnxCrossEncoder:
    """Score pairs by a model in ONNX with its tokenizer.json, on the CPU. It is safe to use from several threads."""

    def __init__(self, file: Path) -> None:
        try:
            runtime = import_module("onnxruntime")
            tokenizer_class = import_module("tokenizers").Tokenizer
        except ImportError as error:
            raise MissingExtraError(
                f"a cross-encoder in ONNX needs the library {error.name}", hint='run: pip install "pgbraid[onnx]"'
            ) from error
        folder = next((at for at in (file.parent, file.parent.parent) if (at / "tokenizer.json").is_file()), None)
        if folder is None or not file.is_file():
            lacking = file.name if folder else "tokenizer.json"
            raise RerankingError(f"{file.parent} lacks {lacking}", hint=HINT)
        try:
            config = _read(folder / "config.json")
            self._tokenizer = tokenizer_class.from_file(str(folder / "tokenizer.json"))
            self._tokenizer.enable_truncation(_longest(config, _read(folder / "tokenizer_config.json")))
            self._tokenizer.no_padding()
            options = runtime.SessionOptions()
            # Waiting threads would otherwise spin, which takes processor time from everything else on the machine.
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            self._session = runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise RerankingError(
                f"{file} is no cross-encoder in ONNX: {type(error).__name__}: {error}", hint=HINT
            ) from error
        self._file = file
        self._inputs = {given.name for given in self._session.get_inputs()}
        self._is_identity = _activation(config).endswith("Identity")

    def predict(self, pairs: list[tuple[str, str]], batch_size: int) -> Scores:
        """Return a score for each pair. Raise RerankingError."""
        encodings = self._tokenizer.encode_batch(pairs)
        # Pairs of similar length need little padding.
        order = sorted(range(len(pairs)), key=lambda place: len(encodings[place].ids))
        scores = np.empty(len(pairs))
        for start in range(0, len(order), batch_size):
            places = order[start : start + batch_size]
            scores[places] = self._run([encodings[place] for place in places])
        return scores

    def _run(self, encodings: list[Any]) -> Scores:
        length = max(len(encoding.ids) for encoding in encodings)
        ids, types, mask = np.zeros((3, len(encodings), length), dtype=np.int64)
        for row, encoding in enumerate(encodings):
            end = len(encoding.ids)
            ids[row, :end], types[row, :end], mask[row, :end] = encoding.ids, encoding.type_ids, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        try:
            found = self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})
        except Exception as error:
            raise RerankingError(
                f"the model {self._file} failed: {error}",
                hint="take a model whose inputs are input_ids, attention_mask and token_type_ids",
            ) from error
        return self._scores(np.asarray(found[0], dtype=np.float64), len(encodings))

    def _scores(self, logits: npt.NDArray[np.float64], count: int) -> Scores:
        if logits.shape in ((count,), (count, 1)):
            single = logits.reshape(count)
            return single if self._is_identity else _sigmoid(single)
        if logits.shape == (count, 2):
            # The second logit is the pair's relevance; softmax makes it a probability.
            return _sigmoid(logits[:, 1] - logits[:, 0])
        raise RerankingError(
            f"{self._file} gives scores of shape {logits.shape} for {count} pairs",
            hint="take a cross-encoder, which gives one or two logits for each pair; embedders give vectors",
        )


def _sigmoid(values: npt.NDArray[np.float64]) -> Scores:
    scores: Scores = 0.5 * (1.0 + np.tanh(0.5 * values))
    return scores


def _read(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else {}


def _longest(config: dict[str, Any], tokenizer: dict[str, Any]) -> int:
    """Return the length of the model's window in tokens."""
    given = (tokenizer.get("model_max_length"), config.get("max_position_embeddings"))
    limits = [int(limit) for limit in given if limit and limit < UNLIMITED]
    return min(limits) if limits else MOST_TOKENS


def _activation(config: dict[str, Any]) -> str:
    """Return the class of the activation that sentence-transformers wrote into the configuration. Its default for one
    logit is the sigmoid."""
    newer = config.get("sentence_transformers") or {}
    return str(newer.get("activation_fn") or config.get("sbert_ce_default_activation_function") or "Sigmoid")
