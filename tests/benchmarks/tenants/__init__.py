"""Measure databases of many tenants."""
