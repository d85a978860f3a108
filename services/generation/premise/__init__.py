"""Find what a question takes for granted that the book says otherwise."""
