"""What becomes of the record of answers: its chain, its upkeep, its age, and what is erased of it."""
