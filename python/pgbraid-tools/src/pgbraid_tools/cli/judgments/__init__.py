"""Run pgbraid judgments."""

from __future__ import annotations

import click

from pgbraid_tools.cli.judgments import agreement, ask, compare, load, sample

__all__ = ["judgments"]


@click.group(short_help="Load judged queries, or have a language model judge.")
def judgments() -> None:
    """Make and compare judgments of queries, the basis of `pgbraid eval`."""


for command in (load.load, sample.sample, ask.ask, compare.compare, agreement.agreement):
    judgments.add_command(command)
