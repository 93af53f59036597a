"""Run blocking work in threads, so that the event loop is not blocked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


async def in_thread(function: Callable[..., Result], *arguments: object) -> Result:
    """Run a function in a thread; return its result. The generated sync client calls the function directly instead."""
    return await asyncio.to_thread(function, *arguments)


async def finished(future: Future[Result]) -> Result:
    """Wait for a future; return its result. The generated sync client waits for the future itself."""
    return await asyncio.wrap_future(future)
