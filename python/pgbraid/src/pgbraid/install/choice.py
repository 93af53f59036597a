"""Which parts an installation gets."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pgbraid.errors import InvalidArgumentError
from pgbraid.install.resources import CORE, Resources


@dataclass(frozen=True)
class Choice:
    """What the caller of an installation asks for.

    `only`: exactly these parts, and what they need. Without it a new database gets the core and all stable parts, and
    an existing installation keeps what it has. `with_parts` come on top, with what they need; `without` are left out of
    a new database.
    """

    only: Sequence[str] = ()
    with_parts: Sequence[str] = ()
    without: Sequence[str] = ()

    def parts(self, found: Resources, installed: Collection[str] | None) -> tuple[str, ...]:
        """Return the parts that the installation is to have, the core first, a part behind those that it needs.
        `installed` are those that it has, None if there is none yet. Raise `InvalidArgumentError` for a choice that
        cannot be."""
        self._check(found)
        if self.only:
            chosen = with_needs(found, self.only)
            if superfluous := sorted({*(installed or ())} - chosen):
                raise InvalidArgumentError(
                    f"only: the database has {_named(superfluous)} as well",
                    hint=f"remove what is too much: pgbraid uninstall --part {superfluous[0]}",
                )
        elif installed is None:
            chosen = default_parts(found) - {*self.without}
        else:
            chosen = {*installed}
            if kept := sorted(chosen & {*self.without}):
                raise InvalidArgumentError(
                    f"without: {_named(kept)} is installed already",
                    hint=f"remove it: pgbraid uninstall --part {kept[0]}",
                )
        chosen |= with_needs(found, self.with_parts)
        for name in chosen & found.parts.keys():
            if missing := sorted({*needs_of(found, name)} - chosen):
                raise InvalidArgumentError(
                    f"without: {name} needs {_named(missing)}", hint=f"leave out {name} as well, or keep {missing[0]}"
                )
        # What the package lacks, the installation refuses in SQL, as that of a bundle does.
        return tuple(name for name in found.parts if name in chosen)

    def _check(self, found: Resources) -> None:
        for argument, names in (("only", self.only), ("with_parts", self.with_parts), ("without", self.without)):
            if unknown := sorted({*names} - found.parts.keys()):
                raise InvalidArgumentError(
                    f"{argument}: there is no part {unknown[0]!r}", hint=f"the parts are: {', '.join(found.parts)}"
                )
        if self.only and self.without:
            raise InvalidArgumentError(
                "only and without exclude each other",
                hint="only names all parts that are wanted, without those that are left out of the stable ones",
            )
        if CORE in self.without:
            raise InvalidArgumentError("without: the core cannot be left out", hint="name parts: pgbraid init --help")
        if both := sorted(with_needs(found, self.with_parts) & {*self.without}):
            raise InvalidArgumentError(
                f"without: {both[0]} is asked for by with_parts as well, or needed for it",
                hint="leave out one of them",
            )


def default_parts(found: Resources) -> set[str]:
    """Return what a new database gets: the core, and all parts that are stable."""
    return with_needs(found, [name for name, text in found.parts.items() if json.loads(text)["is_stable"]])


def with_needs(found: Resources, names: Collection[str]) -> set[str]:
    """Return these parts, all that they need, and the core."""
    wanted = {CORE, *names}
    for name in reversed([*found.parts]):  # each behind those that it needs
        if name in wanted:
            wanted |= {*needs_of(found, name)}
    return wanted


def needs_of(found: Resources, name: str) -> list[str]:
    return list(json.loads(found.parts[name])["needs"])


def _named(names: Sequence[str]) -> str:
    return f"the part{'s' if len(names) > 1 else ''} {', '.join(names)}"
