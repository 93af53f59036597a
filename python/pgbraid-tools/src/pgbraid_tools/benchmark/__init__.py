"""Measure how fast searches of a collection are, and compare with the usual function over the same rows: `pgbraid
bench`."""
