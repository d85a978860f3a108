"""Follow style sheets as far as they decide what a reader sees of a page."""
