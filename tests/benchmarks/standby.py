"""Count the queries that a standby cancels while its primary merges and vacuums, by its settings.

Run it with `python -m benchmarks.standby` in tests/.
"""

from __future__ import annotations

import argparse
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import psycopg

from endurance.traffic import document, maintain, queries, write
from pgbraid import embedded
from pgbraid.errors import RecoveryConflictError, from_psycopg
from pgbraid.install import install
from support.calls import one
from support.replication import Replicated, replicated, set_on

Connection = psycopg.Connection[Any]
SETTINGS = [("off", "0"), ("off", "1s"), ("off", "30s"), ("on", "0"), ("on", "30s")]
SEARCH = "select count(*) from braid.full_text_search(%s)"
# The statement takes about a second, as an evaluation or an export does.
LONG = "select sum(length(r::text)) from braid.export_tenant() r"
HEAD = (
    "hot_standby_feedback  max_standby_streaming_delay  searches  cancelled  exports  cancelled"
    "  longest lag, s  dead rows kept"
)


@dataclass
class Counted:
    done: Counter[str] = field(default_factory=Counter)
    cancelled: Counter[str] = field(default_factory=Counter)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--seconds", type=float, default=20)
    args = parser.parse_args()
    with replicated(args.postgres_version) as pair:
        install(pair.primary.dsn)
        with psycopg.connect(pair.primary.dsn, autocommit=True) as db:
            rng = random.Random(1)
            for first in range(0, args.documents, 500):
                write(db, [document(rng, f"d{number}", "v") for number in range(first, first + 500)])
            maintain(db)
            print(HEAD)
            for feedback, delay in SETTINGS:
                print(measured(pair, db, feedback, delay, args.documents, args.seconds), flush=True)


def measured(pair: Replicated, db: Connection, feedback: str, delay: str, documents: int, seconds: float) -> str:
    set_on(pair.standby, hot_standby_feedback=feedback, max_standby_streaming_delay=delay)
    pair.caught_up()
    counted, is_over, longest = Counted(), threading.Event(), 0.0
    readers = [threading.Thread(target=read, args=(pair, kind, counted, is_over)) for kind in ("search", "export")]
    for reader in readers:
        reader.start()
    rng = random.Random(2)
    ends_at = time.monotonic() + seconds
    with psycopg.connect(pair.standby.dsn, autocommit=True) as standby:
        while time.monotonic() < ends_at:
            write(db, [document(rng, f"d{rng.randrange(documents)}", "w") for _ in range(50)])
            maintain(db)
            db.execute("vacuum")
            written = one(db, "select pg_current_wal_lsn()::text")
            behind_by = one(standby, "select pg_last_wal_replay_lsn() < %s::pg_lsn", written)
            if behind_by:
                longest = max(
                    longest, float(one(standby, "select extract(epoch from now() - pg_last_xact_replay_timestamp())"))
                )
    dead = one(db, "select sum(n_dead_tup) from pg_stat_user_tables")
    is_over.set()
    for reader in readers:
        reader.join()
    return (
        f"{feedback:>20}  {delay:>27}  {counted.done['search']:8,}  {counted.cancelled['search']:9,}"
        f"  {counted.done['export']:7,}  {counted.cancelled['export']:9,}  {longest:14.1f}  {dead:14,}"
    )


def read(pair: Replicated, kind: str, counted: Counted, is_over: threading.Event) -> None:
    asked = queries()
    while not is_over.is_set():
        try:
            with psycopg.connect(pair.standby.dsn, autocommit=True) as standby:
                while not is_over.is_set():
                    if kind == "search":
                        standby.execute(SEARCH, (random.choice(asked),))
                    else:
                        standby.execute(LONG)
                    counted.done[kind] += 1
        except psycopg.Error as error:
            if not isinstance(from_psycopg(error), RecoveryConflictError):
                raise
            counted.cancelled[kind] += 1


if __name__ == "__main__":
    main()
