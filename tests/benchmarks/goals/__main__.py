"""Measure pgbraid beside an earlier checkout and other engines, by turns in one run: `python -m benchmarks.goals` in
tests/."""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from benchmarks.full_text.database import start_server
from benchmarks.full_text.report import p50, say
from benchmarks.goals.page import SHOWN, goals, lines, write_pages
from benchmarks.pages import measured_on
from benchmarks.peers.corpora import LETTERS, SMALL, Stored, store
from benchmarks.peers.engine import FULL_TEXT, HYBRID
from benchmarks.peers.measure import Group, groups
from benchmarks.peers.processes import MissingEngineError, Process
from pgbraid import embedded

ENGINES = ("pgbraid", "before", "lancedb", "textsearch", "bare", "postgres")
OURS = ("pgbraid", "before")
SECTIONS = ("searches", "throughput", "sessions", "small", "writes")
CLIENTS = 4
ROUNDS = 3
SESSIONS = 20
# The documents of a turn, by batch.
WRITTEN = {1: 60, 10: 200, 1000: 4000}
WRITE_ROUNDS = 4
SMALL_SIZE = 100
Figures = dict[str, Any]


@dataclass
class Run:
    """Hold what all sections need. `dsns` are the databases' servers by engine."""

    corpus: Stored
    small: Stored
    folder: Path
    environment: Path
    before: Path | None
    dsns: dict[str, str]
    default_dsn: str
    engines: list[str]
    query_count: int
    seconds: float

    def process(self, name: str, corpus: Stored | None = None) -> Process:
        of = corpus or self.corpus
        folder = (self.folder if of is self.corpus else self.folder / SMALL) / name
        dsn = self.dsns.get(name, self.default_dsn)
        return Process(name, of, folder, dsn, self.environment, self.before if name == "before" else None)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.goals", description=__doc__)
    parser.add_argument("--size", type=int, default=200_000, help="documents (%(default)s)")
    parser.add_argument("--queries", type=int, default=60, help="per number of words (%(default)s)")
    parser.add_argument("--engines", default=",".join(ENGINES), help="some of: %(default)s")
    parser.add_argument("--sections", default=",".join(SECTIONS), help="some of: %(default)s")
    parser.add_argument("--work-dir", type=Path, required=True, help="keeps what is loaded, for this and later runs")
    parser.add_argument("--data-dir", type=Path, help="the server's data, if not in --work-dir")
    parser.add_argument("--environment", type=Path, required=True, help="where benchmarks.peers has installed LanceDB")
    parser.add_argument("--before", type=Path, help="an earlier checkout, which loads a database by its own code")
    parser.add_argument("--before-data-dir", type=Path, help="the data of the earlier checkout's server")
    parser.add_argument("--textsearch-dsn", help="an empty database of another server, which has pg_textsearch")
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--shared-buffers", default="2GB")
    parser.add_argument("--seconds", type=float, default=6, help="of a turn of throughput (%(default)s)")
    parser.add_argument("--json", type=Path, help="add the figures to this file, and print the table from all of it")
    parser.add_argument("--load-only", action="store_true", help="only load the engines")
    parser.add_argument("--write", action="store_true", help="write docs/lab/measurements.md, and README.md's table")
    args = parser.parse_args()
    engines = [name for name in args.engines.split(",") if name != "before" or args.before]
    engines = [name for name in engines if name != "textsearch" or args.textsearch_dsn]
    version, work_dir = args.postgres_version, args.work_dir.absolute()
    figures: Figures = json.loads(args.json.read_text()) if args.json and args.json.exists() else {}
    with ExitStack() as stack:
        data_dirs = {"pgbraid": (args.data_dir or work_dir / f"server-{version}").absolute()}
        if "before" in engines:
            data_dirs["before"] = (args.before_data_dir or work_dir / f"before-{version}").absolute()
        dsns = {name: args.textsearch_dsn for name in ("textsearch", "postgres") if args.textsearch_dsn}
        for name, data_dir in data_dirs.items():
            if embedded.status(data_dir).running:
                dsns[name] = embedded.ensure_running(data_dir, version).dsn
            else:
                stack.callback(embedded.stop, data_dir)
                dsns[name] = start_server(data_dir, version, args.shared_buffers).dsn
        if "pgbraid" not in engines and "before" in dsns:
            dsns["bare"] = dsns["before"]
        folder = work_dir / f"{LETTERS}-{args.size}"
        corpus = store(folder / "corpus", LETTERS, args.size, args.queries)
        small = store(folder / SMALL / "corpus", SMALL, SMALL_SIZE, args.queries)
        environment, before = args.environment.absolute(), args.before and args.before.absolute()
        run = Run(
            corpus, small, folder, environment, before, dsns, dsns["pgbraid"], engines, args.queries, args.seconds
        )
        figures |= {"size": args.size, "version": version, "machine": measured_on(), "queries": args.queries}
        figures |= {"shared_buffers": args.shared_buffers}
        load(run)
        if not args.load_only:
            for section in args.sections.split(","):
                say(section)
                figures |= globals()[section](run)
                if args.json:
                    args.json.write_text(json.dumps(figures, indent=1))
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1))
    if not args.load_only:
        print("\n".join(lines(goals(figures))))
        if args.write:
            write_pages(figures)


def started(run: Run, names: list[str], corpus: Stored | None = None) -> dict[str, Process]:
    processes = {}
    for name in names:
        try:
            processes[name] = run.process(name, corpus)
        except MissingEngineError as error:
            say(f"  {name} is skipped, {error}")
    return processes


