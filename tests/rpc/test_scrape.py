"""A process is scraped where the standard variables say so, and ends with what was asked of it."""

import socket
import urllib.request

import pytest

from libs.settings import SettingsError
from libs.telemetry.metrics import current_metrics, set_up_metrics, shut_down_metrics
from libs.telemetry.readers import EXPORTERS, HOST, PORT
from tests.support.ports import free_ports


def scrape(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        return str(answer.read().decode())


@pytest.fixture
def port() -> int:
    return free_ports(1)


@pytest.mark.parametrize("exporters", ["prometheus", "otlp,prometheus"])
def test_metrics_are_scraped_until_the_process_ends(port: int, exporters: str) -> None:
    set_up_metrics("ingest", {EXPORTERS: exporters, HOST: "127.0.0.1", PORT: str(port)})
    try:
        metrics = current_metrics()
        assert metrics is not None
        metrics.measure_queue(3, 7.5)
        text = scrape(port)
        assert "quoth_ingest_queue_jobs 3.0" in text
        assert "quoth_ingest_queue_age_seconds 7.5" in text
        assert 'service_name="quoth-ingest"' in text
        assert "process_resident_memory_bytes" in text
    finally:
        shut_down_metrics()
    assert current_metrics() is None
    with pytest.raises(OSError):
        scrape(port)


def test_a_port_that_is_taken_is_told_with_its_variable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=f"127.0.0.1:{port} .*{PORT}"):
            set_up_metrics("x", {EXPORTERS: "prometheus", HOST: "127.0.0.1", PORT: str(port)})
    assert current_metrics() is None


@pytest.mark.parametrize("exporters", ["promtheus", "otlp,", "console"])
def test_an_exporter_that_is_not_known_is_refused_with_those_that_are(exporters: str) -> None:
    with pytest.raises(SettingsError, match=f"{EXPORTERS} must be otlp, prometheus, .*{exporters}"):
        set_up_metrics("x", {EXPORTERS: exporters})


def test_none_is_an_exporter() -> None:
    set_up_metrics("x", {EXPORTERS: "none"})
    assert current_metrics() is None


@pytest.mark.parametrize("port", ["none", "0", "70000"])
def test_a_bad_metrics_port_is_refused_with_its_variable(port: str) -> None:
    with pytest.raises(SettingsError, match=f"{PORT} must be a port, not '{port}'"):
        set_up_metrics("x", {EXPORTERS: "prometheus", PORT: port})
