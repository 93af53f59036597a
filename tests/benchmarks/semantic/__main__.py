"""Print the measurements, one section after the other."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.full_text.database import start_server
from benchmarks.full_text.report import say
from benchmarks.semantic.corpus import Corpus
from benchmarks.semantic.database import load, maintain, opened
from benchmarks.semantic.grid import grid
from benchmarks.semantic.kinds import KINDS, kinds
from benchmarks.semantic.moves import model_change, policies, promotion, say_shards, threshold
from pgbraid import embedded

SECTIONS = ("kinds", "grid", "policies", "threshold", "promotion", "model_change")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.semantic", description=__doc__)
    parser.add_argument("--sizes", default="20,1000,4000,40000,100000,400000", help="chunks of each tenant")
    parser.add_argument("--kinds", default=",".join(KINDS), help="kinds of data: some of %(default)s")
    parser.add_argument("--kinds-sizes", default="10000,50000", help="vectors of each kind of data")
    parser.add_argument("--queries", type=int, default=200, help="per cell")
    parser.add_argument("--promoted", type=int, default=100_000, help="vectors to promote under load")
    parser.add_argument("--reembedded", type=int, default=20_000, help="chunks to embed by another model under load")
    parser.add_argument("--sections", default=",".join(SECTIONS), help="some of: %(default)s")
    parser.add_argument("--data-dir", type=Path, help="keep the server here, and what it has loaded")
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    arguments = parser.parse_args()
    sections = arguments.sections.split(",")
    if unknown := set(sections) - set(SECTIONS):
        parser.error(f"unknown sections: {', '.join(sorted(unknown))}")

    with ExitStack() as stack:
        data_dir = arguments.data_dir
        if data_dir is None:
            data_dir = Path(tempfile.mkdtemp(prefix="pgbraid-bench-"))
            stack.callback(shutil.rmtree, data_dir)
        stack.callback(embedded.stop, data_dir)
        server = start_server(data_dir, arguments.postgres_version, "2GB")
        bench = stack.enter_context(opened(server))
        if "kinds" in sections:
            sizes = [int(size) for size in arguments.kinds_sizes.split(",")]
            kinds(bench, arguments.kinds.split(","), sizes, arguments.queries)
        if sections == ["kinds"]:
            return
        corpora = {f"{int(size):,} chunks": Corpus(int(size)) for size in arguments.sizes.split(",")}
        for tenant, corpus in corpora.items():
            load(bench, tenant, corpus)
        say("maintaining")
        maintain(bench)
        bench.admin.execute("vacuum")
        say_shards(bench, list(corpora))
        if "grid" in sections:
            grid(bench, corpora, arguments.queries)
        if "policies" in sections:
            policies(bench, corpora, arguments.queries)
        if "threshold" in sections:
            threshold(bench)
        if "promotion" in sections:
            promotion(bench, arguments.promoted)
        if "model_change" in sections:
            model_change(bench, arguments.reembedded)


if __name__ == "__main__":
    main()