def load(run: Run) -> None:
    """Load what is not loaded."""
    for process in started(run, run.engines).values():
        say(f"  loading {process.name}")
        seconds = process.do("load")
        if seconds is not None:
            say(f"  {seconds}")
        process.close()


def searches(run: Run) -> Figures:
    """Measure the clock, the CPU and the recall of all kinds of searches, and the bytes on disk."""
    processes = started(run, run.engines)
    abouts = {}
    for process in processes.values():
        process.about = abouts[process.name] = process.do("open")
        say(f"  {process.name}: {process.about}")
    found = [shown(group) for group in groups(run.corpus, list(processes.values()), run.query_count, (HYBRID,))]
    disk = {process.name: process.do("size")["disk"] for process in processes.values() if process.name != "bare"}
    for process in processes.values():
        process.close()
    return {"groups": found, "abouts": abouts, "disk": disk}


def shown(group: Group) -> Figures:
    where = group.where
    return {
        "mode": group.mode,
        "filter": where and where.key,
        "declared": where and where.declared,
        "rows": [
            {
                "engine": row.engine,
                "label": row.label,
                "ms": {str(length): p50(values) for length, values in row.times.items()},
                "cpu": {str(length): fmean(values) for length, values in row.cpu.items()},
                "recall": fmean(row.recalls) if row.recalls else None,
            }
            for row in group.rows
        ],
    }


def throughput(run: Run) -> Figures:
    """Measure searches a second of four clients, each with its own process."""
    names = [name for name in run.engines if name != "bare"]
    found: dict[str, dict[str, dict[str, float]]] = {HYBRID: {}, FULL_TEXT: {}}
    clients = {name: [run.process(name) for _ in range(CLIENTS)] for name in names}
    with ThreadPoolExecutor(CLIENTS) as pool:
        for of_engine in clients.values():
            list(pool.map(lambda process: process.do("open"), of_engine))
        for mode, of_mode in found.items():
            ways = [
                (name, SHOWN[name] if len(offered) > 1 else offered[0])
                for name in names
                if (offered := clients[name][0].ways.get(mode))
            ]
            rates: dict[str, list[tuple[float, float]]] = {name: [] for name, _ in ways}
            for _ in range(ROUNDS):
                for name, way in ways:
                    rates[name].append(at_once(pool, clients[name], mode, way, run))
            for name, _ in ways:
                rate, cpu = (median(values) for values in zip(*rates[name], strict=True))
                of_mode[name] = {"rate": rate, "cpu": cpu}
                say(f"  {mode}, {name}: {rate:.1f} a second, {cpu:.2f} ms of CPU each")
    for of_engine in clients.values():
        for process in of_engine:
            process.close()
    return {"throughput": found}


def at_once(pool: ThreadPoolExecutor, processes: list[Process], mode: str, way: str, run: Run) -> tuple[float, float]:
    """Return searches a second, and the CPU milliseconds of one."""
    told = list(
        pool.map(
            lambda client: client[1].do("run", mode=mode, way=way, first=client[0] * 11, seconds=run.seconds),
            enumerate(processes),
        )
    )
    count = sum(client["count"] for client in told)
    return (
        sum(client["count"] / client["seconds"] for client in told),
        sum(client["cpu"] for client in told) * 1000 / count,
    )


def sessions(run: Run) -> Figures:
    """Measure the CPU of a new session with one hybrid search."""
    processes = started(run, [name for name in OURS if name in run.engines])
    spent: dict[str, list[float]] = {name: [] for name in processes}
    for process in processes.values():
        process.do("first", place=0)
    for place in range(SESSIONS):
        for name, process in processes.items():
            spent[name].append(process.do("first", place=place))
    for process in processes.values():
        process.close()
    found = {name: median(values) for name, values in spent.items()}
    say(f"  {found}")
    return {"sessions": found}


def small(run: Run) -> Figures:
    """Measure a hybrid search of a small collection."""
    processes = started(run, [name for name in OURS if name in run.engines], run.small)
    for process in processes.values():
        process.do("load")
        process.do("open")
    way = {name: process.ways[HYBRID][0] for name, process in processes.items()}
    spent: dict[str, list[float]] = {name: [] for name in processes}
    for turn in range(4):
        for name, process in processes.items():
            asked = {"mode": HYBRID, "where": None, "length": 4, "first": 0, "last": run.query_count}
            cpu = process.do("ask", way=way[name], seconds=1e9, **asked)["cpu"]
            if turn:
                spent[name].append(fmean(cpu))
    for process in processes.values():
        process.close()
    found = {name: median(values) for name, values in spent.items()}
    say(f"  {found}")
    return {"small": found}


def writes(run: Run) -> Figures:
    """Measure a document that add_documents writes, by the size of its calls."""
    processes = started(run, [name for name in OURS if name in run.engines], run.small)
    for process in processes.values():
        process.do("load")
    found: dict[str, dict[str, dict[str, float]]] = {}
    first = 0
    for batch, count in WRITTEN.items():
        told: dict[str, list[dict[str, float]]] = {name: [] for name in processes}
        for turn in range(WRITE_ROUNDS + 1):
            for name, process in processes.items():
                written = process.do("write", batch=batch, first=first, count=count)
                if turn:
                    told[name].append(written)
            first += count
        found[str(batch)] = {
            name: {key: median(turn[key] for turn in turns) for key in ("clock", "cpu")} for name, turns in told.items()
        }
        say(f"  by {batch}: {found[str(batch)]}")
    for process in processes.values():
        process.close()
    return {"writes": found}


if __name__ == "__main__":
    main()
