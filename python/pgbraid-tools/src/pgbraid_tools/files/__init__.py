"""Read files into documents by their format, and keep a collection in step with them. `pgbraid ingest` uses this
package."""
