"""Serve a web page to search, compare and monitor: `pgbraid workbench`. Needs the extra [workbench]."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgbraid._lazy import lazy_names

if TYPE_CHECKING:
    from pgbraid_tools.workbench.access import Access
    from pgbraid_tools.workbench.server import build_app

__all__ = ["Access", "build_app"]

__getattr__, __dir__ = lazy_names(__name__, {"access": "Access", "server": "build_app"})
