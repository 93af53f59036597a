"""Measure how well each leg, fusion and option ranks: `python -m benchmarks.quality` in tests/."""
