"""What flows through ingest, and what is told of it: no decisions."""
