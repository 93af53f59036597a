"""The API is called over HTTP, and by the statements that PostgREST makes for it."""
