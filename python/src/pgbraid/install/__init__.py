"""Installing pgbraid's schema in a database, upgrading and removing it.

All of it is one transaction: roles, schemas, migrations, functions and the record of what is installed. A failure or
a crash at any point leaves what was there. One installer works at a time.
"""

from __future__ import annotations

from pgbraid.install.installer import InstallReport, install
from pgbraid.install.removal import UninstallReport, uninstall
from pgbraid.install.state import Installation, read_installation

__all__ = ["InstallReport", "Installation", "UninstallReport", "install", "read_installation", "uninstall"]
