"""Parsers, one module or package for each format."""
