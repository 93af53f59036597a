"""Test embedding services, each with its own protocol, and the handling of failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from pgbraid.embedders import AdaptedEmbedder, Embedder, HttpEmbedder, OpenAIEmbedder
from pgbraid.errors import EmbeddingError, EmbeddingServiceError, InvalidArgumentError
from support import JsonServer
from support.waiting import until

pytestmark = pytest.mark.any_version

Rows = list[Any]


class Api(NamedTuple):
    path: str
    texts: Callable[[Any], list[str]]
    answer: Callable[[Rows], Any]
    dimensions: Callable[[Any], Any]
    # `task` extracts the field that tells a query from a document; `query` and `document` are its values.
    task: Callable[[Any], Any]
    query: Any
    document: Any
    key: tuple[str, str]
    environment: str | None


def indexed(rows: Rows) -> Any:
    """Return an answer with rows in reverse order, which services may do."""
    return {"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)][::-1]}


BEARER = ("Authorization", "Bearer secret")
APIS = {
    "openai": Api(
        "/v1/embeddings",
        lambda body: body["input"],
        indexed,
        lambda body: body.get("dimensions"),
        lambda body: body["encoding_format"],
        "float",
        "float",
        BEARER,
        "OPENAI_API_KEY",
    ),
    "azure": Api(
        "/v1/embeddings",
        lambda body: body["input"],
        indexed,
        lambda body: body.get("dimensions"),
        lambda body: body["encoding_format"],
        "float",
        "float",
        ("api-key", "secret"),
        "AZURE_OPENAI_API_KEY",
    ),
    "cohere": Api(
        "/v1/embed",
        lambda body: body["texts"],
        lambda rows: {"id": "1", "embeddings": {"float": rows}, "texts": []},
        lambda body: body.get("output_dimension"),
        lambda body: (body["input_type"], body["embedding_types"]),
        ("search_query", ["float"]),
        ("search_document", ["float"]),
        BEARER,
        "COHERE_API_KEY",
    ),
    "voyage": Api(
        "/v1/embeddings",
        lambda body: body["input"],
        indexed,
        lambda body: body.get("output_dimension"),
        lambda body: body["input_type"],
        "query",
        "document",
        BEARER,
        "VOYAGE_API_KEY",
    ),
    "gemini": Api(
        "/v1/models/m:batchEmbedContents",
        lambda body: [each["content"]["parts"][0]["text"] for each in body["requests"]],
        lambda rows: {"embeddings": [{"values": row} for row in rows]},
        lambda body: body["requests"][0].get("outputDimensionality"),
        lambda body: (body["requests"][0]["taskType"], body["requests"][0]["model"]),
        ("RETRIEVAL_QUERY", "models/m"),
        ("RETRIEVAL_DOCUMENT", "models/m"),
        ("x-goog-api-key", "secret"),
        "GEMINI_API_KEY",
    ),
    "tei": Api(
        "/v1/embed",
        lambda body: body["inputs"],
        lambda rows: rows,
        lambda body: body.get("dimensions"),
        lambda body: (body["truncate"], body["normalize"]),
        (True, True),
        (True, True),
        BEARER,
        None,
    ),
}


@pytest.fixture(params=list(APIS))
def name(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def api(name: str) -> Api:
    return APIS[name]


@pytest.fixture
def service(api: Api) -> Iterator[JsonServer]:
    def answer(body: Any) -> Any:
        return api.answer([[len(text), i] for i, text in enumerate(api.texts(body))])

    with JsonServer(answer) as running:
        yield running


@pytest.fixture
def make(name: Any, service: JsonServer) -> Callable[..., HttpEmbedder]:
    return lambda **options: HttpEmbedder(name, "m", base_url=service.url, **options)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the list of simulated sleeps in seconds; the clock advances only by sleeping."""
    slept: list[float] = []
    clock = SimpleNamespace(sleep=slept.append, monotonic=lambda: sum(slept))
    monkeypatch.setattr("pgbraid._http.time", clock)
    return slept


