"""Hybrid search inside PostgreSQL: BM25 full text, pgvector and their fusion, as SQL functions."""

from __future__ import annotations

from pgbraid._version import __version__

__all__ = ["__version__"]
