"""Whether this package's clients can work with what is installed."""

from __future__ import annotations

from collections.abc import Mapping

from pgbraid._version import __version__
from pgbraid.errors import PermissionDeniedError, VersionMismatchError
from pgbraid.install.resources import CORE, resources

NO_TENANT = "have an administrator call braid.add_tenant_member, or braid.add_trusted_role"


def check_installed(version: str | None, installed: Mapping[str, str]) -> None:
    """Raise `VersionMismatchError` unless clients of this package can work with such an installation, whose core and
    parts have these hashes. Versions that differ in the last number can."""
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
    """Return the error for an installation that has other columns than every release; begin.sql says the same."""
    return VersionMismatchError(
        "the database is from before pgbraid 0.1.0, and cannot be upgraded",
        hint="move the data: export each tenant with the package that made the database, then run pgbraid"
        " import-tenant with this one into a new database",
    )


def differing_parts(installed: Mapping[str, str]) -> list[str]:
    """Return which of the installed parts, the core among them, have other files in this package. A part that the
    package does not bring is somebody's own: the core's hash covers which parts it brings."""
    wanted = resources().part_hashes
    return [name for name in wanted if installed.get(name, "" if name == CORE else wanted[name]) != wanted[name]]
