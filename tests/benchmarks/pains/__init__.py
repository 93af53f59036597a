"""Ten complaints about hybrid search, each measured on pgbraid and its peers in one run: `python -m benchmarks.pains`
in tests/."""
