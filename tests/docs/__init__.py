"""What README.md and the pages of docs/ say, carried out."""
