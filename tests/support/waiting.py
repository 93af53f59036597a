"""How tests wait for what others do: for a condition, never for a time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

Connection = psycopg.Connection[Any]

# Far more than anything takes: what a test waits for comes at once, or the machine is busy, or it never comes.
PATIENCE = 180


def until(condition: Callable[[], object], explain: Callable[[], object] = lambda: None) -> None:
    """Return when the condition holds. If it never does, fail with what `explain` returns."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, explain()
        time.sleep(0.01)


async def until_async(condition: Callable[[], object]) -> None:
    """Return when the condition holds, and let other tasks go on meanwhile."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


def wait_and_go_on(behind: Connection, watching: Connection, query: str) -> None:
    """Return when a session that repeats a query has waited for a lock, and was answered all the same."""
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
    """Have administrative calls wait for transactions in their way as long as tests wait, in this database."""
    patient = "select replace(pg_get_functiondef('braid_store.lock_wait'::regproc), '3 seconds', '3 minutes')"
    ((definition,),) = db.execute(patient).fetchall()
    assert "3 minutes" in definition
    db.execute(definition)


def processor_seconds(pid: int) -> float:
    """Return how much of a processor a process has had, to which other processes add nothing. It is counted in
    hundredths of a second; where the system does not tell, it is the time that has passed."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / 100


@contextmanager
def processor_limit(connection: Connection, seconds: float) -> Iterator[None]:
    """Fail if what the server does for a session meanwhile takes more than so much of a processor."""
    before = processor_seconds(connection.info.backend_pid)
    yield
    assert processor_seconds(connection.info.backend_pid) - before < seconds
