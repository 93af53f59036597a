"""Print one section after the other, for each corpus."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.full_text.corpus import Corpus, Hearings, Synthetic
from benchmarks.full_text.database import loaded, start_server
from benchmarks.full_text.latency import LENGTHS, exactness, latency, phrases, small_tenant
from benchmarks.full_text.quality import quality
from benchmarks.full_text.report import table
from benchmarks.full_text.writes import concurrency, ingest_rates, print_load, sizes
from pgbraid import embedded

DATA = Path(__file__).parents[4] / "shared" / "data"
SECTIONS = ("load", "latency", "exactness", "phrases", "small-tenant", "ingest", "size", "concurrency", "quality")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.full_text", description=__doc__)
    parser.add_argument("--sizes", default="200000", help="chunks of the synthetic corpora, separated by commas")
    parser.add_argument("--scotus", action="store_true", help="the hearings as well")
    parser.add_argument("--scotus-size", type=int, help="no more than so many turns")
    parser.add_argument("--queries", type=int, default=100, help="per length")
    parser.add_argument("--minutes", type=float, default=5, help="of concurrency")
    parser.add_argument("--sections", default=",".join(SECTIONS), help="some of: %(default)s")
    parser.add_argument("--data-dir", type=Path, help="keep the server here, and what it has loaded")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of real test collections")
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--shared-buffers", default="2GB")
    arguments = parser.parse_args()
    sections = arguments.sections.split(",")
    if unknown := set(sections) - set(SECTIONS):
        parser.error(f"unknown sections: {', '.join(sorted(unknown))}")

    corpora: dict[str, Corpus] = {
        f"synthetic_{size}": Synthetic(int(size)) for size in arguments.sizes.split(",") if size
    }
    if arguments.scotus:
        corpora["hearings"] = Hearings(arguments.data / "scotus", arguments.scotus_size)
    with ExitStack() as stack:
        data_dir = arguments.data_dir
        if data_dir is None:
            data_dir = Path(tempfile.mkdtemp(prefix="pgbraid-bench-"))
            stack.callback(shutil.rmtree, data_dir)
        stack.callback(embedded.stop, data_dir)
        server = start_server(data_dir, arguments.postgres_version, arguments.shared_buffers)
        print(f"PostgreSQL {server.version}, shared_buffers {arguments.shared_buffers}, logged tables")
        medians: dict[str, dict[int, float]] = {}
        for place, (database, corpus) in enumerate(corpora.items()):
            with loaded(server, database, corpus) as bench:
                if "load" in sections:
                    print_load(bench)
                if "latency" in sections:
                    medians[corpus.name] = latency(bench, arguments.queries)
                if "exactness" in sections:
                    exactness(bench, min(20, arguments.queries))
                if "phrases" in sections:
                    phrases(bench, min(20, arguments.queries))
                if "small-tenant" in sections:
                    small_tenant(bench, arguments.queries)
                if "size" in sections:
                    sizes(bench)
                if "ingest" in sections:
                    ingest_rates(bench)
                # These sections do not depend on the corpus.
                if "concurrency" in sections and place == 0:
                    concurrency(bench, arguments.minutes)
                if "quality" in sections and place == 0:
                    quality(bench, arguments.data)
        scaling(medians)


def scaling(medians: dict[str, dict[int, float]]) -> None:
    synthetic = {name: of for name, of in medians.items() if "synthetic" in name}
    if len(synthetic) < 2:
        return
    (first, base), *others = synthetic.items()
    table(
        f"p50 against that of {first}",
        [f"{length} terms" for length in LENGTHS],
        [(name, [f"{of[length] / base[length]:.2f}×" for length in LENGTHS]) for name, of in others],
    )


if __name__ == "__main__":
    main()
