"""Run pgbraid judge."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pgbraid.cli.options import collection_option, dsn_option, tenant_option
from pgbraid.cli.output import style
from pgbraid.display import clean, plain
from pgbraid_tools.cli.eval import FILE, read_configurations

if TYPE_CHECKING:
    from pgbraid.client import Client
    from pgbraid_tools.evaluation.judging import Judging, PooledResult

DEPTH = click.IntRange(1, 1000)
PROMPT = "grade 0 to 3, s, u, q, ? "
CONTROL_D = "\x04"


@click.command(short_help="Grade what searches find, one key a grade.")
@click.argument("query_set")
@dsn_option
@tenant_option
@collection_option
@click.option("--config", "files", type=FILE, multiple=True, help="JSON of a configuration whose results are graded.")
@click.option("--depth", type=DEPTH, default=10, show_default=True, metavar="N", help="How many results of each.")
@click.option("--judge", "judge_name", default="default", show_default=True, metavar="NAME", help="Who grades.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Another one, another order.")
def judge(
    query_set: str,
    dsn: str | None,
    tenant: str,
    collection: str,
    files: tuple[Path, ...],
    depth: int,
    judge_name: str,
    seed: int,
) -> None:
    """Show the first results of each configuration for the queries of QUERY_SET, each once and shuffled, without naming
    the configuration. Store a grade for each key: 0 to 3; s skips, u takes the last grade back, q ends.

    Each grade is stored at once. Results that this judge has graded do not come again. Without a terminal, each line of
    standard input is a key.

    Example: pgbraid judge support --config now.json --config new.json --judge ana
    """
    import pgbraid
    from pgbraid_tools.evaluation.judging import Judging, pooled_results, query_count

    configurations = [{"collection": collection, **given} for given in read_configurations(files).values()]
    with pgbraid.connect(dsn, tenant=tenant) as client:
        count = query_count(client, query_set)
        results = pooled_results(client, query_set, configurations, depth=depth, judge=judge_name, seed=seed)
        judging = Judging(client, query_set, results, judge_name)
        with _keys() as key:
            ended = _grade(client, judging, count, key)
    said = [f"{judging.graded} graded", *([f"{judging.skipped} skipped"] if judging.skipped else [])]
    click.echo(", ".join([*said, *([] if ended else ["nothing is left"])]))


def _grade(client: Client, judging: Judging, query_count: int, key: Callable[[], str]) -> bool:
    """Ask for grades until nothing is left. Return True if the judge ended it before."""
    shown = None
    while (result := judging.next()) is not None:
        if result is not shown:
            _show(client, result, query_count)
            shown = result
        click.echo(PROMPT, nl=False)
        pressed = key()
        click.echo(clean(pressed[:20]))
        if pressed in ("0", "1", "2", "3"):
            judging.grade(int(pressed))
        elif pressed == "s":
            judging.skip()
        elif pressed == "u":
            if not judging.undo():
                click.echo("nothing to take back in this session")
        elif pressed == "q":
            return True
        else:
            _help()
    return False


def _show(client: Client, result: PooledResult, query_count: int) -> None:
    coloured = style() or plain
    place = f"query {result.query_number} of {query_count}, result {result.place} of {result.count}"
    chunk = "" if result.chunk_index is None else f", chunk {result.chunk_index}"
    click.echo()
    click.echo(coloured(clean(f"{place}{chunk}"), "faint"))
    click.echo(coloured(clean(result.query_text), "score"))
    click.echo(coloured(clean(result.title or result.external_id), "title"))
    click.echo(_passage(client, result, coloured))


def _passage(client: Client, result: PooledResult, coloured: Callable[[str, str], str]) -> str:
    """Return the passage that matches the query best, with its words marked."""
    from pgbraid.errors import NotFoundError

    try:
        marked = client.highlight(result.chunk_id, result.query_text, fragment_count=3, fragment_words=40)
    except NotFoundError:
        # The document was rewritten since the search.
        return clean(" ".join(result.content.split())[:1000])
    # Text outside of tags is escaped, so every tag is one of ours.
    parts = re.split(r"<mark>(.*?)</mark>", " ".join(marked.split()))
    texts = (clean(unescape(part)) for part in parts)
    return "".join(coloured(text, "title") if place % 2 else text for place, text in enumerate(texts))


def _help() -> None:
    from pgbraid_tools.evaluation.judging import GRADES

    for grade, meaning in GRADES.items():
        click.echo(f"  {grade}  {meaning}")
    click.echo(
        "  s  skip: it comes again next time\n  u  undo: take the last one back\n  q  quit: all grades are stored"
    )


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """Yield a function that waits for a key of the terminal. Without a terminal, it reads a line of standard input. It
    returns "q" at the end."""
    if not sys.stdin.isatty():
        yield lambda: line.strip() if (line := sys.stdin.readline()) else "q"
        return
    if sys.platform == "win32":
        yield click.getchar
        return
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def read() -> str:
        # Set the mode each time: another program may have changed it while this one was stopped.
        tty.setcbreak(terminal, termios.TCSADRAIN)
        pressed = os.read(terminal, 1)
        if pressed == b"\x1b":
            # Arrow keys send several bytes, some of which are digits.
            while select.select([terminal], [], [], 0.02)[0] and os.read(terminal, 64):
                pass
        key = pressed.decode("latin-1")
        return "q" if key in ("", CONTROL_D) else key

    def end(*_: object) -> None:
        raise SystemExit(128 + signal.SIGTERM)

    # SIGTERM still restores the terminal.
    handler = signal.signal(signal.SIGTERM, end)
    try:
        yield read
    finally:
        signal.signal(signal.SIGTERM, handler)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
