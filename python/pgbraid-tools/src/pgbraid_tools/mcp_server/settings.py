"""How the server is reached, and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["LOOPBACK", "TokenSettings"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class TokenSettings:
    """Which tokens are accepted: those of `issuer` for `audience`, signed by a key of `jwks_url` or with `secret`.

    `resource_url` is this server's address as clients see it; `audience` is that unless given. `tenant_claim` says
    where a token has the tenant, its parts separated by dots. All `scopes` are demanded.
    """

    issuer: str
    resource_url: str
    audience: str
    jwks_url: str | None = None
    secret: str | None = None
    tenant_claim: str = "app_metadata.tenant_id"
    scopes: Sequence[str] = ()
