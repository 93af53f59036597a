"""What is compared: one module for each engine, imported by the process that runs it."""
