"""Calls shaped like PostgREST's, without PostgREST."""
