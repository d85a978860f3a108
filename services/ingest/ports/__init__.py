"""What ingest needs of the outside, a module for each of its concerns."""
