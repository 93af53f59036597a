"""Independent models and data that tests and benchmarks compare pgbraid with."""
