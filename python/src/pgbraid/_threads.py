"""Blocking work beside an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

__all__ = ["in_thread"]

Result = TypeVar("Result")


async def in_thread(function: Callable[..., Result], *arguments: object) -> Result:
    """The generated sync client calls the function directly instead."""
    return await asyncio.to_thread(function, *arguments)
