"""Work on editions that are published: shown, compared, checked and deleted."""
