"""The supervisor behind `quoth up`: it runs six processes and keeps a log of each."""
