"""Choose the parts of an installation."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from pgbraid.errors import InvalidArgumentError
from pgbraid.install.own_parts import with_own_parts
from pgbraid.install.resources import CORE, Resources


@dataclass(frozen=True)
class Choice:
    """Hold the caller's choice of parts from `found`.

    With `only`, install exactly these parts, and the parts that they need. Without it, a new database gets the core and
    all stable parts, and an existing installation keeps its parts. `added` are installed in addition, with the parts
    that they need; `without` are left out of a new database.
    """

    found: Resources
    only: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def parts(self, installed: Collection[str] | None) -> tuple[str, ...]:
        """Return the parts to install, the core first, each part after the parts that it needs. `installed` are the
        present parts, None without an installation. Raise `InvalidArgumentError` for an impossible choice."""
        found = self.found
        added = with_needs(found, self.added)
        if self.only:
            chosen = with_needs(found, self.only)
            if superfluous := sorted({*(installed or ())} - chosen - added):
                named = " ".join(f"--part {name}" for name in superfluous)
                raise InvalidArgumentError(
                    f"the database has other parts as well: {', '.join(superfluous)}",
                    hint=f"remove the other parts: pgbraid uninstall {named}",
                )
        elif installed is None:
            chosen = default_parts(found) - {*self.without}
        else:
            chosen = {*installed}
            if kept := sorted(chosen & {*self.without}):
                raise InvalidArgumentError(
                    f"the part {kept[0]} is installed already",
                    hint=f"remove the part: pgbraid uninstall --part {kept[0]}",
                )
        chosen |= added
        for name in found.parts:
            if name in chosen and (missing := sorted({*needs_of(found, name)} - chosen)):
                raise InvalidArgumentError(
                    f"the part {name} needs {missing[0]}, which exclude leaves out",
                    hint=f"leave out {name} as well, or keep {missing[0]}",
                )
        # The installation refuses in SQL installed parts that the package lacks; a bundle's installation does the same.
        return tuple(name for name in found.parts if name in chosen)


def choose(only: Sequence[str], with_parts: Sequence[str | os.PathLike[str]], without: Sequence[str]) -> Choice:
    """Return the choice. A path in `with_parts` is the folder of a part that the package does not bring. Raise
    `InvalidArgumentError` for unknown parts and for a contradictory choice."""
    for argument, given in (("only", only), ("with_parts", with_parts), ("without", without)):
        if isinstance(given, str):
            raise InvalidArgumentError(f"{argument} is the text {given!r}", hint=f"give a list: [{given!r}]")
    # Links are not resolved, because the part has the name of the given folder, not of a link's target.
    folders = [Path(os.path.abspath(os.path.expanduser(given))) for given in with_parts if _is_path(given)]
    found = with_own_parts(folders)
    names = [folder.name for folder in folders] + [str(given) for given in with_parts if not _is_path(given)]
    for name in (*only, *names, *without):
        if name not in found.parts:
            known = ", ".join(found.parts)
            raise InvalidArgumentError(
                f"there is no part {name!r}",
                hint=f"the parts are {known}; one of your own is given by its folder, ./NAME",
            )
    if only and without:
        raise InvalidArgumentError(
            "only and without exclude each other",
            hint="with only, name all parts that you want: what is not named is left out",
        )
    if CORE in without:
        raise InvalidArgumentError("the core cannot be left out", hint="exclude parts only: every part needs the core")
    if both := sorted(with_needs(found, names) & {*without}):
        raise InvalidArgumentError(
            f"the part {both[0]} is excluded, but is asked for, or needed by a part that is asked for",
            hint="leave this part out of exclude, or do not ask for it",
        )
    return Choice(found, tuple(only), tuple(names), tuple(without))


def default_parts(found: Resources) -> set[str]:
    """Return the parts of a new database: the core, and all stable parts of the package."""
    stable = [name for name, text in found.parts.items() if json.loads(text)["is_stable"] and name not in found.own]
    return with_needs(found, stable)


def with_needs(found: Resources, names: Collection[str]) -> set[str]:
    """Return these parts, all that they need, and the core."""
    wanted = {CORE, *names}
    for name in reversed([*found.parts]):  # each part comes before the parts that it needs
        if name in wanted:
            wanted |= {*needs_of(found, name)}
    return wanted


def needs_of(found: Resources, name: str) -> list[str]:
    return list(json.loads(found.parts[name])["needs"])


def _is_path(given: str | os.PathLike[str]) -> bool:
    return not isinstance(given, str) or given.startswith((".", "~")) or "/" in given or os.sep in given
