"""Test the web page of `pgbraid workbench`."""
