"""Measure misspelt words, permissions, counts and completion beside what others offer."""
