"""Read judged queries from files, and report evaluations."""
