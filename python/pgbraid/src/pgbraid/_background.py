"""Work in a thread that goes on while something else is done, and that can be given up."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import TypeVar

Result = TypeVar("Result")

# What has begun cannot be stopped. So many calls run at a time; others wait, and never begin if they are given up.
MOST_CALLS = 16
EMBEDDERS = threading.BoundedSemaphore(MOST_CALLS)
# Their own, so that they do not wait behind embedders that hang.
RERANKERS = threading.BoundedSemaphore(MOST_CALLS)


def in_background(
    function: Callable[..., Result], *arguments: object, places: threading.BoundedSemaphore = EMBEDDERS
) -> Future[Result]:
    """Begin a call in a thread, as soon as there is a place. Whoever has no use for it any more cancels the future, or
    gives it a result or an exception of their own: that wakes who waits for it."""
    future: Future[Result] = Future()

    def run() -> None:
        with places:
            if future.done():
                return
            with suppress(InvalidStateError):  # given up meanwhile
                try:
                    result = function(*arguments)
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(result)

    # A daemon does not keep the process from ending.
    threading.Thread(target=contextvars.copy_context().run, args=(run,), name="pgbraid-search", daemon=True).start()
    return future
