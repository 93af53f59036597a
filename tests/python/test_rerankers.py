"""Test the rerankers of the package; test_reranking.py tests searches that use rerankers."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pgbraid
from pgbraid.embedders import LocalEmbedder
from pgbraid.errors import InvalidArgumentError, MissingExtraError, PgbraidError, RerankingError
from pgbraid.reranker import Reranker
from pgbraid_tools.embedders import SentenceTransformerEmbedder
from pgbraid_tools.errors import RerankingServiceError
from pgbraid_tools.rerankers import CrossEncoderReranker, HttpReranker, LateInteractionReranker, LLMReranker
from support import JsonServer
from support.waiting import PATIENCE

pytestmark = pytest.mark.any_version

SENTENCE = "the quick brown fox jumps over a lazy dog cat"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *SENTENCE.split()]
NOBODY = "http://127.0.0.1:9/v1"


# The following tests call HTTP services


def scored(body: dict[str, Any]) -> list[tuple[int, float]]:
    """Return (place, score) of each text, the best first; the score is a tenth of the text's number of words."""
    texts = body.get("documents") or body["texts"]
    return sorted(((i, len(text.split()) / 10) for i, text in enumerate(texts)), key=lambda row: -row[1])


def cohere(body: dict[str, Any]) -> Any:
    return {"results": [{"index": i, "relevance_score": score} for i, score in scored(body)], "id": "1"}


def tei(body: dict[str, Any]) -> Any:
    return [{"index": i, "score": score} for i, score in scored(body)]


@pytest.fixture
def service() -> Iterator[JsonServer]:
    with JsonServer(cohere) as running:
        yield running


@pytest.mark.parametrize(
    ("api", "model", "answer", "sent"),
    [
        ("cohere", "rerank-v3.5", cohere, {"model": "rerank-v3.5", "query": "q", "documents": ["b b", "a", "c c c"]}),
        (
            "jina",
            "m",
            cohere,
            {"model": "m", "query": "q", "documents": ["b b", "a", "c c c"], "return_documents": False},
        ),
        ("tei", None, tei, {"query": "q", "texts": ["b b", "a", "c c c"], "truncate": True, "raw_scores": False}),
    ],
)
def test_http_apis(
    service: JsonServer, api: Any, model: str | None, answer: Callable[[Any], Any], sent: dict[str, Any]
) -> None:
    service.answer = answer
    reranker: Reranker = HttpReranker(api, model, base_url=service.url, api_key="secret")
    scores = reranker.rerank("q", ["b b", "a", "c c c"])
    assert scores.tolist() == [0.2, 0.1, 0.3]
    assert scores.dtype == np.float64
    assert service.requests == [sent]
    assert service.paths == ["/v1/rerank"]
    assert service.authorization == "Bearer secret"
    assert reranker.model_name == (model or api)


def test_http_batches(service: JsonServer) -> None:
    texts = [("word " * n).strip() for n in range(1, 6)]
    scores = HttpReranker("cohere", "m", base_url=service.url, batch_size=2).rerank("q", texts)
    np.testing.assert_allclose(scores, [0.1, 0.2, 0.3, 0.4, 0.5])
    assert [request["documents"] for request in service.requests] == [texts[:2], texts[2:4], texts[4:]]
    assert HttpReranker("cohere", "m", base_url=service.url).rerank("q", []).shape == (0,)
    assert len(service.requests) == 3


@pytest.mark.parametrize(("api", "name"), [("cohere", "COHERE_API_KEY"), ("jina", "JINA_API_KEY")])
def test_http_keys_of_the_environment(
    service: JsonServer, monkeypatch: pytest.MonkeyPatch, api: Any, name: str
) -> None:
    monkeypatch.delenv(name, raising=False)
    HttpReranker(api, "m", base_url=service.url).warm_up()
    assert service.authorization is None
    monkeypatch.setenv(name, "from the environment")
    HttpReranker(api, "m", base_url=service.url).warm_up()
    assert service.authorization == "Bearer from the environment"


