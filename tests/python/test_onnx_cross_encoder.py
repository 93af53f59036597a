"""CrossEncoderReranker runs models in ONNX from a folder."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

import pgbraid
from pgbraid.errors import MissingExtraError, RerankingError
from pgbraid_tools.rerankers import CrossEncoderReranker
from support.cross_encoder import cross_encoder_folder

pytestmark = pytest.mark.any_version
WORDS = ["[UNK]", "[SEP]", "fox", "hen", "egg"]


class Options:
    def add_session_config_entry(self, name: str, value: str) -> None:
        assert (name, value) == ("session.intra_op.allow_spinning", "0")


class Session:
    """Stand in for the runtime: a pair's logit is the sum of its ids of the second type, plus a tenth of the first."""

    shape: str = "one"
    names: tuple[str, ...] = ("input_ids", "attention_mask", "token_type_ids")
    runs: list[tuple[int, int]]

    def __init__(self, file: str, options: Options, providers: list[str]) -> None:
        assert providers == ["CPUExecutionProvider"]
        if Path(file).read_bytes() != b"model":
            raise ValueError("not a model")
        Session.runs = []

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name=name) for name in self.names]

    def run(self, wanted: None, given: dict[str, Any]) -> list[Any]:
        assert set(given) == set(self.names)
        ids, mask = given["input_ids"], given["attention_mask"]
        types = given.get("token_type_ids", np.zeros_like(ids))
        Session.runs.append(ids.shape)
        one = ((ids * types * mask).sum(axis=1) + (ids * (1 - types) * mask).sum(axis=1) / 10).astype(np.float32)
        shapes = {"one": one[:, None], "flat": one, "two": np.stack([one / 2, one], axis=1)}
        shapes["vectors"] = np.zeros((len(ids), 5))
        return [shapes[self.shape]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(sys.modules, "onnxruntime", SimpleNamespace(InferenceSession=Session, SessionOptions=Options))
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A", pair="$A:0 [SEP]:0 $B:1", special_tokens=[("[SEP]", 1)]
    )
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"model")
    return tmp_path


def sigmoid(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))


IDENTITY = {"sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"}
NEWER = {"sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"}}


@pytest.mark.parametrize(
    ("shape", "config", "expected"),
    [
        ("one", None, [sigmoid(3.3), sigmoid(5.3)]),
        ("flat", {}, [sigmoid(3.3), sigmoid(5.3)]),
        ("one", IDENTITY, [3.3, 5.3]),
        ("one", NEWER, [3.3, 5.3]),
        ("two", IDENTITY, [sigmoid(3.3 / 2), sigmoid(5.3 / 2)]),
    ],
)
def test_logits_become_scores(
    folder: Path, monkeypatch: pytest.MonkeyPatch, shape: str, config: dict[str, Any] | None, expected: list[float]
) -> None:
    monkeypatch.setattr(Session, "shape", shape)
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config))
    reranker = CrossEncoderReranker(folder)
    assert reranker.rerank("fox", ["hen", "fox hen"]) == pytest.approx(expected, rel=1e-6)
    assert reranker.model_name == folder.name
    assert CrossEncoderReranker(folder / "onnx" / "model.onnx").rerank("fox", ["hen"]) == pytest.approx(
        expected[:1], rel=1e-6
    )


def test_pairs_are_batched_by_length(folder: Path) -> None:
    texts = ["hen " * length for length in (7, 1, 3, 2, 5)]
    (folder / "config.json").write_text(json.dumps(IDENTITY))
    scores = CrossEncoderReranker(folder, batch_size=2).rerank("fox", texts)
    assert scores == pytest.approx([21.3, 3.3, 9.3, 6.3, 15.3], rel=1e-6)
    assert Session.runs == [(2, 4), (2, 7), (1, 9)]


@pytest.mark.parametrize(
    ("config", "tokenizer", "length"),
    [
        ({"max_position_embeddings": 6}, {"model_max_length": 10**30}, 6),
        ({"max_position_embeddings": 20}, {"model_max_length": 8}, 8),
        ({}, {}, 512),
    ],
)
def test_long_pairs_are_cut_at_the_models_window(
    folder: Path, config: dict[str, Any], tokenizer: dict[str, Any], length: int
) -> None:
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    CrossEncoderReranker(folder).rerank("fox", ["hen " * 600])
    assert Session.runs == [(1, length)]


def test_a_model_without_token_types(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Session, "names", ("input_ids", "attention_mask"))
    (folder / "config.json").write_text(json.dumps(IDENTITY))
    assert CrossEncoderReranker(folder).rerank("fox", ["hen"]) == pytest.approx([0.6])


def test_folders_that_hold_no_cross_encoder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusal(path: Path | str) -> str:
        with pytest.raises(RerankingError) as caught:
            CrossEncoderReranker(path).warm_up()
        assert caught.value.hint
        return caught.value.message

    monkeypatch.setattr(Session, "shape", "vectors")
    assert "scores of shape (1, 5) for 1 pairs" in refusal(folder)
    assert "lacks gone.onnx" in refusal(folder / "gone.onnx")
    (folder / "config.json").write_text("{")
    assert "is no cross-encoder in ONNX: JSONDecodeError" in refusal(folder)
    (folder / "config.json").unlink()
    (folder / "onnx" / "model.onnx").write_bytes(b"text")
    assert "not a model" in refusal(folder)
    (folder / "tokenizer.json").unlink()
    assert "lacks tokenizer.json" in refusal(folder)
    shutil.rmtree(folder / "onnx")
    assert "holds no model" in refusal(folder)


def test_without_the_runtime(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError) as caught:
        CrossEncoderReranker(folder).warm_up()
    assert "pgbraid[onnx]" in (caught.value.hint or "")


PASSAGES = [
    "New York City is famous for the Metropolitan Museum of Art.",
    "Berlin has a population of 3,520,031 registered inhabitants in an area of 891.82 square kilometers.",
    "Berlin is well known for its museums.",
]


def test_a_real_cross_encoder_prefers_the_answer() -> None:
    reranker = CrossEncoderReranker(cross_encoder_folder())
    scores = reranker.rerank("How many people live in Berlin?", PASSAGES)
    assert int(np.argmax(scores)) == 1
    assert scores[1] > 0.99 > 0.5 > scores[0]
    # The model is quantised by batch, so a score alone differs a little.
    alone = [float(reranker.rerank("How many people live in Berlin?", [text])[0]) for text in PASSAGES]
    assert list(scores) == pytest.approx(alone, abs=0.05)
    assert reranker.rerank("q", ["word " * 5000, ""]).shape == (2,)


def test_a_search_with_a_real_cross_encoder(client: pgbraid.Client) -> None:
    reranker = CrossEncoderReranker(cross_encoder_folder())
    client.add_documents({"external_id": f"d{n}", "content": text} for n, text in enumerate(PASSAGES))
    best = client.search("How many people live in Berlin?", 1, mode="full_text", reranker=reranker, blend=1)
    assert [row.external_id for row in best] == ["d1"]
    assert best.stats["rerank"]["model"] == "ms-marco-MiniLM-L-12-v2"
