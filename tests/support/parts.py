"""Which parts the databases of tests have."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from pgbraid.install import choice, resources

# What a new database of users has.
DEFAULT = choice.default_parts

_patch = pytest.MonkeyPatch()


def install_only(names: Collection[str]) -> None:
    """From now on a new database of this process has these parts, and what they need, where none are named."""
    found = resources.resources()
    if unknown := sorted({*names} - found.parts.keys()):
        raise pytest.UsageError(f"--parts: there is no part {unknown[0]}; there are all, {', '.join(found.parts)}")
    _patch.setattr(choice, "default_parts", lambda found: choice.with_needs(found, names))


def install_all() -> None:
    """From now on a new database of this process has all parts, those that are not stable as well."""
    _patch.setattr(choice, "default_parts", lambda found: set(found.parts))