@pytest.mark.parametrize(("failures", "tries"), [([429], 2), ([503], 2)])
def test_http_repeats_a_busy_service(service: JsonServer, failures: list[int], tries: int) -> None:
    service.failures = list(failures)
    assert HttpReranker("cohere", "m", base_url=service.url).rerank("q", ["a"]).tolist() == [0.1]
    assert len(service.requests) == tries


@pytest.mark.parametrize(("failures", "tries"), [([401], 1), ([302], 1), ([413], 1), ([503] * 9, 2)])
def test_http_gives_up(service: JsonServer, failures: list[int], tries: int) -> None:
    service.failures = list(failures)
    with pytest.raises(RerankingServiceError) as caught:
        HttpReranker("cohere", "m", base_url=service.url, api_key="secret").rerank("q", ["a"])
    assert str(failures[0]) in caught.value.message
    assert caught.value.hint
    assert "secret" not in str(caught.value)
    assert len(service.requests) == tries


BAD_ANSWERS: dict[str, Any] = {
    "not json": b"<html>",
    "cut off": b'{"results": [{"index": 0',
    "nested too deeply": b"[" * 100_000,
    "an error": {"message": "no"},
    "a list": [],
    "null": None,
    "too few": {"results": [{"index": 0, "relevance_score": 1}]},
    "too many": {"results": [{"index": i, "relevance_score": 1} for i in range(3)]},
    "one twice": {"results": [{"index": 0, "relevance_score": 1}] * 2},
    "an index that is not there": {"results": [{"index": i, "relevance_score": 1} for i in (0, -1)]},
    "no score": {"results": [{"index": i} for i in range(2)]},
    "no numbers": {"results": [{"index": i, "relevance_score": "high"} for i in range(2)]},
    "NaN": {"results": [{"index": i, "relevance_score": float("nan")} for i in range(2)]},
    "infinite": b'{"results": [{"index": 0, "relevance_score": 1e999}, {"index": 1, "relevance_score": 1}]}',
    "an infinite index": b'{"results": [{"index": 1e999, "relevance_score": 1}, {"index": 1, "relevance_score": 1}]}',
}


@pytest.mark.parametrize("answer", BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_http_checks_the_answer(service: JsonServer, answer: Any) -> None:
    service.answer = lambda _: answer
    with pytest.raises(RerankingServiceError):
        HttpReranker("jina", "m", base_url=service.url).rerank("q", ["a", "b"])


def test_http_says_that_nobody_is_there() -> None:
    with pytest.raises(RerankingServiceError, match="unreachable"):
        HttpReranker("tei", base_url=NOBODY).warm_up()


def test_http_times_out(service: JsonServer) -> None:
    released = threading.Event()
    service.answer = lambda body: released.wait(PATIENCE) and cohere(body)
    try:
        with pytest.raises(RerankingServiceError, match="timed out"):
            HttpReranker("cohere", "m", base_url=service.url, timeout=0.05).rerank("q", ["a"])
    finally:
        released.set()


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: HttpReranker("voyage", "m"), "voyage"),  # type: ignore[arg-type]
        (lambda: HttpReranker("cohere"), "model"),
        (lambda: HttpReranker("tei"), "base_url"),
        (lambda: HttpReranker("tei", base_url="file:///etc/passwd"), "http"),
        (lambda: HttpReranker("cohere", "m", batch_size=0), "batch_size"),
        (lambda: HttpReranker("cohere", "m", timeout=0), "timeout"),
        (lambda: HttpReranker("cohere", "m", retries=-1), "retries"),
        (lambda: HttpReranker("cohere", "m", api_key="secret\n"), "api_key"),
        (lambda: CrossEncoderReranker("m", batch_size=0), "batch_size"),
        (lambda: LateInteractionReranker(batch_size=0), "batch_size"),
        (lambda: LLMReranker("m", window=1), "window"),
        (lambda: LLMReranker("m", text_characters=0), "text_characters"),
        (lambda: LLMReranker("m", base_url="localhost:8000"), "http"),
    ],
)
def test_arguments_are_checked(make: Callable[[], Any], part: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        make()
    assert part in caught.value.message
    assert "secret" not in str(caught.value)


# The following tests call language models


def chat(content: Any) -> Any:
    return {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]}


