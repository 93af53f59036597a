"""Semantic search: recall and latency in one database with tenants of every size, against fixed plans."""
