"""Measurements, run by `make bench`; nothing here is collected by pytest."""
