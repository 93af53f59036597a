"""Installing pgbraid's schema in a database, upgrading and removing it.

One installer works at a time, under a session advisory lock. Migrations run once each; then `sql/` is applied in
one transaction, unless the database holds the hash of the same content. A crash at any point leaves a state from
which the next install goes on.
"""

from __future__ import annotations

from pgbraid.install.installer import InstallReport, install
from pgbraid.install.removal import UninstallReport, uninstall
from pgbraid.install.state import Installation, read_installation

__all__ = ["InstallReport", "Installation", "UninstallReport", "install", "read_installation", "uninstall"]
