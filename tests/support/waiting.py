"""Wait for a condition, never for a time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

Connection = psycopg.Connection[Any]

# The timeout is far above any real duration, because a test's machine may be busy.
PATIENCE = 180
# Seconds between two looks. They grow, as each look takes processor time from what is waited for; a state that lasts a
# tenth of a second is still seen.
SHORTEST, LONGEST, GROWTH = 0.01, 0.05, 1.1


def until(condition: Callable[[], object], explain: Callable[[], object] = lambda: None) -> None:
    """Return when the condition holds. If it never does, fail with what `explain` returns."""
    deadline, pause = time.monotonic() + PATIENCE, SHORTEST
    while not condition():
        assert time.monotonic() < deadline, explain()
        time.sleep(pause)
        pause = min(LONGEST, GROWTH * pause)


async def until_async(condition: Callable[[], object]) -> None:
    """Return when the condition holds, and let other tasks go on meanwhile."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


def wait_and_go_on(behind: Connection, watching: Connection, query: str) -> None:
    """Return when a session that repeats a query has waited for a lock and was answered afterwards."""
    answered = 0
    is_over = threading.Event()

    def repeat() -> None:
        nonlocal answered
        while not is_over.is_set():
            behind.execute(query.encode())
            answered += 1

    def waits() -> bool:
        blocked = watching.execute("select cardinality(pg_blocking_pids(%s))", (behind.info.backend_pid,))
        return blocked.fetchone() != (0,)

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        until(waits)
        before = answered
        until(lambda: answered > before)
    finally:
        is_over.set()
        thread.join()


def be_patient(db: Connection) -> None:
    """Make administrative calls in this database wait for other transactions as long as tests wait."""
    patient = "select replace(pg_get_functiondef('braid_store.lock_wait'::regproc), '3 seconds', '3 minutes')"
    ((definition,),) = db.execute(patient).fetchall()
    assert "3 minutes" in definition
    db.execute(definition)


def processor_seconds(pid: int) -> float:
    """Return a process's processor time in seconds, which other processes do not affect. Its resolution is a
    hundredth of a second; a system without /proc returns the elapsed time instead."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / 100


@contextmanager
def processor_limit(connection: Connection, seconds: float) -> Iterator[None]:
    """Fail if the server uses more than `seconds` of processor time for a session inside the block."""
    before = processor_seconds(connection.info.backend_pid)
    yield
    assert processor_seconds(connection.info.backend_pid) - before < seconds
