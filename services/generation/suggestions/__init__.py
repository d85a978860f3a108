"""Suggest questions that the book answers."""
