"""What a book is planned by: its table of contents, and the copies and renditions that are left out."""
