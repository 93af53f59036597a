"""pgbraid workbench."""

from __future__ import annotations

import os
import socket
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from pgbraid.cli.options import dsn_option, embedders, embedding_options, tenant_option

if TYPE_CHECKING:
    from pgbraid.mcp_server.connections import Connections
    from pgbraid.workbench import Access

TOKEN = "PGBRAID_WORKBENCH_TOKEN"
SHORTEST_TOKEN = 24
# Addresses to listen at, and none to ask.
ANYWHERE = ("0.0.0.0", "::")


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
    """Serve a web page over the database, for one tenant, and print its address, with a token that lets in whoever has
    it. Without --write the page changes nothing.

    The token is another one each time, unless the environment variable PGBRAID_WORKBENCH_TOKEN has one.

    Example: pgbraid workbench --write
    """
    from pgbraid.cli.mcp import _address

    host, port = _address(http)
    _check_extra()
    import asyncio

    from pgbraid.mcp_server.connections import Connections
    from pgbraid.workbench.access import LOOPBACK, Access

    if host not in LOOPBACK and not allowed_hosts:
        raise click.UsageError(
            f"others may reach {host}: say by which name with --allowed-host, or listen at 127.0.0.1:{port}"
        )
    token = os.environ.get(TOKEN) or None
    if token is not None and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable()):
        raise click.UsageError(f"{TOKEN} needs {SHORTEST_TOKEN} or more printable ASCII characters")
    chosen = {} if token is None else {"token": token}
    access = Access(**chosen, hosts=allowed_hosts if host in ANYWHERE else (host, *allowed_hosts), write=write)
    connections = Connections(dsn, tenant=tenant, embedder=embedders(embedding_url, embedding_model))
    asyncio.run(_serve(connections, access, host, port, shows_token=token is None))


def _check_extra() -> None:
    for name in ("starlette", "uvicorn", "psycopg_pool"):
        if find_spec(name) is None:
            raise click.ClickException(f"the module {name} is missing; run: pip install 'pgbraid[workbench]'")


async def _serve(connections: Connections, access: Access, host: str, port: int, *, shows_token: bool) -> None:
    import uvicorn

    from pgbraid.workbench import build_app

    async with connections:
        async with connections.client(connections.tenant) as client:
            if await client._session.value("braid.current_tenant_id()") is None:
                raise click.UsageError(f"there is no tenant {client.tenant}, or the login may not act for it")
        # Before it says so. An address that is taken is an OSError here, and the end of the process there.
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
            named = f"[{host}]" if ":" in host else host
            address = f"http://{named}:{listening.getsockname()[1]}/"
            # Behind the #, where no browser sends it.
            click.echo(f"{address}#token={access.token}" if shows_token else f"{address}#token=…")
            config = uvicorn.Config(
                build_app(connections, access),
                lifespan="off",
                log_level="warning",
                access_log=False,
                server_header=False,
                ws="none",
            )
            await uvicorn.Server(config).serve(sockets=[listening])
