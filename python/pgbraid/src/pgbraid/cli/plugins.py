"""Load commands of other packages by their entry points `pgbraid.commands`, as Datasette and llm load plug-ins."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

import click

from pgbraid._tools import INSTALL, PACKAGE, other_version

GROUP = "pgbraid.commands"
# The commands of PACKAGE, and the extra that a command needs besides it.
NAMES = (
    "bench bundle delete demo distribute doctor eval explain export-tenant import import-tenant ingest jobs "
    "judge judgments learn list maintain mcp measure-index-recall move-tenant ranking-models rankings rebalance recall "
    "show size static-embedder tune workbench"
)
COMMANDS = NAMES.split()
# A checkout that was installed before a command got its name still has the entry point of the old name.
FORMER = {"import-table": "import"}
EXTRAS = {"ingest": "files", "learn": "learn", "mcp": "mcp", "workbench": "workbench"}


def load(name: str, own: frozenset[str]) -> click.Command | None:
    """Return a plug-in's command; None if no package has it. Raise ClickException if the command cannot be loaded."""
    found = _found(own).get(name)
    if found is not None:
        return _loaded(found)
    if name in COMMANDS:
        command = f"pip install 'pgbraid[{EXTRAS.get(name, 'tools')}]'"
        raise click.ClickException(f"pgbraid {name} is a command of the package {PACKAGE}; run: {command}")
    return None


def loadable(own: frozenset[str]) -> list[str]:
    """Return the commands of plug-ins that load; report the others on stderr, with the reason."""
    names = []
    for name, entry in _found(own).items():
        try:
            _loaded(entry)
        except click.ClickException as error:
            _warn(error.message)
        else:
            names.append(name)
    return names


def missing(own: frozenset[str]) -> list[str]:
    """Return the tools' commands that are not installed."""
    return [name for name in COMMANDS if name not in _found(own)]


@cache
def _found(own: frozenset[str]) -> dict[str, EntryPoint]:
    """Return the plug-ins by the name of their command. Leave out plug-ins with the name of a command of pgbraid; of
    several with one name, take pgbraid-tools' plug-in."""
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (_package(entry) != PACKAGE, _package(entry))):
        name = FORMER.get(entry.name, entry.name) if _package(entry) == PACKAGE else entry.name
        other = "pgbraid" if name in own else _package(found[name]) if name in found else None
        if other is None:
            found[name] = entry
        else:
            _warn(f"{_package(entry)} has a command {name}, too, which is left out: it is one of {other}")
    return found


def _loaded(entry: EntryPoint) -> click.Command:
    package = _package(entry)
    if package == PACKAGE and (other := other_version(entry)):
        raise click.ClickException(f"{other}; run: {INSTALL}")
    try:
        command = entry.load()
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error).split())
        raise click.ClickException(
            f"pgbraid {entry.name} of {package} does not load: {type(error).__name__}: {reason}"
        ) from error
    if not isinstance(command, click.Command):
        raise click.ClickException(f"pgbraid {entry.name} of {package} is no command of click: {entry.value}")
    return command


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "?"


def _warn(message: str) -> None:
    click.echo(f"pgbraid: {message}", err=True)
