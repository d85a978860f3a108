"""Where metrics go: to a collector by OTLP, to whoever scrapes this process, or both.

OpenTelemetry's own variables decide; without any, nothing is measured.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from libs.settings import SettingsError

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader

EXPORTERS = "OTEL_METRICS_EXPORTER"
HOST = "OTEL_EXPORTER_PROMETHEUS_HOST"
PORT = "OTEL_EXPORTER_PROMETHEUS_PORT"
DEFAULT_PORT = 9464
_OTLP, _PROMETHEUS, _NONE = "otlp", "prometheus", "none"
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")
_LAST_PORT = 65535
_INTERVAL = "OTEL_METRIC_EXPORT_INTERVAL"
EVERY_MS = 10_000
"""A rate over a minute wants several samples: with OpenTelemetry's own 60 s it has none."""


@dataclass(frozen=True)
class Readers:
    """What reads the instruments; `close` ends what listens for it."""

    readers: "tuple[MetricReader, ...]"
    close: Callable[[], None]


def open_readers(environment: Mapping[str, str]) -> Readers:
    """Open what the variables ask for. Raises SettingsError where it can't be listened for scrapes."""
    close: Callable[[], None] = _nothing
    readers = []
    if environment.get("OTEL_SDK_DISABLED", "").lower() != "true":
        if _OTLP in _exporters(environment) and any(environment.get(name) for name in _ENDPOINTS):
            readers.append(_open_otlp(environment))
        if asks_to_be_scraped(environment):
            host = environment.get(HOST) or "localhost"
            reader, close = _open_prometheus(host, port_of(environment))
            readers.append(reader)
    return Readers(tuple(readers), close)


def asks_to_be_scraped(environment: Mapping[str, str]) -> bool:
    """Say whether a process is to answer whoever scrapes it. Raises SettingsError for what it can't."""
    return _PROMETHEUS in _exporters(environment)


def port_of(environment: Mapping[str, str]) -> int:
    """Return the port to be scraped at. Raises SettingsError for what is none."""
    text = environment.get(PORT) or str(DEFAULT_PORT)
    if not text.isdecimal() or not 1 <= int(text) <= _LAST_PORT:
        raise SettingsError(f"{PORT} must be a port, not {text!r}")
    return int(text)


def _exporters(environment: Mapping[str, str]) -> list[str]:
    text = environment.get(EXPORTERS) or _OTLP
    names = [name.strip() for name in text.split(",")]
    if not {_OTLP, _PROMETHEUS, _NONE}.issuperset(names):
        raise SettingsError(
            f"{EXPORTERS} must be {_OTLP}, {_PROMETHEUS}, both with a comma, or {_NONE}, not {text!r}"
        )
    return names


def _nothing() -> None:
    """Close nothing."""


def _open_otlp(environment: Mapping[str, str]) -> "MetricReader":
    # Imported here: it takes 0.3 s that a laptop without a collector need not spend.
    from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import (  # noqa: PLC0415
        OTLPMetricExporter,
    )
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader  # noqa: PLC0415

    # With None the reader takes its own variable, which may have any value.
    every_ms = None if environment.get(_INTERVAL) else EVERY_MS
    return PeriodicExportingMetricReader(OTLPMetricExporter(), export_interval_millis=every_ms)


def _open_prometheus(host: str, port: int) -> "tuple[MetricReader, Callable[[], None]]":
    # Imported here, as above.
    from opentelemetry.exporter.prometheus import PrometheusMetricReader  # noqa: PLC0415
    from prometheus_client import (  # noqa: PLC0415
        CollectorRegistry,
        ProcessCollector,
        start_http_server,
    )

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    reader = PrometheusMetricReader(scope_info_enabled=False, registry=registry)
    try:
        server, _ = start_http_server(port, host, registry)
    except OSError as error:
        raise SettingsError(
            f"{host}:{port} can't be listened at for scrapes ({error.strerror}): "
            f"change {PORT} or {HOST}"
        ) from error

    def close() -> None:
        server.shutdown()
        server.server_close()

    return reader, close
