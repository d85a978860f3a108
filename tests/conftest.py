"""Fixtures of more than one folder; properties hold at any speed of the machine."""

from hypothesis import settings

from tests.support.ingest_service import engines
from tests.support.telemetry import exporter, recorded

__all__ = ["engines", "exporter", "recorded"]

settings.register_profile("quoth", deadline=None)
settings.load_profile("quoth")
