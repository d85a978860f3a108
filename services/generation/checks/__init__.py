"""Check a sentence of a draft against the passages it cites."""
