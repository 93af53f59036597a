"""Blocking work beside an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


async def in_thread(function: Callable[..., Result], *arguments: object) -> Result:
    """The generated sync client calls the function directly instead."""
    return await asyncio.to_thread(function, *arguments)


async def finished(future: Future[Result]) -> Result:
    """What a thread gives, when it is done. The generated sync client asks the future itself."""
    return await asyncio.wrap_future(future)
