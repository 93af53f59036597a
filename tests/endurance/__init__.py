"""The index while many write, when the server dies, and elsewhere."""
