"""Chunking strategies, one a module: each says which ranges of a document become chunks."""
