"""`pgbraid bench`: how fast searches are on a collection, beside the usual function over the same rows."""
