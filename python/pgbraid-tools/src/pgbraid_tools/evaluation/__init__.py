"""Judged queries from files, and reports of evaluations."""
