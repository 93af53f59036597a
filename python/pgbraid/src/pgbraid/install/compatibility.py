"""Check whether this package's clients can work with an installation."""

from __future__ import annotations

from collections.abc import Mapping

from pgbraid._version import __version__
from pgbraid.errors import PermissionDeniedError, VersionMismatchError
from pgbraid.install.resources import CORE, resources

NO_TENANT = "have an administrator call braid.add_tenant_member, or braid.add_trusted_role"


def check_installed(version: str | None, installed: Mapping[str, str]) -> None:
    """Raise `VersionMismatchError` unless this package's clients can work with the installation, given the hashes of
    its core and parts. Versions may differ in the last number."""
    if version is None:
        raise PermissionDeniedError("the login is a member of no tenant of this database", hint=NO_TENANT)
    database, package = (tuple(map(int, text.split(".")[:2])) for text in (version, __version__))
    if database != package:
        raise VersionMismatchError(
            f"the database has pgbraid {version}, this package is {__version__}",
            hint="run: pgbraid upgrade" if database < package else "run: pip install -U pgbraid",
        )
    if version == __version__ and (other := differing_parts(installed)):
        raise VersionMismatchError(
            f"the database's functions or migrations ({', '.join(other)}) are not those of this package, though both"
            f" are pgbraid {version}",
            hint="run: pgbraid status, which says how they differ, and pgbraid upgrade",
        )


def before_release() -> VersionMismatchError:
    """Return the error for an installation with other columns than every release; begin.sql raises the same error."""
    return VersionMismatchError(
        "the database is from before pgbraid 0.1.0, and cannot be upgraded",
        hint="move the data: export each tenant with the package that made the database, then run pgbraid"
        " import-tenant with this one into a new database",
    )


def differing_parts(installed: Mapping[str, str]) -> list[str]:
    """Return the installed parts, or the core, with other files in this package. Parts of the user's own never differ:
    the core's hash covers the list of the package's parts."""
    wanted = resources().part_hashes
    return [name for name in wanted if installed.get(name, "" if name == CORE else wanted[name]) != wanted[name]]