def passages(body: dict[str, Any]) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(body["messages"][-1]["content"])["passages"]
    return listed


def by_number(body: dict[str, Any]) -> Any:
    """Rank texts that are numbers, the highest first."""
    ranked = sorted(passages(body), key=lambda passage: -int(passage["text"]))
    return chat(json.dumps({"ranking": [passage["id"] for passage in ranked]}))


def test_llm_ranks(service: JsonServer) -> None:
    service.answer = by_number
    reranker: Reranker = LLMReranker("some-model", base_url=service.url, api_key="secret", temperature=0)
    assert reranker.rerank("the highest", ["5", "70", "6", "8"]).tolist() == [0.25, 1.0, 0.5, 0.75]
    (request,) = service.requests
    assert (request["model"], request["temperature"]) == ("some-model", 0)
    assert request["response_format"]["json_schema"]["strict"] is True
    assert json.loads(request["messages"][-1]["content"])["query"] == "the highest"
    assert service.paths == ["/v1/chat/completions"]
    assert service.authorization == "Bearer secret"
    assert reranker.rerank("nothing", []).shape == (0,)
    assert reranker.rerank("one", ["1"]).tolist() == [1.0]
    assert len(service.requests) == 1


def test_llm_without_structured_outputs(service: JsonServer) -> None:
    service.answer = by_number
    LLMReranker("m", base_url=service.url, response_format=None).rerank("q", ["1", "2"])
    assert "response_format" not in service.requests[0]


def test_llm_windows_bring_the_best_to_the_front(service: JsonServer) -> None:
    """Windows of 4 move from the back by 2: the two best reach the front from anywhere (Sun et al. 2023)."""
    service.answer = by_number
    texts = [str(number) for number in (3, 1, 4, 11, 5, 9, 2, 6, 99, 53, 58)]
    scores = LLMReranker("m", base_url=service.url, window=4).rerank("q", texts)
    assert [texts[place] for place in np.argsort(-scores)[:2]] == ["99", "58"]
    assert sorted(scores) == [pytest.approx(n / 11) for n in range(1, 12)]
    sizes = [len(passages(request)) for request in service.requests]
    assert sizes == [4, 4, 4, 4, 3]


def test_llm_texts_are_cut(service: JsonServer) -> None:
    service.answer = lambda body: chat('{"ranking": [2, 1]}')
    LLMReranker("m", base_url=service.url, text_characters=3).rerank("q", ["abcdef", "x"])
    assert [passage["text"] for passage in passages(service.requests[0])] == ["abc", "x"]


@pytest.mark.parametrize(
    ("content", "order"),
    [
        ('```json\n{"ranking": [3, 1, 2]}\n```', [2, 0, 1]),
        ('<think>{"ranking": [1]} or {so}?</think>\nHere: {"ranking": ["3", "2", "1"]}', [2, 1, 0]),
        ('{"ranking": [3, 3, 7, 0, -1, 1]}', [2, 0, 1]),
        ('{"ranking": [2]}', [1, 0, 2]),
        ('{"ranking": [2]} {"note": [1]} {', [1, 0, 2]),
    ],
    ids=["fenced", "thinking aloud, strings", "repeated and unknown", "incomplete", "more objects"],
)
def test_llm_understands(service: JsonServer, content: str, order: list[int]) -> None:
    service.answer = lambda _: chat(content)
    scores = LLMReranker("m", base_url=service.url).rerank("q", ["a", "b", "c"])
    assert np.argsort(-scores).tolist() == order


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>",
        {"choices": []},
        {"error": {"message": "no"}},
        [],
        chat(None),
        chat("I cannot do that."),
        chat("[2] > [1]"),
        chat('{"ranking": []}'),
        chat('{"ranking": [4, 5]}'),
        chat('{"ranking": [1'),
        chat('{"ranking": [1e999]}'),
        chat('{"ranking": 7}'),
        chat("{" * 50_000),
    ],
)
def test_llm_checks_the_answer(service: JsonServer, answer: Any) -> None:
    service.answer = lambda _: answer
    with pytest.raises(RerankingServiceError):
        LLMReranker("m", base_url=service.url).rerank("q", ["a", "b", "c"])


