"""Measure ten complaints about hybrid search on pgbraid, pgvector by hand, LangChain's store and LanceDB."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.full_text.report import say
from benchmarks.pains.complaints import PAINS
from benchmarks.pains.complaints.ranking import Rerankers
from benchmarks.pains.measure import measure
from benchmarks.pains.page import Results, section, write_page
from benchmarks.pains.remote import Remote
from benchmarks.pains.texts import Texts
from benchmarks.pains.worker import ENGINES
from benchmarks.peers.__main__ import ENVIRONMENT
from benchmarks.peers.processes import MissingEngineError, install_peers
from pgbraid import embedded
from pgbraid.embedders import LocalEmbedder
from pgbraid_tools.rerankers import CrossEncoderReranker, LateInteractionReranker
from support.cross_encoder import cross_encoder_folder
from support.vectors import Vectors, cached_vectors

MANY = 50


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pains", description=__doc__)
    parser.add_argument("--pains", help=f"some of: {', '.join(pain.__name__ for pain in PAINS)}")
    parser.add_argument("--engines", default=",".join(ENGINES), help="some of: %(default)s")
    parser.add_argument("--install", action="store_true", help=f"install the peers, into {ENVIRONMENT.name} of .venv")
    parser.add_argument("--environment", type=Path, default=ENVIRONMENT, help="where the peers are installed")
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--write", action="store_true", help="write docs/lab/pains.md")
    arguments = parser.parse_args()
    pains = [pain for pain in PAINS if not arguments.pains or pain.__name__ in arguments.pains.split(",")]
    environment: Path = arguments.environment.absolute()
    if arguments.install:
        say("installing the peers")
        install_peers(environment)
    with ExitStack() as stack:
        work_dir = Path(tempfile.mkdtemp(prefix="pgbraid-bench-"))
        stack.callback(shutil.rmtree, work_dir)
        # The server runs as another user, which has to enter the folder.
        work_dir.chmod(0o755)
        data_dir = work_dir / "server"
        stack.callback(embedded.stop, data_dir)
        dsn = embedded.ensure_running(data_dir, arguments.postgres_version).dsn
        engines: dict[str, Remote] = {}
        absent: dict[str, str] = {}
        for number, name in enumerate(arguments.engines.split(",")):
            try:
                engines[name] = Remote(name, work_dir / f"engine-{number}", dsn, environment)
            except MissingEngineError as error:
                absent[name] = str(error)
                say(f"{name} is absent, {error}: install it with --install")
                continue
            stack.callback(engines[name].close)
            say(engines[name].about())
        choose_reranker()
        abouts = {name: engine.about() for name, engine in engines.items()}
        results = Results(abouts, absent, Rerankers.about)
        measure(pains, engines, Texts(embed), results)
    print(section(results))
    if arguments.write:
        write_page(results)


def embed(texts: list[str]) -> Vectors:
    """Embed by the offline model. The vectors of many texts are kept in the user's cache for the next run."""
    return cached_vectors(texts) if len(texts) >= MANY else LocalEmbedder().embed_documents(texts)


def choose_reranker() -> None:
    """Take a real cross-encoder; where it cannot be had, the late interaction of the offline model."""
    try:
        Rerankers.reranker = CrossEncoderReranker(cross_encoder_folder())
        Rerankers.about = "ms-marco-MiniLM-L-12-v2"
    except pytest.skip.Exception:
        Rerankers.reranker = LateInteractionReranker()
        Rerankers.about = "token vectors of all-MiniLM-L6-v2"


if __name__ == "__main__":
    main()
