"""Stateless streamable HTTP: each request stands for itself, so that any number of servers may share the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from pgbraid_tools.mcp_server.settings import LOOPBACK

if TYPE_CHECKING:
    from starlette.applications import Starlette

__all__ = ["http_app"]


def http_app(server: MCPServer[Any], host: str, allowed_hosts: Sequence[str] = ()) -> Starlette:
    """The application at /mcp, and the metadata of RFC 9728 for a server with tokens. Requests for other hosts than the
    loopback interface, `host` and `allowed_hosts` are refused: a page in a browser may have had its name pointed here
    (DNS rebinding). So are those from other origins."""
    names = [*LOOPBACK[:2], "[::1]", f"[{host}]" if ":" in host else host, *allowed_hosts]
    hosts = [form for name in names for form in (name, f"{name}:*")]
    return server.streamable_http_app(
        streamable_http_path="/mcp",
        json_response=True,
        stateless_http=True,
        host=host,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=hosts,
            allowed_origins=[f"{scheme}://{name}" for scheme in ("http", "https") for name in hosts],
        ),
    )
