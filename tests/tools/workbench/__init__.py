"""The web page of `pgbraid workbench`."""
