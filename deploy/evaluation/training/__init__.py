"""Fit the models that the product ships."""
