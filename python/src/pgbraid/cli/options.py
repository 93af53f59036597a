"""Options that several commands have."""

from __future__ import annotations

import json
from typing import Any

import click

ROW_COUNT = click.IntRange(1, 10_000)

dsn_option = click.option(
    "--dsn", envvar="PGBRAID_DSN", metavar="URL", help="The database. Default: $PGBRAID_DSN, else the embedded one."
)
tenant_option = click.option(
    "--tenant", default="default", show_default=True, metavar="KEY", help="The tenant to act for."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
collection_option = click.option(
    "--collection", default="default", show_default=True, metavar="NAME", help="The collection."
)


def parse_json(text: str | None, option: str) -> Any:
    """The value of an option that takes JSON."""
    try:
        return None if text is None else json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"not JSON: {error}", param_hint=option) from error
