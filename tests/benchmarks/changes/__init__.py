"""Compare this checkout with another one: the cost of a change, and whether searches still answer the same."""
