"""Run a call in a background thread, and let the caller abandon it."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import TypeVar

Result = TypeVar("Result")

# A running call cannot be stopped. At most this number run at a time; waiting calls that are abandoned never start.
MOST_CALLS = 16
EMBEDDERS = threading.BoundedSemaphore(MOST_CALLS)
# Rerankers have a semaphore of their own, so that they do not wait behind embedders that hang.
RERANKERS = threading.BoundedSemaphore(MOST_CALLS)


def in_background(
    function: Callable[..., Result], *arguments: object, places: threading.BoundedSemaphore = EMBEDDERS
) -> Future[Result]:
    """Run a function in a thread as soon as a place is free; return its future.

    To abandon the call, cancel the future or set its result or exception: this wakes all waiters.
    """
    future: Future[Result] = Future()

    def run() -> None:
        with places:
            if future.done():
                return
            with suppress(InvalidStateError):  # The caller may have abandoned the future.
                try:
                    result = function(*arguments)
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(result)

    # A daemon thread does not keep the process from ending.
    threading.Thread(target=contextvars.copy_context().run, args=(run,), name="pgbraid-search", daemon=True).start()
    return future
