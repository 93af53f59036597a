"""Measure index recall and latency of semantic search in one database with tenants of every size, against fixed
plans."""
