"""What the rules need to know of a language: one resource file each."""
