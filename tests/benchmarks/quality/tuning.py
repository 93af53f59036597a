"""Prints what tuning gains on queries that had no part in the choice, on the judged sets, with the 95 % interval."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import psycopg
from psycopg.types.json import Jsonb

from benchmarks.full_text.report import say
from benchmarks.quality.__main__ import _load, _set_ranking
from benchmarks.quality.learning import _judge
from benchmarks.quality.sets import read_set
from benchmarks.search import DATA
from pgbraid import embedded
from pgbraid.install import install


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.tuning", description=__doc__)
    parser.add_argument("--sets", default="cranfield,cisi", help="default: %(default)s")
    parser.add_argument("--split", default="test", help="of the queries: test, train or val")
    parser.add_argument("--budget", type=int, default=50, help="configurations, default: %(default)s")
    parser.add_argument("--seeds", type=int, default=1, help="how many, from 0; default: %(default)s")
    parser.add_argument("--space", type=json.loads, help="JSON; default: that of braid.tune")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of judged collections")
    parser.add_argument("--data-dir", type=Path, help="keep the server here, and what it has loaded")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        data_dir = arguments.data_dir
        if data_dir is None:
            data_dir = Path(tempfile.mkdtemp(prefix="pgbraid-bench-"))
            stack.callback(shutil.rmtree, data_dir)
        stack.callback(embedded.stop, data_dir)
        dsn = embedded.ensure_running(data_dir, embedded.DEFAULT_VERSION).dsn
        install(dsn)
        db = stack.enter_context(psycopg.connect(dsn, autocommit=True))
        for name in arguments.sets.split(","):
            judged = read_set(arguments.data / name, arguments.split)
            _load(db, judged)
            _set_ranking(db, name, preset="conversation" if judged.turns else "prose")
            _judge(db, judged)
            space = arguments.space and Jsonb(arguments.space)
            for seed in range(arguments.seeds):
                row = db.execute(
                    "select braid.tune(%s, %s, %s, %s, seed => %s)",
                    (name, space, arguments.budget, Jsonb({"collection": name}), seed),
                ).fetchone()
                assert row is not None
                tuned, held_out, chosen = row[0], row[0]["held_out"], row[0]["chosen"]
                low, high = held_out["interval"]
                say(
                    f"{name} seed {seed}: {tuned['query_count']} queries, {len(tuned['tried'])} configurations,"
                    f" nDCG@10 {held_out['baseline']:.4f} -> {held_out['chosen']:.4f}, {held_out['gain']:+.4f}"
                    f" ({low:+.4f} to {high:+.4f}), {held_out['wins']} better, {held_out['losses']} worse;"
                    f" on the queries that chose {chosen['mean']:.4f}: {json.dumps(chosen['changes'])}"
                )


if __name__ == "__main__":
    main()
