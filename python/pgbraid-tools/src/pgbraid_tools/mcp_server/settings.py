"""Define how clients reach the server and authenticate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["LOOPBACK", "TokenSettings"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class TokenSettings:
    """Define which tokens are accepted: issued by `issuer` for `audience`, and signed by a key of `jwks_url` or with
    `secret`.

    `resource_url` is the server's address as clients see it, and the default of `audience`. `tenant_claim` is the path
    to the tenant in a token's claims, its parts separated by dots. A token must have all `scopes`.
    """

    issuer: str
    resource_url: str
    audience: str
    jwks_url: str | None = None
    secret: str | None = None
    tenant_claim: str = "app_metadata.tenant_id"
    scopes: Sequence[str] = ()
