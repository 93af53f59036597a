"""Print the gain of models learned from judgments on queries that they have not seen, on the judged sets."""

from __future__ import annotations

import argparse
from typing import Any

from psycopg.types.json import Jsonb

from benchmarks.full_text.report import say
from benchmarks.quality.loading import add_options, judge, loaded
from pgbraid_tools.learning import learn
from support.loading import Connection

PAGE = 50


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.learning", description=__doc__)
    add_options(parser)
    parser.add_argument("--kinds", default="linear,trees", help="default: %(default)s")
    arguments = parser.parse_args()
    for db, judged in loaded(arguments):
        judge(db, judged)
        rows = _rows(db, judged.name)
        for kind in arguments.kinds.split(","):
            found = learn(rows, kind=kind, of_chunks=bool(judged.turns))
            low, high = found.interval
            say(
                f"{judged.name} {kind}: {found.query_count} queries,"
                f" nDCG@10 {found.baseline:.4f} -> {found.learned:.4f}, {found.gain:+.4f}"
                f" ({low:+.4f} to {high:+.4f}), {found.wins} better, {found.losses} worse"
            )


def _rows(db: Connection, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    after = None
    while True:
        page = db.execute(
            "select to_jsonb(braid.ranking_features(%s, %s, after => %s, query_count => %s))",
            (name, Jsonb({"collection": name}), after, PAGE),
        ).fetchall()
        if not page:
            return rows
        rows += [row for (row,) in page]
        after = rows[-1]["query_id"]


if __name__ == "__main__":
    main()
