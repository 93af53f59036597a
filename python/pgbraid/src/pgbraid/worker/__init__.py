"""Run `pgbraid work`: embed the outbox of all tenants."""
