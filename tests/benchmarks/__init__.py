"""Run measurements with `make bench`; pytest collects nothing here."""
