"""Documents from wherever they come, as the database takes them. Loaded by what writes, never by a search."""
