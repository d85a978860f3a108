"""What OpenTelemetry's own Collector makes of `deploy/monitoring/collector.yaml`.

Wants its contrib distribution as `otelcol-contrib`, or as QUOTH_COLLECTOR names it; skipped without.
"""

import gzip
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import grpc
import pytest
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1 import metrics_pb2
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1 import trace_pb2

from tests.support.aside import collector
from tests.support.otel_collector import COLLECTOR, FILE, START_S, running_collector, told
from tests.support.stack import eventually

REST = 300

pytestmark = pytest.mark.skipif(
    not COLLECTOR, reason="no otelcol-contrib is here; QUOTH_COLLECTOR may name one"
)


def test_the_collector_takes_the_file() -> None:
    done = subprocess.run(
        [COLLECTOR, "validate", f"--config={FILE}"],
        env=told("127.0.0.1:1", "http://127.0.0.1:1"),
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr


class Prometheus(BaseHTTPRequestHandler):
    """Keeps the paths that are posted to it, and what is posted."""

    asked: list[tuple[str, bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.asked.append((self.path, gzip.decompress(body)))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def prometheus() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """Yield the address of what takes metrics, and the paths it was asked for with what came."""
    asked: list[tuple[str, bytes]] = []
    with HTTPServer(("127.0.0.1", 0), type("Own", (Prometheus,), {"asked": asked})) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def span(*, took_ms: int = 40, failed: bool = False, outcome: str = "ok") -> trace_pb2.Span:
    """A trace of one span, as a stage of the product sends it."""
    ends = time.time_ns()
    code = trace_pb2.Status.STATUS_CODE_ERROR if failed else trace_pb2.Status.STATUS_CODE_UNSET
    return trace_pb2.Span(
        trace_id=secrets.token_bytes(16),
        span_id=secrets.token_bytes(8),
        name="generation.retrieve",
        start_time_unix_nano=ends - took_ms * 1_000_000,
        end_time_unix_nano=ends,
        attributes=[
            KeyValue(key="quoth.budget.outcome", value=AnyValue(string_value=outcome)),
        ],
        status=trace_pb2.Status(code=code),
    )


def send(channel: grpc.Channel, spans: list[trace_pb2.Span]) -> None:
    scoped = trace_pb2.ResourceSpans(
        resource=Resource(), scope_spans=[trace_pb2.ScopeSpans(spans=spans)]
    )
    request = trace_service_pb2.ExportTraceServiceRequest(resource_spans=[scoped])
    trace_service_pb2_grpc.TraceServiceStub(channel).Export(request, timeout=START_S)


def test_traces_that_failed_were_late_or_cut_short_are_kept_and_a_tenth_of_the_rest(
    tmp_path: Path,
) -> None:
    shown = [
        *(span(failed=True) for _ in range(5)),
        *(span(took_ms=2_600) for _ in range(5)),
        *(span(outcome=one) for one in ("capped", "not_started", "failed")),
    ]
    rest = [span() for _ in range(REST)]
    wanted = {one.trace_id for one in shown}
    with (
        collector() as backend,
        running_collector(
            tmp_path, backend.address.removeprefix("http://"), "http://127.0.0.1:1"
        ) as address,
        grpc.insecure_channel(address) as channel,
    ):
        send(channel, shown + rest)
        eventually(
            lambda: wanted <= {one.trace_id for one in backend.spans},
            "traces that are to be kept did not arrive",
        )
        kept = {one.trace_id for one in backend.spans}
    # Binomial, .1 of 300: within five deviations.
    assert 5 <= len(kept - wanted) <= 56
    assert len(kept) < len(shown) + len(rest)


def test_metrics_go_where_prometheus_takes_otlp_with_their_namespace(tmp_path: Path) -> None:
    namespace = KeyValue(key="k8s.namespace.name", value=AnyValue(string_value="books"))
    point = metrics_pb2.NumberDataPoint(as_int=1, time_unix_nano=time.time_ns())
    metric = metrics_pb2.Metric(name="one", gauge=metrics_pb2.Gauge(data_points=[point]))
    scoped = metrics_pb2.ResourceMetrics(
        resource=Resource(attributes=[namespace]),
        scope_metrics=[metrics_pb2.ScopeMetrics(metrics=[metric])],
    )
    request = metrics_service_pb2.ExportMetricsServiceRequest(resource_metrics=[scoped])
    with (
        prometheus() as (url, asked),
        running_collector(tmp_path, "127.0.0.1:1", url) as address,
        grpc.insecure_channel(address) as channel,
    ):
        metrics_service_pb2_grpc.MetricsServiceStub(channel).Export(request, timeout=START_S)
        eventually(lambda: bool(asked), "no metric arrived")
    assert {path for path, _ in asked} == {"/api/v1/otlp/v1/metrics"}
    came = metrics_service_pb2.ExportMetricsServiceRequest.FromString(asked[0][1])
    (sample,) = came.resource_metrics[0].scope_metrics[0].metrics[0].gauge.data_points
    assert list(sample.attributes) == [namespace]
    assert "deprecated" not in (tmp_path / "log").read_text("utf-8")
