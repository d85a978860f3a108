"""What a process that traces and measures would have sent, as fixtures."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from libs.telemetry import tracing
from libs.telemetry.metrics import Metrics, use_metrics


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """The spans. Never set for the process: other tests of the same worker say what happens without."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "_provider", provider)
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    return exporter


class Recorded:
    """What was recorded, by the name of the metric: (attributes, value or sum) of its points."""

    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()
        self.provider = MeterProvider([self._reader], shutdown_on_exit=False)

    def __getitem__(self, name: str) -> list[tuple[dict[str, Any], Any]]:
        data = self._reader.get_metrics_data()
        metrics = data.resource_metrics[0].scope_metrics[0].metrics if data else []
        return [
            (
                dict(point.attributes or {}),
                point.value if hasattr(point, "value") else getattr(point, "sum", None),
            )
            for metric in metrics
            if metric.name == name
            for point in metric.data.data_points
        ]


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    recorded = Recorded()
    use_metrics(Metrics(recorded.provider))
    yield recorded
    use_metrics(None)
    recorded.provider.shutdown()
