"""Measure what a server is sized by, by turns: CPU, throughput, sessions, writes and disk beside the clock."""
