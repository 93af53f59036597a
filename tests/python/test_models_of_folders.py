"""Test embedders that load a model from a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from pgbraid.embedders import Embedder
from pgbraid.errors import EmbeddingError, InvalidArgumentError, MissingExtraError
from pgbraid_tools.embedders import OnnxEmbedder, SentenceTransformerEmbedder, StaticEmbedder

pytestmark = pytest.mark.any_version

WORDS = ["[UNK]", "fox", "hen", "egg"]
TYPES = {"float32": "F32", "float16": "F16", "int8": "I8", "int64": "I64"}


def save_tokenizer(folder: Path) -> None:
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    # A packaged tokenizer may have these settings, which embedders must override.
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(folder / "tokenizer.json"))


def save_static(folder: Path, normalise: bool = False, **tensors: Any) -> Path:
    header, body = {}, b""
    for name, tensor in tensors.items():
        data = tensor.tobytes()
        header[name.replace("__", ".")] = {
            "dtype": TYPES[tensor.dtype.name],
            "shape": tensor.shape,
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    text = json.dumps({"__metadata__": {"format": "np"}, **header}).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + body)
    (folder / "config.json").write_text(json.dumps({"normalize": normalise}))
    save_tokenizer(folder)
    return folder


VECTORS = np.array([[9, 9], [3, 0], [0, 4], [1, 1]], dtype=np.float32)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8])
def test_a_text_is_the_mean_of_its_tokens(tmp_path: Path, kind: Any) -> None:
    embedder: Embedder = StaticEmbedder(save_static(tmp_path, embeddings=VECTORS.astype(kind)), model_name="mine")
    vectors = embedder.embed_documents(["fox hen", "fox fox hen unknown", "fox " * 600 + "hen " * 1200])
    assert isinstance(vectors, np.ndarray)
    np.testing.assert_allclose(vectors, [[1.5, 2], [2, 4 / 3], [1, 8 / 3]], rtol=1e-6)
    assert vectors.dtype == np.float32
    assert (embedder.model_name, embedder.dimensions) == ("mine", 2)
    assert np.asarray(embedder.embed_query("hen")).tolist() == [0, 4]
    assert len(embedder.embed_documents([])) == 0


def test_static_vectors_that_are_normalised_weighted_and_shared(tmp_path: Path) -> None:
    folder = tmp_path / "potion"
    folder.mkdir()
    save_static(
        folder,
        normalise=True,
        embedding__weight=np.array([[3, 0], [0, 4]], dtype=np.float32),
        mapping=np.array([0, 0, 1, 1]),
        weights=np.array([1, 2, 3, 1], dtype=np.float32),
    )
    embedder = StaticEmbedder(folder)
    assert embedder.model_name == "potion"
    np.testing.assert_allclose(embedder.embed_query("fox hen"), np.array([6, 12]) / 180**0.5, rtol=1e-6)


@pytest.mark.parametrize("text", ["", " ", "nobody knows", "\ud800"])
def test_texts_without_a_known_word_have_a_direction(tmp_path: Path, text: str) -> None:
    vector = StaticEmbedder(save_static(tmp_path, embeddings=VECTORS)).embed_query(text)
    assert np.linalg.norm(vector) == pytest.approx(1)


@pytest.mark.parametrize("damage", ["model.safetensors", "tokenizer.json", "config.json", "fewer", "cut"])
def test_a_folder_that_is_no_static_model(tmp_path: Path, damage: str) -> None:
    save_static(tmp_path, embeddings=VECTORS[: 3 if damage == "fewer" else 4])
    if damage == "cut":
        file = tmp_path / "model.safetensors"
        file.write_bytes(file.read_bytes()[:-8])
    elif damage != "fewer":
        (tmp_path / damage).unlink()
    with pytest.raises(EmbeddingError) as caught:
        StaticEmbedder(tmp_path).warm_up()
    assert str(tmp_path) in caught.value.message
    assert "save_pretrained" in (caught.value.hint or "")


# A stand-in for an ONNX session looks tokens up, with the inputs and outputs of a real session

TABLE = np.array([[5, 5, 5], [1, 2, 2], [3, 0, 4], [0, 0, 7]], dtype=np.float32)


class Session:
    asked: list[dict[str, Any]]
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    # The rank of each output.
    outputs: ClassVar[dict[str, int]] = {"last_hidden_state": 3}

    def __init__(self, file: str, providers: list[str]) -> None:
        if Path(file).read_bytes() != b"model":
            raise RuntimeError("Protobuf parsing failed")
        assert providers == ["CPUExecutionProvider"]
        Session.asked = []

    def get_inputs(self) -> Any:
        return [SimpleNamespace(name=name) for name in self.inputs]

    def get_outputs(self) -> Any:
        return [SimpleNamespace(name=name) for name in self.outputs]

    def run(self, outputs: None, given: dict[str, Any]) -> Any:
        assert set(given) == set(self.inputs)
        Session.asked.append(given)
        tokens = TABLE[given["input_ids"]]
        return [tokens if rank == 3 else tokens[:, 0] * 2 for rank in self.outputs.values()]


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> type[Session]:
    monkeypatch.setitem(sys.modules, "onnxruntime", SimpleNamespace(InferenceSession=Session))
    return Session


def save_onnx(folder: Path, name: str = "onnx/model.onnx") -> Path:
    save_tokenizer(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(b"model")
    return folder


def unit(numbers: Any) -> Any:
    return np.asarray(numbers, dtype=np.float32) / np.linalg.norm(numbers)


def test_padding_counts_for_nothing(tmp_path: Path, runtime: type[Session]) -> None:
    embedder: Embedder = OnnxEmbedder(save_onnx(tmp_path), model_name="mine", pooling="mean")
    texts = ["fox hen egg egg", "fox", "hen fox"] * 20
    vectors = np.asarray(embedder.embed_documents(texts))
    expected = [unit([4, 2, 20]), unit([1, 2, 2]), unit([4, 2, 6])] * 20
    np.testing.assert_allclose(vectors, np.stack(expected), rtol=1e-5)
    assert [len(given["input_ids"]) for given in runtime.asked] == [32, 28]
    assert runtime.asked[0]["input_ids"].shape == (32, 2), "texts of a like length come together"
    assert (embedder.model_name, embedder.dimensions) == ("mine", 3)
    assert len(embedder.embed_documents([])) == 0


def test_pooling(tmp_path: Path, runtime: type[Session], monkeypatch: pytest.MonkeyPatch) -> None:
    save_onnx(tmp_path)
    text, mean, first = "hen fox", unit([4, 2, 6]), unit([3, 0, 4])
    with pytest.raises(EmbeddingError, match=r"1_Pooling/config\.json is missing") as caught:
        OnnxEmbedder(tmp_path).embed_query(text)
    assert "pooling=" in (caught.value.hint or "")
    np.testing.assert_allclose(OnnxEmbedder(tmp_path, pooling="cls").embed_query(text), first, rtol=1e-6)
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    np.testing.assert_allclose(OnnxEmbedder(tmp_path).embed_query(text), first, rtol=1e-6)
    np.testing.assert_allclose(OnnxEmbedder(tmp_path, pooling="mean").embed_query(text), mean, rtol=1e-6)
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_lasttoken": true}')
    with pytest.raises(EmbeddingError, match="pooling_mode_lasttoken"):
        OnnxEmbedder(tmp_path).embed_query(text)
    monkeypatch.setattr(runtime, "inputs", ("input_ids",))
    (tmp_path / "1_Pooling" / "config.json").unlink()
    for outputs in ({"sentence_embedding": 2}, {"token_embeddings": 3, "sentence_embedding": 2}, {"mine": 2}):
        monkeypatch.setattr(runtime, "outputs", outputs)
        np.testing.assert_allclose(OnnxEmbedder(tmp_path).embed_query(text), first, rtol=1e-6)
    # BERT's pooler_output is no embedding.
    monkeypatch.setattr(runtime, "outputs", {"last_hidden_state": 3, "pooler_output": 2})
    np.testing.assert_allclose(OnnxEmbedder(tmp_path, pooling="mean").embed_query(text), mean, rtol=1e-6)


@pytest.mark.parametrize("outputs", [{"logits": 4}, {"pooler_output": 2}, {"one": 2, "other": 2}])
def test_outputs_without_one_vector(
    tmp_path: Path, runtime: type[Session], monkeypatch: pytest.MonkeyPatch, outputs: dict[str, int]
) -> None:
    monkeypatch.setattr(runtime, "outputs", {name: 2 if rank == 4 else rank for name, rank in outputs.items()})
    if "logits" in outputs:
        monkeypatch.setattr(runtime, "run", lambda *_: [np.zeros((1, 2, 3, 4))])
    with pytest.raises(EmbeddingError, match="output"):
        OnnxEmbedder(save_onnx(tmp_path), pooling="mean").embed_query("fox")


@pytest.mark.usefixtures("runtime")
def test_prefixes_of_the_folder_of_arguments_and_of_a_known_model(tmp_path: Path) -> None:
    fox, hen, hen_fox = unit([1, 2, 2]), unit([3, 0, 4]), unit([4, 2, 6])
    (save_onnx(tmp_path) / "config_sentence_transformers.json").write_text('{"prompts": {"query": "hen "}}')
    embedder = OnnxEmbedder(tmp_path, pooling="mean")
    np.testing.assert_allclose(embedder.embed_query("fox"), hen_fox, rtol=1e-6)
    np.testing.assert_allclose(embedder.embed_query("hen fox"), hen_fox, rtol=1e-6)
    np.testing.assert_allclose(embedder.embed_documents(["fox"])[0], fox, rtol=1e-6)
    embedder = OnnxEmbedder(tmp_path, pooling="cls", query_prefix="", document_prefix="hen ")
    np.testing.assert_allclose(embedder.embed_query("fox"), fox, rtol=1e-6)
    np.testing.assert_allclose(embedder.embed_documents(["fox"])[0], hen, rtol=1e-6)
    (tmp_path / "config_sentence_transformers.json").unlink()
    embedder = OnnxEmbedder(tmp_path, model_name="bge-small-en-v1.5")
    first_of_prefix = unit([5, 5, 5])
    np.testing.assert_allclose(embedder.embed_query("fox"), first_of_prefix, rtol=1e-6)
    np.testing.assert_allclose(embedder.embed_documents(["fox hen"])[0], fox, rtol=1e-6)


def test_texts_are_cut(tmp_path: Path, runtime: type[Session]) -> None:
    OnnxEmbedder(save_onnx(tmp_path), pooling="cls", max_tokens=3).embed_query("fox " * 100)
    assert runtime.asked[0]["input_ids"].shape == (1, 3)
    (tmp_path / "sentence_bert_config.json").write_text('{"max_seq_length": 7}')
    (tmp_path / "tokenizer_config.json").write_text('{"model_max_length": 9}')
    OnnxEmbedder(tmp_path, pooling="cls").embed_query("fox " * 100)
    assert runtime.asked[0]["input_ids"].shape == (1, 7)


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("name", ["model.onnx", "onnx/model.onnx", "model_optimized.onnx"])
def test_the_folder_or_the_file(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "bge"
    folder.mkdir()
    save_onnx(folder, name)
    for path in (folder, folder / name):
        assert OnnxEmbedder(path, pooling="mean").embed_query("").shape == (3,)
    assert OnnxEmbedder(folder).model_name == "bge"


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("damage", ["tokenizer.json", "onnx/model.onnx", "broken"])
def test_a_folder_that_is_no_onnx_model(tmp_path: Path, damage: str) -> None:
    save_onnx(tmp_path)
    if damage == "broken":
        (tmp_path / "onnx/model.onnx").write_bytes(b"html")
    else:
        (tmp_path / damage).unlink()
    with pytest.raises(EmbeddingError) as caught:
        OnnxEmbedder(tmp_path).warm_up()
    assert str(tmp_path) in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("options", [{"pooling": "max"}, {"max_tokens": 0}])
def test_mistakes_of_onnx(options: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=next(iter(options))):
        OnnxEmbedder("x", **options)


@pytest.mark.parametrize(
    ("embedder", "library", "extra"),
    [
        (OnnxEmbedder, "onnxruntime", "onnx"),
        (OnnxEmbedder, "tokenizers", "onnx"),
        (StaticEmbedder, "tokenizers", "local"),
    ],
)
def test_without_the_library(embedder: Any, library: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", SimpleNamespace())
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError) as caught:
        embedder("x").embed_query("x")
    assert f"pgbraid[{extra}]" in (caught.value.hint or "")


# The prompts of sentence-transformers are read


@pytest.mark.parametrize(
    ("prompts", "document", "query"),
    [
        ({}, None, None),
        ({"query": "", "document": ""}, None, None),
        ({"query": "query: ", "passage": "passage: "}, "passage", "query"),
        ({"document": "text: "}, "document", None),
    ],
)
def test_prompts_of_the_model_are_used(
    monkeypatch: pytest.MonkeyPatch, prompts: dict[str, str], document: str | None, query: str | None
) -> None:
    asked = []

    class Model:
        def __init__(self, source: str) -> None:
            self.prompts = prompts

        def encode(self, texts: list[str], prompt_name: str | None, **_: Any) -> Any:
            asked.append(prompt_name)
            return np.ones((len(texts), 2))

    library = SimpleNamespace(SentenceTransformer=Model)
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    embedder = SentenceTransformerEmbedder("some/model")
    embedder.embed_documents(["a", "b"])
    embedder.warm_up()
    assert asked == [document, query]
