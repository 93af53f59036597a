"""Let the result of `connect_async` be awaited, or entered with `async with` directly."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager
from functools import wraps
from types import TracebackType
from typing import Any, Generic, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Opened = TypeVar("Opened", bound=AbstractAsyncContextManager[Any])


class Opening(Generic[Opened]):
    """Wrap a coroutine that opens a client: `await` returns the client; `async with` also closes it at the end."""

    def __init__(self, coroutine: Coroutine[Any, Any, Opened]) -> None:
        self._coroutine = coroutine

    def __await__(self) -> Generator[Any, Any, Opened]:
        return self._coroutine.__await__()

    async def __aenter__(self) -> Opened:
        self._opened = await self._coroutine
        await self._opened.__aenter__()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._opened.__aexit__(kind, error, traceback)


def opening(
    function: Callable[Parameters, Coroutine[Any, Any, Opened]],
) -> Callable[Parameters, Opening[Opened]]:
    """Return a coroutine function's equivalent whose call can be awaited, or entered with `async with`."""

    @wraps(function)
    def call(*arguments: Parameters.args, **named: Parameters.kwargs) -> Opening[Opened]:
        return Opening(function(*arguments, **named))

    return call
