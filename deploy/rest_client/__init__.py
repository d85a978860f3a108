"""Speak to a running Quoth over REST."""
