"""Files as documents: found, read by their kind, and kept in step with what is stored. Loaded by `pgbraid ingest`."""
