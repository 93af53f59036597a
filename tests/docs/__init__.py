"""Run the examples of README.md and docs/, and check their claims."""
