"""The server's own counts, at two sizes of a tenant, show what each call reads."""
