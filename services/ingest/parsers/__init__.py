"""One module per form that comes in."""
