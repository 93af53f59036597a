"""Installations as SQL."""
