"""Verify bearer tokens: JSON Web Tokens signed by an authorization server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jwt
from mcp.server.auth.provider import AccessToken, TokenVerifier

from pgbraid.errors import PermissionDeniedError
from pgbraid_tools.mcp_server.settings import TokenSettings

__all__ = ["JwtVerifier", "tenant_of"]

# Public-key and shared-secret algorithms are never accepted together, because a public key would then pass as a secret
# (CVE-2016-10555).
PUBLIC_KEY_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
SECRET_ALGORITHMS = ["HS256", "HS384", "HS512"]


class JwtVerifier(TokenVerifier):
    """Check signature, issuer, audience and times. Any fault refuses the token, without giving the reason."""

    def __init__(self, settings: TokenSettings) -> None:
        self._settings = settings
        # The client caches keys for five minutes, and fetches them again when a token names an unknown key.
        self._keys = None if settings.jwks_url is None else jwt.PyJWKClient(settings.jwks_url, timeout=10)
        # Separate threads, so that an issuer that does not answer cannot delay embedding.
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="pgbraid-keys")

    async def verify_token(self, token: str) -> AccessToken | None:
        try:
            if self._keys is not None:
                key: Any = await asyncio.get_running_loop().run_in_executor(
                    self._threads, self._keys.get_signing_key_from_jwt, token
                )
                algorithms = PUBLIC_KEY_ALGORITHMS
            else:
                key, algorithms = self._settings.secret, SECRET_ALGORITHMS
            claims = jwt.decode(
                token,
                key,
                algorithms=algorithms,
                audience=self._settings.audience,
                issuer=self._settings.issuer,
                leeway=10,
                options={"require": ["exp", "iss", "aud"]},
            )
        except (jwt.PyJWTError, ValueError):
            return None
        scope = claims.get("scope") or claims.get("scp") or ""
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id", claims.get("azp", claims.get("sub", "")))),
            scopes=scope.split() if isinstance(scope, str) else [*map(str, scope)] if isinstance(scope, list) else [],
            expires_at=int(claims["exp"]),
            resource=self._settings.resource_url,
            subject=None if claims.get("sub") is None else str(claims["sub"]),
            claims=claims,
        )


def tenant_of(claims: Mapping[str, Any], path: str) -> str:
    """Return the tenant in a token's claims. Raise PermissionDeniedError if there is none."""
    value: Any = claims
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise PermissionDeniedError(
            f"the token has no tenant: the claim {path} is missing",
            hint="have the authorization server add this claim, or start the MCP server with another --tenant-claim",
        )
    return str(value)
