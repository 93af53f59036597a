"""Test the index under many writers, after crashes, and on other servers."""
