"""Test the compose file without Docker."""
