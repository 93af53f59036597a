"""Adapters for frameworks: `pgbraid.integrations.langchain`, `.llamaindex` and `.haystack`, each with the extra of its
name. None loads another."""
