"""Make docs/reference/commands.md: each command of `pgbraid` with its options, as click has them."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

import click

from pgbraid.cli import COMMANDS, plugins
from reference.markdown import ROOT, block, brief, coded, document, guide, item, table, wrapped

ENTRY_POINTS = ROOT / "python" / "pgbraid-tools" / "pyproject.toml"
# An option shared by at least this number of commands is explained once.
COMMON = 4
GUIDES = {
    "bench": "benchmark",
    "bundle": "supabase",
    "delete": "documents",
    "distribute": "citus",
    "doctor": "doctor",
    "dsn": "embedded-server",
    "eval": "evaluation",
    "explain": "explain",
    "export-tenant": "move-tenant",
    "import": "import",
    "import-tenant": "move-tenant",
    "ingest": "files",
    "init": "install",
    "jobs": "workers",
    "judge": "evaluation",
    "judgments": "evaluation",
    "learn": "learning-to-rank",
    "list": "documents",
    "maintain": "maintain",
    "mcp": "agents",
    "measure-index-recall": "vector-index",
    "move-tenant": "citus-nodes",
    "ranking-models": "learning-to-rank",
    "psql": "embedded-server",
    "rankings": "tuning",
    "rebalance": "citus-nodes",
    "recall": "memory",
    "search": "command-line",
    "show": "documents",
    "size": "size",
    "status": "install",
    "stop": "embedded-server",
    "tune": "tuning",
    "uninstall": "parts",
    "upgrade": "upgrade",
    "vector": "search",
    "work": "workers",
    "workbench": "workbench",
}
Record = tuple[str, str]
INTRODUCTION = """
`make generate` makes this page from the commands of the packages `pgbraid` and `pgbraid-tools`. `pgbraid` alone lists
the commands that are installed, and `pgbraid search --help` the options of one.
[The command line](../guide/command-line.md) shows examples, environment variables and plug-ins.
"""


def places() -> dict[str, str]:
    """Return the module and attribute of each command, of the driver and of the tools."""
    text = ENTRY_POINTS.read_text()
    section = text.partition(f'[project.entry-points."{plugins.GROUP}"]\n')[2].partition("\n\n")[0]
    return {**COMMANDS, **dict(re.findall(r'^([\w-]+) = "([\w.]+:\w+)"$', section, re.M))}


@cache
def commands() -> Mapping[str, click.Command]:
    """Return each command, and each command of a group, by what the user types."""
    found: dict[str, click.Command] = {}
    for name, place in sorted(places().items()):
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        found[f"pgbraid {name}"] = command
        if isinstance(command, click.Group):
            found |= {f"pgbraid {name} {own}": one for own, one in sorted(command.commands.items())}
    return found


@cache
def records(name: str) -> tuple[Record, ...]:
    """Return the options of a command with their help."""
    command = commands()[name]
    context = click.Context(command, info_name=name)
    made = (one.get_help_record(context) for one in command.params if isinstance(one, click.Option))
    return tuple(record for record in made if record is not None)


@cache
def common() -> list[Record]:
    """Return the options that many commands have with the same help, the most frequent first."""
    counts = Counter(record for name in commands() for record in records(name))
    return [record for record, count in counts.most_common() if count >= COMMON]


def option(record: Record) -> list[str]:
    names, text = record
    # Click writes bounds of a number so.
    names = re.sub(r"(FLOAT|INTEGER) RANGE", "N", names)
    bounds = re.sub(r"([^\s\[]+)<=x<=([^\s;\]]+)", r"\1 to \2", text)
    return item(f"`{names}`: {coded(bounds)}")


def paragraphs(command: click.Command) -> list[str]:
    texts = inspect.cleandoc(command.help or "").split("\n\n")
    return [" ".join(text.split()) for text in [*texts, command.epilog or ""] if text]


def section(name: str) -> Iterator[list[str]]:
    command = commands()[name]
    usage = command.get_usage(click.Context(command, info_name=name)).partition(": ")[2]
    said = paragraphs(command)
    examples = [text.removeprefix("Example: ") for text in said if text.startswith("Example: ")]
    yield [f"### {name}"]
    yield wrapped(coded(said[0]))
    yield block("\n".join([" ".join(usage.split()), *examples]), "sh")
    for text in said[1:]:
        if not text.startswith("Example: "):
            yield wrapped(coded(text))
    shared = [record for record in records(name) if record in common()]
    lines = [line for record in records(name) if record not in shared for line in option(record)]
    if shared:
        names = ", ".join(f"`{long_name(record)}`" for record in shared)
        lines += item(f"{names}: [options of many commands](#options-of-many-commands).")
    yield lines
    page = GUIDES.get(name.split()[1])
    if page:
        yield wrapped(f"Guide: {guide(f'guide/{page}.md')}.")


def long_name(record: Record) -> str:
    return next(name for name in re.split(r"[ ,]+", record[0]) if name.startswith("--"))


def package(name: str) -> str:
    known = name.split()[1]
    extra = plugins.EXTRAS.get(known, "tools") if known in plugins.COMMANDS else None
    return f"`pgbraid[{extra}]`" if extra else "`pgbraid`"


def page() -> str:
    """Return the page."""
    rows = (
        [f"[`{name}`](#{name.replace(' ', '-')})", coded(brief(paragraphs(command)[0])), package(name)]
        for name, command in commands().items()
        if len(name.split()) == 2
    )
    return document(
        ["# Commands"],
        wrapped(INTRODUCTION),
        table(["command", "what it does", "comes with"], rows),
        ["## Options of many commands"],
        [line for record in common() for line in option(record)],
        ["## Each command"],
        *(part for name in commands() for part in section(name)),
    )
