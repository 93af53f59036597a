"""What a change costs, and whether searches still answer the same: this checkout beside another one."""
