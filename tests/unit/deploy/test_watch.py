"""What `quoth watch` reads of metrics, and how it shows them."""

import math
from typing import Any

import httpx
import pytest
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import CollectorRegistry, generate_latest
from rich.console import Console
from typer.testing import CliRunner

from deploy.cli import watch
from deploy.cli.app import app
from deploy.cli.watch import Look, Times, find_gone, make_table, read_metrics
from libs.telemetry.metrics import Metrics
from tests.support.ports import free_ports

STAGE = ("stage", "generation.prompt")


class Process:
    """What one process serves, by the product's own instruments."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        reader = PrometheusMetricReader(scope_info_enabled=False, registry=self.registry)
        self.metrics = Metrics(MeterProvider([reader], shutdown_on_exit=False))

    def text(self) -> str:
        return str(generate_latest(self.registry).decode())


def test_times_of_several_processes_are_added_and_those_that_ended_badly_counted() -> None:
    one, other = Process(), Process()
    for process in (one, other):
        for _ in range(50):
            process.metrics.measure_stage("generation.prompt", "ok", 0.03, 0.1)
    other.metrics.measure_stage("generation.prompt", "capped", 3.0, 0.1)
    other.metrics.measure_rpc("quoth.v1.XService/Call", "UNAVAILABLE", "unavailable", 0.1)
    other.metrics.measure_request("POST", "/v1/books/{book}/answers", 503, 0.1)
    before: dict[str, Look] = {"one": {}, "other": {}}
    found = find_gone(
        before, {"one": read_metrics(one.text()), "other": read_metrics(other.text())}
    )
    assert (found[STAGE].count, found[STAGE].bad) == (101, 1)
    assert 25 < found[STAGE].quantile_ms(0.5) <= 50
    assert found[STAGE].quantile_ms(1.0) > 2500
    assert found["call", "XService/Call"].bad == 1
    assert found["request", "/v1/books/{book}/answers"].bad == 1


def test_only_what_happened_since_the_look_before_is_shown() -> None:
    process = Process()
    process.metrics.measure_stage("generation.prompt", "ok", 4.0, 1.0)
    before = read_metrics(process.text())
    for _ in range(4):
        process.metrics.measure_stage("generation.prompt", "ok", 0.03, 0.1)
    since = read_metrics(process.text())[STAGE].since(before[STAGE])
    assert since.count == 4
    assert since.quantile_ms(1.0) <= 50
    console = Console(width=100)
    with console.capture() as shown:
        console.print(make_table({STAGE: since}, 2.0))
    row = shown.get().splitlines()[1].split()
    assert (row[:3], row[-1]) == (["stage", "generation.prompt", "2.0"], "100")


def test_a_request_has_no_budget_beside_what_it_took() -> None:
    process = Process()
    process.metrics.measure_request("POST", "/v1/books/{book}/answers", 200, 0.1)
    [times] = read_metrics(process.text()).values()
    assert math.isnan(times.allowed_ms)


def test_a_quantile_of_no_times_is_not_a_number() -> None:
    assert math.isnan(Times().quantile_ms(0.5))


def test_a_product_that_is_not_measured_is_told_how_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    environment: dict[str, Any] = {"OTEL_EXPORTER_PROMETHEUS_PORT": str(free_ports(4))}
    result = CliRunner().invoke(app, ["watch", "--looks", "1"], env=environment)
    assert result.exit_code == 3
    assert "OTEL_METRICS_EXPORTER=prometheus quoth up" in result.stderr


def test_a_process_that_was_started_anew_counts_from_nothing() -> None:
    before, now = Process(), Process()
    for _ in range(4):
        before.metrics.measure_stage("generation.prompt", "ok", 0.03, 0.1)
    now.metrics.measure_stage("generation.prompt", "ok", 0.03, 0.1)
    gone = find_gone({"one": read_metrics(before.text())}, {"one": read_metrics(now.text())})
    assert gone[STAGE].count == 1


def test_a_process_that_is_seen_late_does_not_tell_all_that_it_ever_did() -> None:
    process = Process()
    process.metrics.measure_stage("generation.prompt", "ok", 0.03, 0.1)
    assert find_gone({}, {"one": read_metrics(process.text())})[STAGE].count == 0


@pytest.mark.parametrize("missed", [range(1), range(2, 4)], ids=["the first", "later ones"])
def test_a_look_that_one_process_misses_does_not_end_it(
    monkeypatch: pytest.MonkeyPatch, missed: range
) -> None:
    process, looks = Process(), iter(range(100))
    process.metrics.measure_stage("generation.prompt", "ok", 0.03, 0.1)
    first = free_ports(4)

    def get(_: httpx.Client, url: str) -> httpx.Response:
        if f":{first + 1}/" in url and next(looks) in missed:
            raise httpx.ReadTimeout("busy")
        return httpx.Response(200, text=process.text())

    monkeypatch.setattr(httpx.Client, "get", get)
    monkeypatch.setattr(watch, "sleep", lambda _: None)
    environment = {"OTEL_EXPORTER_PROMETHEUS_PORT": str(first)}
    result = CliRunner().invoke(app, ["watch", "--looks", "3", "--every", "0.5"], env=environment)
    assert result.exit_code == 0, result.stderr
    assert ("no answer" in result.stdout) == (3 in missed)
    assert "generation.prompt" in result.stdout


def test_in_a_pipe_each_look_has_a_table_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Process()
    process.metrics.measure_stage("generation.prompt", "ok", 0.03, 0.1)
    monkeypatch.setattr(httpx.Client, "get", lambda *_: httpx.Response(200, text=process.text()))
    monkeypatch.setattr(watch, "sleep", lambda _: None)
    environment = {"OTEL_EXPORTER_PROMETHEUS_PORT": str(free_ports(4))}
    result = CliRunner().invoke(app, ["watch", "--looks", "3"], env=environment)
    assert result.stdout.count("generation.prompt") == 3