def test_llm_says_that_nobody_is_there() -> None:
    with pytest.raises(RerankingServiceError, match="unreachable"):
        LLMReranker("m", base_url=NOBODY).warm_up()


# The following tests use late interaction


class Table:
    """Return token vectors from a table of words."""

    model_name = "table"
    vectors = np.random.default_rng(5).standard_normal((len(WORDS), 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)

    def __init__(self) -> None:
        self.batches: list[int] = []

    def embed_tokens(self, texts: list[str]) -> list[Any]:
        self.batches.append(len(texts))
        return [self.vectors[[WORDS.index(word) for word in text.split()]].reshape(-1, 8) for text in texts]


def max_sim(query: list[str], text: list[str]) -> float:
    """Compute equation 3 of Khattab & Zaharia 2020 word by word."""
    return sum(max(float(np.dot(vector(one), vector(other))) for other in text) for one in query)


def vector(word: str) -> Any:
    return Table.vectors[WORDS.index(word)].astype(float)


def test_late_interaction_is_max_sim() -> None:
    texts = ["the lazy dog", "fox", "a quick brown fox jumps over the lazy dog", "cat a cat"]
    table = Table()
    reranker: Reranker = LateInteractionReranker(table, batch_size=3)
    scores = reranker.rerank("quick fox", texts)
    expected = [max_sim(["quick", "fox"], text.split()) for text in texts]
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    assert scores[2] == pytest.approx(2, abs=1e-5)
    assert table.batches == [1, 3, 1]
    assert reranker.rerank("fox", ["", "dog"])[0] == -1
    assert reranker.rerank("fox", []).shape == (0,)


def test_late_interaction_misses_no_text() -> None:
    class Short(Table):
        def embed_tokens(self, texts: list[str]) -> list[Any]:
            return super().embed_tokens(texts[:1])

    with pytest.raises(RerankingError, match="1 texts for 2"):
        LateInteractionReranker(Short()).rerank("fox", ["a", "dog"])


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder()


def test_the_local_models_token_vectors(local: LocalEmbedder) -> None:
    """The first and the last token's numbers equal sentence-transformers 6.2 with torch 2.13."""
    question, empty, long = local.embed_tokens(["How do I sort a list of dictionaries by key?", "", "word " * 300])
    assert (question.shape, question.dtype.name, empty.shape) == ((13, 384), "float32", (0, 384))
    np.testing.assert_allclose(question[0, :5], [0.107324, 0.041678, 0.018543, -0.052097, -0.072139], atol=1e-4)
    np.testing.assert_allclose(question[-1, :5], [0.055270, 0.049636, 0.047445, -0.060625, -0.035574], atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(long, axis=1), 1, atol=1e-5)
    assert len(long) >= 300
    assert local.embed_tokens([]) == []


def test_late_interaction_with_the_local_model(local: LocalEmbedder) -> None:
    reranker = LateInteractionReranker(local)
    texts = ["The recipe needs two eggs.", "Postgres keeps its log in WAL segments.", "The fox slept."]
    scores = reranker.rerank("where does the database write its journal?", texts)
    assert int(np.argmax(scores)) == 1
    assert reranker.model_name == "all-MiniLM-L6-v2 MaxSim"


def test_the_end_of_a_long_text_counts(local: LocalEmbedder) -> None:
    beginning = "The committee discussed the annual budget of the city. " * 60
    without, with_end = LateInteractionReranker(local).rerank(
        "penguins in Antarctica", [beginning, beginning + "Penguins live in Antarctica."]
    )
    assert with_end > without + 0.5


# Cross-encoders


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save a BertForSequenceClassification with random weights, the class of cross-encoder/ms-marco-MiniLM-L-6-v2;
    return its folder."""
    reason = "a real cross-encoder needs: pip install 'pgbraid[sentence-transformers]'"
    pytest.importorskip("sentence_transformers", reason=reason)
    return make_model(tmp_path_factory.mktemp("tiny"), labels=1)


def make_model(folder: Path, labels: int) -> Path:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        num_labels=labels,
        initializer_range=2.0,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab={word: i for i, word in enumerate(WORDS)}).save_pretrained(folder)
    return folder


TEXTS = ["the quick brown fox", "dog", "a lazy cat jumps over a lazy dog", "fox " * 100]


def test_a_cross_encoder_by_path(tiny_model: Path) -> None:
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    reranker: Reranker = CrossEncoderReranker(str(tiny_model), batch_size=3, device="cpu")
    reranker.warm_up()
    scores = reranker.rerank("fox", TEXTS)

    tokenizer = AutoTokenizer.from_pretrained(tiny_model)
    model = BertForSequenceClassification.from_pretrained(tiny_model).eval()
    with torch.no_grad():
        expected = [
            model(**tokenizer("fox", text, truncation=True, max_length=32, return_tensors="pt")).logits.sigmoid().item()
            for text in TEXTS
        ]
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    assert np.ptp(scores) > 1e-3
    assert reranker.rerank("fox", []).shape == (0,)
    assert reranker.rerank("fox", ["lone \ud800 surrogate", ""]).shape == (2,)
    assert reranker.model_name == tiny_model.name


def test_a_cross_encoder_of_several_labels_is_none(tiny_model: Path, tmp_path: Path) -> None:
    reranker = CrossEncoderReranker(str(make_model(tmp_path, labels=3)), device="cpu")
    with pytest.raises(RerankingError, match=r"\(4, 3\)"):
        reranker.rerank("fox", TEXTS)


def test_a_cross_encoder_that_is_not_there(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(RerankingError) as caught:
        CrossEncoderReranker(str(tmp_path / "nothing"), local_files_only=True).warm_up()
    assert "nothing" in caught.value.message
    assert caught.value.hint


@pytest.mark.usefixtures("tiny_model")
def test_token_vectors_of_sentence_transformers(local: LocalEmbedder) -> None:
    from pgbraid.embedders.model_files import find_model

    texts = ["How do I sort a list of dictionaries by key?", "x"]
    theirs = SentenceTransformerEmbedder(str(find_model()), device="cpu").embed_tokens(texts)
    for ours, vectors in zip(local.embed_tokens(texts), theirs, strict=True):
        np.testing.assert_allclose(vectors[1:-1], ours, atol=1e-3)


class FakeCrossEncoder:
    """Stand in for the library's class with the methods that are used; scores are lengths."""

    def __init__(self, source: str, **options: Any) -> None:
        if source == "broken":
            raise OSError("no such model")
        self.options = options

    def predict(self, pairs: list[tuple[str, str]], batch_size: int, show_progress_bar: bool) -> Any:
        assert not show_progress_bar
        self.batch_size = batch_size
        width = self.options.get("labels", 1)
        return np.array([[len(text)] * width for _, text in pairs], np.float32).squeeze()


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.SimpleNamespace(CrossEncoder=FakeCrossEncoder)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


@pytest.mark.usefixtures("library")
def test_the_cross_encoders_wrapper() -> None:
    reranker = CrossEncoderReranker("folder/some-model/", device="cpu")
    assert reranker.model_name == "some-model"
    assert reranker.rerank("q", ["aa", "b"]).tolist() == [2, 1]
    assert reranker.rerank("q", ["aa"]).tolist() == [2]
    with pytest.raises(RerankingError):
        CrossEncoderReranker("m", labels=3).rerank("q", ["aa", "b"])
    with pytest.raises(RerankingError, match="no such model") as caught:
        CrossEncoderReranker("broken").warm_up()
    assert caught.value.hint


def test_without_sentence_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    reranker = CrossEncoderReranker()
    assert reranker.model_name == "ms-marco-MiniLM-L-6-v2"
    with pytest.raises(MissingExtraError) as caught:
        reranker.warm_up()
    assert isinstance(caught.value, PgbraidError)
    assert "pgbraid[sentence-transformers]" in (caught.value.hint or "")


def test_importing_rerankers_loads_no_library() -> None:
    script = (
        "import sys; from pgbraid import *;"
        "print({'torch', 'sentence_transformers', 'tokenizers', 'huggingface_hub'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.fixture
def batches(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the list of the numbers of pairs that the model reads at once."""
    from transformers import BertForSequenceClassification

    read: list[int] = []
    forward = BertForSequenceClassification.forward

    def counting(self: Any, input_ids: Any = None, *rest: Any, **named: Any) -> Any:
        read.append(len(input_ids))
        return forward(self, input_ids, *rest, **named)

    monkeypatch.setattr(BertForSequenceClassification, "forward", counting)
    return read


@pytest.fixture
def stocked(client: pgbraid.Client) -> pgbraid.Client:
    """Store texts of which full text and semantic search each find more than 50; return the client."""
    words = SENTENCE.split()
    client.add_documents(
        {"external_id": f"d{n:02}", "content": " ".join(["fox", *(words[(n * k) % 10] for k in range(1, 3 + n % 7))])}
        for n in range(70)
    )
    client.embed_pending()
    return client


def test_50_and_50_are_fused_to_20_and_reranked_to_5(
    tiny_model: Path, batches: list[int], stocked: pgbraid.Client
) -> None:
    reranker = CrossEncoderReranker(str(tiny_model), batch_size=8, device="cpu")
    fused = stocked.search("quick fox", 20, fusion="rrf", candidate_count=50)
    scores = reranker.rerank("quick fox", [row.content for row in fused])
    batches.clear()
    best = stocked.search(
        "quick fox", fusion="rrf", candidate_count=50, blend=1, reranker=reranker, rerank_timeout=None
    )
    assert batches == [8, 8, 4]
    assert [row.chunk_id for row in best] == [fused[place].chunk_id for place in np.argsort(-scores, kind="stable")[:5]]
    assert [row.rerank_score for row in best] == pytest.approx(sorted(scores, reverse=True)[:5])
    assert (best.stats["full_text_candidates"], best.stats["semantic_candidates"]) == (50, 50)
    assert (best.stats["rerank"]["candidates"], best.warnings) == (20, [])


def test_a_cross_encoder_that_takes_too_long(
    tiny_model: Path, stocked: pgbraid.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import BertForSequenceClassification

    reranker = CrossEncoderReranker(str(tiny_model), device="cpu")
    reranker.warm_up()
    released = threading.Event()
    forward = BertForSequenceClassification.forward

    def slow(*given: Any, **named: Any) -> Any:
        released.wait(PATIENCE)
        return forward(*given, **named)

    monkeypatch.setattr(BertForSequenceClassification, "forward", slow)
    try:
        late = stocked.search("quick fox", reranker=reranker, rerank_timeout=0.05)
    finally:
        released.set()
    assert [row.chunk_id for row in late] == [row.chunk_id for row in stocked.search("quick fox", 5)]
    assert late.warnings[-1]["code"] == "reranker_unavailable"
    assert "took longer than 0.05 s" in late.warnings[-1]["message"]
