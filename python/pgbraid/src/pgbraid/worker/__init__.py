"""What `pgbraid work` does: embeds what waits in the outbox of all tenants."""
