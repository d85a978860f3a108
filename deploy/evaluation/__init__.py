"""Measure the product on labelled data, fit its models, and report both."""
