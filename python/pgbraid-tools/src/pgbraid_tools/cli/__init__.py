"""Commands that join `pgbraid`, by the entry points of pyproject.toml."""
