"""Import tables and exports of other search tools: their texts, metadata and vectors."""
