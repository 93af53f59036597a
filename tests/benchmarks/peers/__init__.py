"""Compare pgbraid with other ways to search the same texts, in one run: `python -m benchmarks.peers` in tests/."""
