"""The compose file, without Docker."""
