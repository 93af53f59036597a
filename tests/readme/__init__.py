"""What README.md says, carried out."""
