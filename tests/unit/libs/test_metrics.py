"""What ends by itself is measured, and a measurement leads to the trace that it was made in."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import (
    HistogramDataPoint,
    InMemoryMetricReader,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from libs.errors import Unavailable
from libs.telemetry.certificates import read_end
from libs.telemetry.metrics import Metrics, watch_certificates
from libs.telemetry.readers import open_readers
from libs.telemetry.tracing import stage_span
from services.generation.records.upkeep import AuditUpkeep
from tests.support.certificates import Authority
from tests.support.telemetry import Recorded

_DAY_S = 86_400.0


class Tables:
    """A record that has no row; it makes months, or can't."""

    def __init__(self, *, works: bool = True) -> None:
        self.works = works

    async def make_months(self, _: object) -> None:
        if not self.works:
            raise Unavailable("the database is full")

    async def list_open_months(self, _: float) -> list[dt.datetime]:
        return []

    async def close_rows(self, _: float) -> int:
        return 0

    async def purge(self) -> None:
        return None

    async def seal_days(self) -> list[object]:
        return []


def ends(name: str, recorded: Recorded) -> float:
    [(_, value)] = recorded[name]
    return float(value)


@pytest.mark.parametrize(("chosen", "every_ms"), [("", 10_000), ("30000", 30_000)])
def test_metrics_are_sent_often_enough_for_a_rate_over_a_minute(
    monkeypatch: pytest.MonkeyPatch, chosen: str, every_ms: int
) -> None:
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", chosen)
    endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
    (reader,) = open_readers({**endpoint, "OTEL_METRIC_EXPORT_INTERVAL": chosen}).readers
    assert isinstance(reader, PeriodicExportingMetricReader)
    assert reader._export_interval_millis == every_ms  # nothing else tells


def test_the_end_of_a_certificate_is_read_of_its_file(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    path, _ = authority.issue("gateway", "books.example.org")
    made = x509.load_pem_x509_certificate(path.read_bytes())
    assert read_end(path.read_text()) == made.not_valid_after_utc
    chain = f"A line of words.\n{path.read_text()}{authority.path.read_text()}"
    assert read_end(chain) == made.not_valid_after_utc


@pytest.mark.parametrize("year", [2049, 2050, 2999])
def test_a_certificate_may_end_in_any_year(tmp_path: Path, year: int) -> None:
    end = dt.datetime(year, 12, 31, 23, 59, 58, tzinfo=dt.UTC)
    path, _ = Authority(tmp_path, ends=end).issue("gateway")
    assert read_end(path.read_text()) == end


@pytest.mark.parametrize(
    "text",
    ["", "no certificate", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"],
)
def test_a_file_without_a_certificate_has_no_end(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_end(text)


def test_a_certificate_is_measured_as_its_file_is_at_that_moment(
    tmp_path: Path, recorded: Recorded
) -> None:
    path, _ = Authority(tmp_path).issue("services")
    watch_certificates({"gateway": None, "services": path})
    [(attributes, left_s)] = recorded["quoth.certificate.left"]
    assert attributes == {"quoth.certificate": "services"}
    made = x509.load_pem_x509_certificate(path.read_bytes()).not_valid_after_utc
    assert left_s == pytest.approx((made - dt.datetime.now(dt.UTC)).total_seconds(), abs=3600)
    path.unlink()
    assert ends("quoth.certificate.left", recorded) == 0


async def test_partitions_of_the_record_are_measured_while_they_are_made_and_when_not(
    recorded: Recorded,
) -> None:
    for works in (True, False):
        upkeep = AuditUpkeep(Tables(works=works))  # type: ignore[arg-type]
        await upkeep.begin()
        await upkeep.end()
        left_s = ends("quoth.audit.partitions.left", recorded)
        assert (59 * _DAY_S < left_s < 93 * _DAY_S) if works else left_s <= 0


@pytest.fixture
def reader() -> Iterator[InMemoryMetricReader]:
    reader = InMemoryMetricReader()
    yield reader
    reader.shutdown()


def test_a_slow_stage_leads_to_its_trace(
    reader: InMemoryMetricReader, exporter: InMemorySpanExporter
) -> None:
    metrics = Metrics(MeterProvider([reader], shutdown_on_exit=False))
    with stage_span("retrieval.search"):
        metrics.measure_stage("retrieval.search", "ok", 1.7, 2.0)
    (span,) = exporter.get_finished_spans()
    data = reader.get_metrics_data()
    assert data is not None
    [duration, _] = data.resource_metrics[0].scope_metrics[0].metrics
    [point] = duration.data.data_points
    assert isinstance(point, HistogramDataPoint)
    assert [one.trace_id for one in point.exemplars] == [span.context.trace_id]
