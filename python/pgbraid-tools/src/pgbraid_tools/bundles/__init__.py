"""Write installations as SQL."""
