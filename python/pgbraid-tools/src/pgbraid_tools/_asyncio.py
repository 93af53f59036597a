"""Run coroutines in a loop that psycopg can use on every platform."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run as `asyncio.run` does. psycopg refuses the default loop of Windows:
    https://www.psycopg.org/psycopg3/docs/advanced/async.html"""
    if sys.platform != "win32":
        asyncio.run(main)
    elif sys.version_info >= (3, 11):
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            runner.run(main)
    else:
        asyncio.set_event_loop_policy(asyncio.WindowsSelectorEventLoopPolicy())
        asyncio.run(main)
