"""Print the gain of tuning on queries that were not used for the choice, on the judged sets, with the 95 % interval."""

from __future__ import annotations

import argparse
import json

from psycopg.types.json import Jsonb

from benchmarks.full_text.report import say
from benchmarks.quality.loading import add_options, judge, loaded


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.tuning", description=__doc__)
    add_options(parser, "cranfield,cisi")
    parser.add_argument("--budget", type=int, default=50, help="configurations, default: %(default)s")
    parser.add_argument("--seeds", type=int, default=1, help="how many, from 0; default: %(default)s")
    parser.add_argument("--space", type=json.loads, help="JSON; default: that of braid.tune")
    arguments = parser.parse_args()
    for db, judged in loaded(arguments):
        judge(db, judged)
        space = arguments.space and Jsonb(arguments.space)
        for seed in range(arguments.seeds):
            row = db.execute(
                "select braid.tune(%s, %s, %s, %s, seed => %s)",
                (judged.name, space, arguments.budget, Jsonb({"collection": judged.name}), seed),
            ).fetchone()
            assert row is not None
            tuned, held_out, chosen = row[0], row[0]["held_out"], row[0]["chosen"]
            low, high = held_out["interval"]
            say(
                f"{judged.name} seed {seed}: {tuned['query_count']} queries, {len(tuned['tried'])} configurations,"
                f" nDCG@10 {held_out['baseline']:.4f} -> {held_out['chosen']:.4f}, {held_out['gain']:+.4f}"
                f" ({low:+.4f} to {high:+.4f}), {held_out['wins']} better, {held_out['losses']} worse;"
                f" on the queries that chose {chosen['mean']:.4f}: {json.dumps(chosen['changes'])}"
            )


if __name__ == "__main__":
    main()
