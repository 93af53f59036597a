"""pgbraid judgments."""

from __future__ import annotations

import click

from pgbraid.cli.judgments.agreement import agreement
from pgbraid.cli.judgments.ask import ask
from pgbraid.cli.judgments.compare import compare
from pgbraid.cli.judgments.load import load
from pgbraid.cli.judgments.sample import sample

__all__ = ["judgments"]


@click.group(short_help="Load judged queries, or have a language model judge.")
def judgments() -> None:
    """Judged queries: what `pgbraid eval` measures by."""


for command in (load, sample, ask, compare, agreement):
    judgments.add_command(command)
