"""Serve search and memory to agents as tools over the Model Context Protocol. Needs the extra [mcp]."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgbraid._lazy import lazy_names

if TYPE_CHECKING:
    from pgbraid_tools.mcp_server.connections import Connections
    from pgbraid_tools.mcp_server.http import http_app
    from pgbraid_tools.mcp_server.server import build_server
    from pgbraid_tools.mcp_server.settings import TokenSettings

__all__ = ["Connections", "TokenSettings", "build_server", "http_app"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "connections": "Connections",
        "http": "http_app",
        "server": "build_server",
        "settings": "TokenSettings",
    },
)
