"""Define the engines: one module for each, imported by the process that runs it."""
