# Generated from async_client/calls_tenancy.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of tenancy. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient


def create_tenant(client: BaseClient, tenant: str) -> int:
    """Create a tenant and make the calling login a member of it.

    tenant: your own key for it, 1 to 255 bytes, such as an organisation id, a slug or a uuid. Return the tenant's id,
    also if the tenant exists already. Only administrators may call it.

    Maps to braid.create_tenant. Raise InvalidArgumentError.
    """
    found = client._session.value_for_all("create_tenant", "tenant => %(tenant)s::text", tenant=tenant)
    return int(found)


def drop_tenant(client: BaseClient, tenant: str, confirm_tenant: str) -> bool:
    """Delete a tenant and all that it stored in every collection.

    This cannot be undone. Give its key twice, as tenant and as confirm_tenant. The call waits a few seconds at most
    for the tenant's writers, then raises 55P03. The tenant is gone and its key free as soon as the call commits;
    maintain() deletes the rows later. Return false if no tenant has that key. Only administrators may call it.

    Maps to braid.drop_tenant. Raise InvalidArgumentError if the keys differ.
    """
    found = client._session.value_for_all(
        "drop_tenant",
        "tenant => %(tenant)s::text, confirm_tenant => %(confirm_tenant)s::text",
        tenant=tenant,
        confirm_tenant=confirm_tenant,
    )
    return bool(found)
