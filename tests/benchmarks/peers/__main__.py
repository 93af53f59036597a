"""Load each engine with the same texts and vectors, run the same queries on all of them, and print the times."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.full_text.database import start_server
from benchmarks.full_text.report import say
from benchmarks.peers.corpora import IDENTIFIERS, LETTERS, Stored, store
from benchmarks.peers.measure import Group, groups, load
from benchmarks.peers.page import Results, Size, print_sizes, write_page
from benchmarks.peers.processes import MissingEngineError, Process, install_peers
from benchmarks.peers.worker import ENGINES
from pgbraid import embedded

# benchmarks.goals measures these beside pgbraid.
OF_GOALS = ("before", "textsearch", "bare")
ENVIRONMENT = Path(__file__).parents[3] / ".venv" / "peers"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--size", type=int, default=20_000, help="documents (%(default)s)")
    parser.add_argument("--identifiers-size", type=int, help=f"of those with {IDENTIFIERS} (a quarter of --size)")
    parser.add_argument("--queries", type=int, default=60, help="per number of words (%(default)s)")
    parser.add_argument("--corpora", default=f"{LETTERS},{IDENTIFIERS}", help="some of: %(default)s")
    parser.add_argument(
        "--engines", default=",".join(name for name in ENGINES if name not in OF_GOALS), help="some of: %(default)s"
    )
    parser.add_argument("--install", action="store_true", help=f"install the peers, into {ENVIRONMENT.name} of .venv")
    parser.add_argument("--environment", type=Path, default=ENVIRONMENT, help="where the peers are installed")
    parser.add_argument("--work-dir", type=Path, help="keep here what is loaded, and use what is there")
    parser.add_argument("--data-dir", type=Path, help="the server's data, if not in --work-dir; it is written to")
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--shared-buffers", default="2GB")
    parser.add_argument("--write", action="store_true", help="write docs/lab/measurements.md")
    arguments = parser.parse_args()
    names = arguments.engines.split(",")
    if unknown := set(names) - ENGINES.keys():
        parser.error(f"unknown engines: {', '.join(sorted(unknown))}")
    if arguments.install:
        say("installing the peers")
        install_peers(arguments.environment.absolute())

    with ExitStack() as stack:
        work_dir = arguments.work_dir
        if work_dir is None:
            work_dir = Path(tempfile.mkdtemp(prefix="pgbraid-bench-"))
            # The server runs as another user, which has to enter the folder.
            work_dir.chmod(0o755)
            stack.callback(shutil.rmtree, work_dir)
        version = arguments.postgres_version
        data_dir = (arguments.data_dir or work_dir / f"server-{version}").absolute()
        stack.callback(embedded.stop, data_dir)
        server = start_server(data_dir, version, arguments.shared_buffers)
        of_identifiers = arguments.identifiers_size or arguments.size // 4
        results = Results(version, arguments.size, of_identifiers, arguments.queries, arguments.shared_buffers)
        for corpus_name in arguments.corpora.split(","):
            size = of_identifiers if corpus_name == IDENTIFIERS else arguments.size
            say(f"{corpus_name}: {size:,} documents")
            folder = work_dir.absolute() / f"{corpus_name}-{size}"
            corpus = store(folder / "corpus", corpus_name, size, arguments.queries)
            measure(corpus, folder, server.dsn, arguments.environment.absolute(), names, results)
        if arguments.write:
            write_page(results)


def measure(corpus: Stored, folder: Path, dsn: str, environment: Path, names: list[str], results: Results) -> None:
    def started(chosen: list[str]) -> list[Process]:
        processes = []
        for name in chosen:
            try:
                processes.append(Process(name, corpus, folder / name, dsn, environment))
            except MissingEngineError as error:
                say(f"  {name} is skipped, {error}: install it with --install")
        return processes

    loading = started(names)
    # An engine that is loaded already keeps the times that an earlier run noted.
    noted = folder / f"loaded-{results.version}.json"
    seconds = json.loads(noted.read_text()) if noted.exists() else {}
    seconds |= load(loading)
    noted.write_text(json.dumps(seconds))
    for process in loading:
        process.close()
    # The engines start again, so that memory includes searching alone.
    searching = started([process.name for process in loading])
    for process in searching:
        process.about = process.do("open")
        say(f"  {process.about}")
    found: list[Group] = list(groups(corpus, searching, results.query_count))
    sizes = [
        Size(process.name, process.about, seconds.get(process.name), **process.do("size"))
        for process in searching
        if process.name != "langchain"  # langchain reads another engine's table, which has a row of its own
    ]
    for process in searching:
        process.close()
    print_sizes(corpus.name, sizes)
    results.groups[corpus.name] = found
    results.sizes[corpus.name] = sizes


if __name__ == "__main__":
    main()
