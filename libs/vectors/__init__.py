"""The Qdrant collection: its schema, what its points hold, and which of them an edition sees."""
