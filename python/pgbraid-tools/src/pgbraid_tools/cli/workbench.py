"""Run pgbraid workbench."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from pgbraid.cli.options import dsn_option, embedders, embedding_options, tenant_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgbraid_tools.mcp_server.connections import Connections

TOKEN = "PGBRAID_WORKBENCH_TOKEN"
# On stop, running requests have this many seconds left.
PATIENCE = 3
NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*", re.IGNORECASE)


@click.command(short_help="Open a web page to search, compare and watch in.")
@dsn_option
@tenant_option
@click.option("--http", default="127.0.0.1:8760", show_default=True, metavar="HOST:PORT", help="Where to listen.")
@click.option("--write", is_flag=True, help="Allow changes: judgments, query sets, the demo.")
@click.option(
    "--allowed-host", "allowed_hosts", multiple=True, metavar="NAME", help="A name by which browsers reach it."
)
@embedding_options
def workbench(
    dsn: str | None,
    tenant: str,
    http: str,
    write: bool,
    allowed_hosts: tuple[str, ...],
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Serve a web page over the database, for one tenant. Print its address, with a code that admits one browser; then
    the next code. Without --write the page changes nothing.

    If the environment variable PGBRAID_WORKBENCH_TOKEN has a token, no code is printed, and the page asks for the
    token.

    Example: pgbraid workbench --write
    """
    from pgbraid_tools.cli.mcp import _address

    host, port = _address(http)
    _check_extra()
    from pgbraid_tools._asyncio import run
    from pgbraid_tools.mcp_server.connections import Connections
    from pgbraid_tools.workbench.access import LOOPBACK, TOKENS

    if host not in LOOPBACK and not allowed_hosts:
        raise click.UsageError(
            f"other machines can reach {host}: give its name with --allowed-host, or listen at 127.0.0.1:{port}"
        )
    for name in allowed_hosts:
        if not _is_name(name):
            raise click.BadParameter(
                f"{name} is not a name alone, such as search.example.com", param_hint="--allowed-host"
            )
    token = os.environ.get(TOKEN) or None
    if token is not None and not TOKENS.fullmatch(token):
        raise click.UsageError(f"{TOKEN} needs 24 or more of the characters A-Z, a-z, 0-9, '.', '_', '~' and '-'")
    connections = Connections(dsn, tenant=tenant, embedder=embedders(embedding_url, embedding_model))
    run(_serve(connections, host, port, allowed_hosts, token, write=write))


def _is_name(text: str) -> bool:
    """Tell whether the text is the name of a host, without scheme, port and brackets."""
    try:
        return not ipaddress.ip_address(text).is_unspecified
    except ValueError:
        return NAME.fullmatch(text) is not None


def _check_extra() -> None:
    for name in ("starlette", "uvicorn", "psycopg_pool"):
        if find_spec(name) is None:
            raise click.ClickException(f"the module {name} is missing; run: pip install 'pgbraid[workbench]'")


async def _serve(
    connections: Connections, host: str, port: int, allowed_hosts: Sequence[str], token: str | None, *, write: bool
) -> None:
    import uvicorn

    from pgbraid_tools.workbench import Access, build_app

    async with connections:
        async with connections.client(connections.tenant) as client:
            if await client._session.value("current_tenant_id") is None:
                raise click.UsageError(f"there is no tenant {client.tenant}, or the login may not act for it")
        # Bind before announcing. An address in use raises OSError here, where a later bind would end the process.
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
            bound, chosen = listening.getsockname()[:2]
            own = ipaddress.ip_address(bound)
            # 0.0.0.0 is an address to listen at, but not an address to request.
            hosts = allowed_hosts if own.is_unspecified else (host, bound, *allowed_hosts)
            access = Access(hosts=hosts, write=write) if token is None else Access(token, hosts, write)
            # Use the numeric address: a name may resolve to an address where another program listens.
            named = bound if own.is_loopback else allowed_hosts[0]
            address = f"http://{f'[{named}]' if ':' in named else named}:{chosen}/"

            def announce(code: str, begin: str = "The next browser or tab is let in by ") -> None:
                # Put the code after the #, which browsers do not send.
                click.echo(f"{begin}{address}#code={code}")

            if token is None:
                announce(access.new_code(), "")
            else:
                click.echo(f"{address} asks for the token of {TOKEN}")
            config = uvicorn.Config(
                build_app(connections, access, announce if token is None else lambda code: None),
                lifespan="off",
                log_level="warning",
                access_log=False,
                server_header=False,
                ws="none",
                timeout_graceful_shutdown=PATIENCE,
            )
            await uvicorn.Server(config).serve(sockets=[listening])
