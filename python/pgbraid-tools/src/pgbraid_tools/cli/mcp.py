"""Run pgbraid mcp."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from pgbraid.cli.options import dsn_option, embedders, embedding_options, tenant_option

if TYPE_CHECKING:
    from pgbraid_tools.mcp_server import Connections, TokenSettings

DEFAULT_CLAIM = "app_metadata.tenant_id"
# RFC 7518, 3.2: a key of HS256 needs at least the hash's number of bits.
SHORTEST_SECRET = 32


@click.command(short_help="Serve searches and memory as tools of agents (Model Context Protocol).")
@dsn_option
@tenant_option
@click.option(
    "--collection",
    "collections",
    multiple=True,
    metavar="NAME",
    help="What may be asked; the first is the default. May be given several times.  [default: default]",
)
@click.option("--write", is_flag=True, help="Also the tools remember and forget.")
@click.option("--http", metavar="HOST:PORT", help="Serve HTTP at /mcp. Default: standard input and output.")
@click.option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="A name by which a proxy asks; others are refused.",
)
@click.option("--token-issuer", metavar="URL", help="Demand bearer tokens whose claim iss is this server.")
@click.option(
    "--token-keys",
    metavar="URL",
    help="Its JSON Web Key Set. Else $PGBRAID_TOKEN_SECRET (32 bytes or more) is the key.",
)
@click.option(
    "--token-audience", metavar="NAME", help="The claim aud that tokens must have.  [default: --resource-url]"
)
@click.option("--resource-url", metavar="URL", help="The address of this server as clients see it, with /mcp.")
@click.option(
    "--tenant-claim",
    metavar="PATH",
    help=f"The claim with the tenant, which users cannot change.  [default: {DEFAULT_CLAIM}]",
)
@click.option("--scope", "scopes", multiple=True, metavar="NAME", help="A scope that tokens must have.")
@embedding_options
def mcp(
    dsn: str | None,
    tenant: str,
    collections: tuple[str, ...],
    write: bool,
    http: str | None,
    allowed_hosts: tuple[str, ...],
    token_issuer: str | None,
    token_keys: str | None,
    token_audience: str | None,
    resource_url: str | None,
    tenant_claim: str | None,
    scopes: tuple[str, ...],
    embedding_url: str | None,
    embedding_model: str | None,
) -> None:
    """Serve agents the tools search, grep, read, list, facets, recall, timeline and explain; with --write also remember
    and forget.

    Without --http, an agent starts the server itself. With --http, a server on any interface but loopback demands
    bearer tokens, and each call acts for the tenant that its token names.

    Example: pgbraid mcp --collection notes --write
    """
    from pgbraid_tools.mcp_server.settings import LOOPBACK

    address = None if http is None else _address(http)
    tokens = None
    if token_issuer is not None:
        if address is None or resource_url is None:
            raise click.UsageError("--token-issuer needs --http and --resource-url")
        audience = token_audience or resource_url
        tokens = _tokens(token_issuer, resource_url, audience, token_keys, tenant_claim or DEFAULT_CLAIM, scopes)
    elif given := _given(token_keys=token_keys, token_audience=token_audience, resource_url=resource_url,
                         tenant_claim=tenant_claim, scope=scopes):  # fmt: skip
        raise click.UsageError(f"{given} needs --token-issuer")
    elif address is not None and address[0] not in LOOPBACK:
        raise click.UsageError(
            f"other machines can reach {address[0]}: demand tokens with --token-issuer, or listen at"
            f" 127.0.0.1:{address[1]}"
        )
    _check_extra()
    from pgbraid_tools._asyncio import run
    from pgbraid_tools.mcp_server import Connections

    connections = Connections(dsn, tenant=tenant, embedder=embedders(embedding_url, embedding_model))
    run(_serve(connections, collections or ("default",), write, tokens, address, allowed_hosts))


def _check_extra() -> None:
    for name in ("mcp", "psycopg_pool"):
        if find_spec(name) is None:
            raise click.ClickException(f"the module {name} is missing; run: pip install 'pgbraid[mcp]'")


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"{text} is not HOST:PORT, such as 127.0.0.1:8765", param_hint="--http")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _given(**options: object) -> str | None:
    return next((f"--{name.replace('_', '-')}" for name, value in options.items() if value), None)


def _tokens(
    issuer: str, resource_url: str, audience: str, keys: str | None, tenant_claim: str, scopes: tuple[str, ...]
) -> TokenSettings:
    from pgbraid_tools.mcp_server.settings import TokenSettings

    secret = os.environ.get("PGBRAID_TOKEN_SECRET") or None
    if (keys is None) == (secret is None):
        raise click.UsageError("--token-issuer needs --token-keys, or PGBRAID_TOKEN_SECRET in the environment")
    for option, url in (("--token-issuer", issuer), ("--resource-url", resource_url), ("--token-keys", keys)):
        if url is not None and not url.startswith(("https://", "http://")):
            raise click.BadParameter(f"{url} is not an address that begins with https://", param_hint=option)
    if secret is not None and len(secret.encode()) < SHORTEST_SECRET:
        raise click.UsageError(f"PGBRAID_TOKEN_SECRET has fewer than {SHORTEST_SECRET} bytes: use a longer one")
    return TokenSettings(issuer, resource_url, audience, keys, secret, tenant_claim, scopes)


async def _serve(
    connections: Connections,
    collections: Sequence[str],
    write: bool,
    tokens: TokenSettings | None,
    address: tuple[str, int] | None,
    allowed_hosts: Sequence[str],
) -> None:
    from pgbraid_tools.mcp_server import build_server, http_app

    server = build_server(connections, collections=collections, write=write, tokens=tokens)
    async with connections:
        if address is None:
            await server.run_stdio_async()
            return
        import uvicorn

        host, port = address
        named = [] if tokens is None else [hostname] if (hostname := urlsplit(tokens.resource_url).hostname) else []
        app = http_app(server, host, [*named, *allowed_hosts])
        # Bind before announcing. An address in use raises OSError here, where a later bind would end the process.
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
            named_port = listening.getsockname()[1]
            click.echo(f"serving http://{f'[{host}]' if ':' in host else host}:{named_port}/mcp", err=True)
            await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listening])
