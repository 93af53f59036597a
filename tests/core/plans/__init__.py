"""What is read, by the server's own counts, at two sizes of a tenant."""
