"""Installing pgbraid's schema in a database, upgrading and removing it.

All of it is one transaction: roles, schemas, migrations, functions and the record of what is installed. A failure or
a crash at any point leaves what was there. One installer works at a time.
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

# Clients compare versions, and need no more of this.
__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "installer": "InstallReport install",
        "removal": "RemovalReport UninstallReport uninstall uninstall_parts",
        "state": "Installation read_installation",
    },
)
