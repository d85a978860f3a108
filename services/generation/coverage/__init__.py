"""Check whether the passages found cover what a question asks."""
