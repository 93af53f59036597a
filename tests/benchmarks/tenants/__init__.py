"""Databases of many tenants."""