def test_texts_become_vectors_in_their_order(make: Callable[..., HttpEmbedder], service: JsonServer, api: Api) -> None:
    embedder: Embedder = make(api_key="secret", batch_size=2)
    vectors = embedder.embed_documents(["a", "bb", "ccc"])
    assert isinstance(vectors, np.ndarray)
    assert vectors.tolist() == [[1, 0], [2, 1], [3, 0]]
    assert vectors.dtype == np.float32
    assert [api.texts(body) for body in service.requests] == [["a", "bb"], ["ccc"]]
    assert api.task(service.requests[0]) == api.document
    assert np.asarray(embedder.embed_query("four")).tolist() == [4, 0]
    assert api.task(service.requests[-1]) == api.query
    assert api.dimensions(service.requests[-1]) is None
    assert set(service.paths) == {api.path}
    header, value = api.key
    assert {headers[header] for headers in service.headers} == {value}
    assert (embedder.model_name, embedder.dimensions) == ("m", 2)
    assert make().embed_documents([]).shape == (0, 2)


def test_the_key_is_in_the_environment(
    make: Callable[..., HttpEmbedder], service: JsonServer, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(api.environment or "", raising=False)
    make().warm_up()
    assert service.headers[-1][api.key[0]] is None
    if api.environment:
        monkeypatch.setenv(api.environment, "secret")
        make().warm_up()
        assert service.headers[-1][api.key[0]] == api.key[1]


def test_dimensions_that_are_asked_for_give_unit_vectors(
    make: Callable[..., HttpEmbedder], service: JsonServer, api: Api
) -> None:
    embedder = make(dimensions=2)
    assert embedder.dimensions == 2
    vectors = embedder.embed_documents(["aaa", "bb"])
    np.testing.assert_allclose(vectors, np.array([[1, 0], [2 / 5**0.5, 1 / 5**0.5]]), rtol=1e-6)
    assert api.dimensions(service.requests[0]) == 2
    with pytest.raises(EmbeddingServiceError, match="2 dimensions, not 3") as caught:
        make(dimensions=3).embed_query("x")
    assert "truncate_to" in (caught.value.hint or "")


@pytest.mark.parametrize(("failures", "tries"), [([401], 1), ([400], 1), ([500] * 9, 4), ([429] * 9, 4)], ids=str)
def test_it_gives_up(make: Callable[..., HttpEmbedder], service: JsonServer, failures: list[int], tries: int) -> None:
    service.failures = list(failures)
    with pytest.raises(EmbeddingServiceError, match=str(failures[0])) as caught:
        make().embed_query("x")
    assert caught.value.hint
    assert len(service.requests) == tries


def test_it_repeats_what_the_service_could_not_do(make: Callable[..., HttpEmbedder], service: JsonServer) -> None:
    service.failures = [429, 500, 503]
    assert make().embed_query("four").tolist() == [4, 0]
    assert len(service.requests) == 4


@pytest.mark.parametrize(
    "rows",
    [[], [[1, 2], [3, 4]], [[float("nan"), 1]], [[float("inf"), 1]], [[1e300, 1]], [["x", "y"]], [[]], [3], [None]],
    ids=str,
)
def test_it_checks_the_answer(make: Callable[..., HttpEmbedder], service: JsonServer, api: Api, rows: Rows) -> None:
    service.answer = lambda _: api.answer(rows)
    with pytest.raises(EmbeddingServiceError) as caught:
        make().embed_query("x")
    assert service.url in caught.value.message
    with pytest.raises(EmbeddingServiceError):
        make().embed_documents(["x"])


@pytest.mark.parametrize("content", [b"<html>", b"", b'{"data": [{"ind', b"[[1, 2", b"{}", b"null", b"[]", b"3"])
def test_what_is_no_answer(make: Callable[..., HttpEmbedder], service: JsonServer, content: bytes) -> None:
    service.answer = lambda _: content
    with pytest.raises(EmbeddingServiceError):
        make().embed_query("x")


def test_vectors_of_different_dimensions(make: Callable[..., HttpEmbedder], service: JsonServer, api: Api) -> None:
    service.answer = lambda body: api.answer([[1] * len(text) for text in api.texts(body)])
    for batch_size in (1, 2):
        with pytest.raises(EmbeddingServiceError):
            make(batch_size=batch_size).embed_documents(["a", "bb"])


# The following behaviour is the same for all services, so one is tested.


@pytest.fixture
def one() -> Iterator[JsonServer]:
    with JsonServer(lambda body: indexed([[1, 2] for _ in body["input"]])) as running:
        yield running


def test_an_answer_that_breaks_off(one: JsonServer) -> None:
    one.missing_bytes = 10
    with pytest.raises(EmbeddingServiceError, match="broke off"):
        OpenAIEmbedder("m", base_url=one.url).embed_query("x")


def test_a_slow_service(one: JsonServer) -> None:
    one.answers.clear()
    with pytest.raises(EmbeddingServiceError, match="timed out"):
        OpenAIEmbedder("m", base_url=one.url, timeout=0.1).embed_query("x")
    one.answers.set()
    assert OpenAIEmbedder("m", base_url=one.url, timeout=30).embed_query("x").tolist() == [1, 2]


def test_a_date_is_one_of_the_services_clock(one: JsonServer, waits: list[float]) -> None:
    one.clock = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(hours=1)
    one.retry_after = format_datetime(one.clock + timedelta(seconds=7), usegmt=True)
    one.failures = [429]
    OpenAIEmbedder("m", base_url=one.url).embed_query("x")
    assert waits == [7]


@pytest.mark.parametrize(
    ("retry_after", "least", "most"),
    [
        ("7", 7, 7),
        ("in an hour", 0, 0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
        ("soon", 0.25, 0.75),
        ("nan", 0.25, 0.75),
        (None, 0.25, 0.75),
    ],
)
def test_it_waits_as_long_as_the_service_asks(
    one: JsonServer, waits: list[float], retry_after: str | None, least: float, most: float
) -> None:
    in_an_hour = format_datetime(datetime.now(timezone.utc) + timedelta(hours=1))
    one.retry_after = in_an_hour if retry_after == "in an hour" else retry_after
    one.failures = [429]
    embedder = OpenAIEmbedder("m", base_url=one.url)
    if retry_after == "in an hour":
        with pytest.raises(EmbeddingServiceError, match="too late"):
            embedder.embed_documents(["x"])
        assert len(one.requests) == 1
    else:
        embedder.embed_documents(["x"])
        assert len(one.requests) == 2
    assert least <= sum(waits[:1]) <= most


def test_pauses_grow_and_differ(one: JsonServer, waits: list[float]) -> None:
    one.retry_after = None
    for _ in range(4):
        one.failures = [503] * 3
        OpenAIEmbedder("m", base_url=one.url).embed_documents(["x"])
    for number, base in enumerate((0.5, 1, 2)):
        pauses = waits[number::3]
        assert all(base * 0.5 <= pause <= base * 1.5 for pause in pauses)
        assert len(set(pauses)) == 4


def test_a_query_does_not_wait_longer_than_its_timeout(one: JsonServer, waits: list[float]) -> None:
    one.retry_after = "20"
    one.failures = [429, 429]
    embedder = OpenAIEmbedder("m", base_url=one.url, timeout=10)
    with pytest.raises(EmbeddingServiceError, match="429"):
        embedder.embed_query("x")
    # The service asked for a pause, so the next query sends no request.
    with pytest.raises(EmbeddingServiceError, match="asked to wait"):
        embedder.embed_query("y")
    assert (len(one.requests), waits) == (1, [])


def test_other_threads_leave_a_busy_service_alone(one: JsonServer) -> None:
    embedder = OpenAIEmbedder("m", base_url=one.url)
    one.retry_after = "1"
    one.failures = [429]
    first = threading.Thread(target=embedder.embed_documents, args=(["x"],))
    began = time.monotonic()
    first.start()
    until(lambda: embedder._service._not_before)
    embedder.embed_documents(["y"])
    assert time.monotonic() - began >= 0.9
    first.join()
    assert len(one.requests) == 3


@pytest.mark.parametrize(
    ("arguments", "options", "part"),
    [
        (("mistral", "m"), {}, "'mistral'"),
        (("tei", "m"), {}, "base_url"),
        (("cohere", "m"), {"batch_size": 0}, "batch_size"),
        (("cohere", "m"), {"dimensions": 0}, "dimensions"),
        (("cohere", "m"), {"timeout": 0}, "timeout"),
        (("cohere", "m"), {"retries": -1}, "retries"),
        (("cohere", "m"), {"api_key": "a\nb"}, "api_key"),
        (("cohere", "m"), {"base_url": "ftp://x"}, "base_url"),
    ],
)
def test_mistakes_are_told_at_once(arguments: Any, options: Any, part: str) -> None:
    with pytest.raises(InvalidArgumentError, match=part):
        HttpEmbedder(*arguments, **options)


# AdaptedEmbedder


class Plain:
    model_name = "plain"
    dimensions = 3

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_documents(self, texts: list[str]) -> Any:
        self.texts += texts
        return [[3.0, 4.0, 12.0] for _ in texts]

    def embed_query(self, text: str) -> Any:
        return self.embed_documents([text])[0]


def test_prefixes() -> None:
    plain = Plain()
    embedder: Embedder = AdaptedEmbedder(plain, query_prefix="query: ", document_prefix="passage: ")
    embedder.embed_documents(["a", "b"])
    vector = embedder.embed_query("c")
    assert plain.texts == ["passage: a", "passage: b", "query: c"]
    assert np.asarray(vector).tolist() == [3, 4, 12]
    assert (embedder.model_name, embedder.dimensions) == ("plain", 3)


def test_vectors_are_cut_and_padded() -> None:
    cut = AdaptedEmbedder(Plain(), truncate_to=2)
    np.testing.assert_allclose(cut.embed_query("x"), [0.6, 0.8], rtol=1e-6)
    assert (cut.dimensions, cut.embed_documents([]).shape) == (2, (0, 2))
    padded = AdaptedEmbedder(Plain(), pad_to=5)
    assert padded.embed_documents(["x", "y"]).tolist() == [[3, 4, 12, 0, 0]] * 2
    assert padded.dimensions == 5
    both = AdaptedEmbedder(Plain(), truncate_to=2, pad_to=3)
    np.testing.assert_allclose(both.embed_query("x"), [0.6, 0.8, 0], rtol=1e-6)
    assert both.embed_query("x").dtype == np.float32


@pytest.mark.parametrize("options", [{"truncate_to": 4}, {"pad_to": 2}])
def test_vectors_that_cannot_be_adapted(options: Any) -> None:
    with pytest.raises(EmbeddingError, match="3 dimensions"):
        AdaptedEmbedder(Plain(), **options).embed_query("x")


@pytest.mark.parametrize("options", [{"truncate_to": 0}, {"pad_to": 16_001}, {"truncate_to": 3, "pad_to": 2}], ids=str)
def test_what_no_vector_can_be_adapted_to(options: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="_to is"):
        AdaptedEmbedder(Plain(), **options)


def test_warming_up() -> None:
    plain = Plain()
    AdaptedEmbedder(plain, query_prefix="query: ").warm_up()
    assert plain.texts == ["query: warm up"]
    with JsonServer(lambda body: indexed([[1, 2]])) as running:
        AdaptedEmbedder(OpenAIEmbedder("m", base_url=running.url)).warm_up()
        assert len(running.requests) == 1
