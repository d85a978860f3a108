"""Fixtures of more than one folder."""

from tests.support.ingest_service import engines

__all__ = ["engines"]
