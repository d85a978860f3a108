"""The supervisor behind `quoth up`: settings in, six running processes and a log of each out."""
