"""Generate calls of the API with hostile arguments, and list what they may not show."""
