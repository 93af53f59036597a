"""Install pgbraid's schema in a database, upgrade it and remove it.

Each runs as one transaction: roles, schemas, migrations, functions and the record of the installation. A failure or a
crash changes nothing. One installer works at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgbraid._lazy import lazy_names

if TYPE_CHECKING:
    from pgbraid.install.installer import InstallReport, install
    from pgbraid.install.removal import RemovalReport, UninstallReport, uninstall, uninstall_parts
    from pgbraid.install.state import Installation, read_installation

__all__ = [
    "InstallReport",
    "Installation",
    "RemovalReport",
    "UninstallReport",
    "install",
    "read_installation",
    "uninstall",
    "uninstall_parts",
]

# Clients only compare versions, so they import little of this package.
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "installer": "InstallReport install",
        "removal": "RemovalReport UninstallReport uninstall uninstall_parts",
        "state": "Installation read_installation",
    },
)
