"""Measure how fast searches of a collection are, beside the usual function over the same rows: `pgbraid bench`."""
