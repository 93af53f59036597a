"""Measure speed, size and endurance of full-text search at scale: `python -m benchmarks.full_text` in tests/."""
