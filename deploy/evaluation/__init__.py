"""Labelled files and a running product in; figures that can fail a build out. `quoth eval` calls it."""
