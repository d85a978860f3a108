"""Back up the books and all records to a folder or a bucket, and restore them from there.

The database is read as it stood at one moment, and of the vectors what belongs to that moment: a book's
points are written before the database names them, and those of a later edition are left out.
"""
