"""Fixtures of more than one folder."""

from tests.support.ingest_service import engines
from tests.support.telemetry import exporter, recorded

__all__ = ["engines", "exporter", "recorded"]
