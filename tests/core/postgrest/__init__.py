"""The API over HTTP, and the statements that PostgREST makes of it."""
