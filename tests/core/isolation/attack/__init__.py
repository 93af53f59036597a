"""Generated calls of the API with hostile arguments, and what they may not show."""
