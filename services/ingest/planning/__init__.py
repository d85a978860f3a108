"""What a book is planned by: its table of contents, and the copies and forms that are left out."""
