"""Serve stateless streamable HTTP: requests do not depend on each other, so any number of servers can share the
work."""

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
    """Return the application at /mcp; for a server with tokens, it also serves the metadata of RFC 9728.

    Requests are refused unless their host is the loopback interface, `host` or one of `allowed_hosts`, because a web
    page may point its own name at this server (DNS rebinding). Requests with another origin are refused as well.
    """
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
