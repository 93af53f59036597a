"""Whether this package's clients can work with what is installed."""

from __future__ import annotations

from pgbraid._version import __version__
from pgbraid.errors import PermissionDeniedError, VersionMismatchError
from pgbraid.install.resources import content_hash

NO_TENANT = "have an administrator call braid.add_tenant_member, or braid.add_trusted_role"


def check_installed(version: str | None, installed_hash: str | None) -> None:
    """Raise `VersionMismatchError` unless clients of this package can work with such an installation. Versions that
    differ in the last number can."""
    if version is None:
        raise PermissionDeniedError("the login is a member of no tenant of this database", hint=NO_TENANT)
    database, package = (tuple(map(int, text.split(".")[:2])) for text in (version, __version__))
    if database != package:
        raise VersionMismatchError(
            f"the database has pgbraid {version}, this package is {__version__}",
            hint="run: pgbraid upgrade" if database < package else "run: pip install -U pgbraid",
        )
    if version == __version__ and installed_hash != content_hash():
        raise VersionMismatchError(
            f"the database's functions or migrations are not those of this package, though both are pgbraid {version}",
            hint="run: pgbraid status, which says how they differ, and pgbraid upgrade",
        )
