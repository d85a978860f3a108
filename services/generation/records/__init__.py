"""The record of answers: what is put on it before it is shown, found again, reviewed, and kept whole.

It decides what stays where and for how long, what an erasure leaves, and what a record that nobody
changed looks like. What holds the rows and the old months is behind its ports.
"""
