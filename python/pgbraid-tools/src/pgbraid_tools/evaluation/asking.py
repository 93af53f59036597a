"""Ask a language model questions, several at a time."""

from __future__ import annotations

import threading
import urllib.error
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from pgbraid.errors import InvalidArgumentError, PgbraidError
from pgbraid_tools.chat import CHAT_URL, ChatService

__all__ = ["Answers", "ChatJudge", "JudgingError", "answers"]

K = TypeVar("K")
T = TypeVar("T")

# With these statuses, the service would refuse any other text as well.
REFUSED = (401, 403, 404)
# The run ends after this many consecutive requests have failed.
MOST_FAILURES = 5


class JudgingError(PgbraidError):
    """A language model could not be asked."""


class ChatJudge:
    """Hold a chat model, over any service that speaks OpenAI's POST /v1/chat/completions (vLLM, Ollama, llama.cpp, …).

    A text is cut at `text_characters`. `base_url` ends before `/chat/completions`. `api_key` defaults to the
    environment variable OPENAI_API_KEY; without one, no Authorization header is sent. `timeout` is in seconds per
    request. Requests answered by 429 and 5xx are repeated up to `retries` times. `options` adds fields to the request,
    such as `temperature=0`. `response_format=None` omits the schema of the answer, for a service without structured
    outputs.
    """

    instructions: ClassVar[str]
    answer_format: ClassVar[dict[str, Any]]

    def __init__(
        self,
        model: str,
        *,
        base_url: str = CHAT_URL,
        api_key: str | None = None,
        text_characters: int = 8000,
        timeout: float = 60.0,
        retries: int = 3,
        **options: Any,
    ) -> None:
        if text_characters < 1:
            raise InvalidArgumentError(f"text_characters {text_characters} is less than 1")
        self.model_name = model
        self._text_characters = text_characters
        self._service = ChatService(
            model,
            self.instructions,
            error=JudgingError,
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            retries=retries,
            options={"response_format": self.answer_format, **options},
        )

    def _ask(self, query: str, **passages: str) -> str:
        cut = {name: text[: self._text_characters] for name, text in passages.items()}
        return self._service.ask({"query": query, **cut})


@dataclass
class Answers:
    """Count requests without a usable answer: malformed answers, and failed requests."""

    unusable: int = 0
    failed: int = 0
    last_failure: JudgingError | None = None


def answers(
    questions: Iterable[tuple[K, Callable[[], T]]], counts: Answers, *, concurrency: int
) -> Iterator[tuple[K, T]]:
    """Yield each question's key with its answer, in the order of arrival, `concurrency` at a time. Count failed
    requests and leave them out. Raise the JudgingError of a service that refuses, or fails MOST_FAILURES times in a
    row."""
    waiting: dict[Future[T], K] = {}
    failures = 0

    def ready() -> Iterator[tuple[K, T]]:
        nonlocal failures
        done = wait(waiting, return_when=FIRST_COMPLETED).done
        # Take good answers first, even if another one ends the run.
        for future in sorted(done, key=lambda future: future.exception() is not None):
            key = waiting.pop(future)
            try:
                answer = future.result()
            except JudgingError as error:
                failures += 1
                if failures >= MOST_FAILURES or _is_refused(error):
                    raise
                counts.failed += 1
                counts.last_failure = error
                continue
            failures = 0
            yield key, answer

    for key, ask in questions:
        waiting[_start(ask)] = key
        if len(waiting) >= concurrency:
            yield from ready()
    while waiting:
        yield from ready()


def _start(ask: Callable[[], T]) -> Future[T]:
    """Ask in a thread that ends with the program. An interrupted program would wait for threads of a
    ThreadPoolExecutor, and a service may be silent for minutes."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(ask())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="pgbraid-judge", daemon=True).start()
    return future


def _is_refused(error: JudgingError) -> bool:
    return isinstance(error.__cause__, urllib.error.HTTPError) and error.__cause__.code in REFUSED
