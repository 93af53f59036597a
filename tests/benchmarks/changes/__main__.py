"""Compare this checkout with another one: `python -m benchmarks.changes --against CHECKOUT` in tests/."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
from pathlib import Path

from benchmarks.changes.answers import compare_answers
from benchmarks.changes.cpu import compare_cpu
from benchmarks.changes.databases import make_sides
from benchmarks.changes.functions import compare_functions
from pgbraid import embedded
from support import make_fast, temporary_folder

SECTIONS = ("answers", "functions", "cpu")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, required=True, metavar="CHECKOUT", help="of the code to compare with")
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--sections", default=",".join(SECTIONS), help="which of " + ", ".join(SECTIONS))
    parser.add_argument("--seed", type=int, help="of the random searches; chosen at random unless given")
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--batches", type=int, default=15, help="of each kind, on each side")
    parser.add_argument("--width", type=int, default=200, help="ef_search of all indexes (%(default)s); 0: as measured")
    args = parser.parse_args()
    sections = args.sections.split(",")
    seed = args.seed if args.seed is not None else random.randrange(1_000_000)
    data_dir = temporary_folder()
    differing = 0
    try:
        server = embedded.ensure_running(data_dir, args.postgres_version)
        make_fast(server)
        old, new = make_sides(server, args.against, args.width or None)
        if "functions" in sections:
            compare_functions(old, new)
        if "answers" in sections:
            print(f"PostgreSQL {server.version}, {args.searches} searches, --seed {seed}", flush=True)
            differing = compare_answers(old, new, seed, args.searches)
        if "cpu" in sections:
            compare_cpu(old, new, args.batches)
    finally:
        embedded.stop(data_dir)
        shutil.rmtree(data_dir)
    return min(differing, 1)


if __name__ == "__main__":
    sys.exit(main())
