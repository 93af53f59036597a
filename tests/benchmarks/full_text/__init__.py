"""Speed, size and endurance of full-text search at scale: `python -m benchmarks.lexical` in tests/."""
