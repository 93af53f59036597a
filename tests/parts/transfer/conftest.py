"""Provide the two tenants of tests/core/isolation."""

from core.isolation.conftest import world

__all__ = ["world"]
