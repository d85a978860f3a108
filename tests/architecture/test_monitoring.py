"""Alerts, dashboards and scaling ask for what the product sends, by the names it arrives under."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import Gauge, Histogram, InMemoryMetricReader, MetricReader
from prometheus_client import CollectorRegistry
from starlette.routing import Route

from deploy.local.processes import list_processes
from deploy.local.settings import LocalSettings
from libs.budget import Outcome, stages
from libs.telemetry.metrics import Metrics, ModelCall
from libs.telemetry.readers import PORT
from services.gateway.routes.answers import ANSWER
from services.gateway.routes.openai_chat import COMPLETE
from services.gateway.routes.textbook_chat import QUERY
from services.generation.model import ConfidenceLevel, RefusalCode
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import FakeBackend

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "monitoring"
ALERTS = yaml.safe_load((FOLDER / "alerts.yaml").read_text("utf-8"))["groups"][0]["rules"]
OF_THE_COLLECTOR = {"__name__", "le", "job", "instance", "k8s_namespace_name"}
WORD = re.compile(
    r"[a-z]\w*_(?:bucket|sum|count|total)\b"
    r"|quoth_(?:ingest_queue|backup|certificate|audit_partitions)_\w+"
    r"|(?:collection|pg|cnpg)_[a-z]\w+|memory_\w+_bytes"
)
# What the engines send themselves: Qdrant 1.19 at /metrics of its REST port, as a cluster of it did;
# PostgreSQL by postgres_exporter and by CloudNativePG.
OF_THE_ENGINES = {
    "grpc_responses_total": {"endpoint", "status"},
    "grpc_responses_duration_seconds_bucket": {"endpoint", "status"},
    "cluster_pending_operations_total": set[str](),
    "collection_dead_replicas": set[str](),
    "collection_shard_transfer_incoming": {"id"},
    "collection_points": {"id"},
    "collection_update_queue_length": {"id"},
    "memory_resident_bytes": set[str](),
    "pg_replication_lag_seconds": set[str](),
    "cnpg_pg_replication_lag": set[str](),
}
LABEL = re.compile(r"[{,]\s*(\w+)\s*(=~|!~|!=|=)\s*\"((?:[^\"\\]|\\.)*)\"")
BY = re.compile(r"(?:by|ignoring|on)\s*\(([^)]*)\)")
VALUES = {
    "quoth_outcome": {
        *("answered", "failed", "put_back", "done"),
        *(code.value for code in RefusalCode),
    },
    "quoth_confidence": {level.value for level in ConfidenceLevel},
    "quoth_budget_outcome": {outcome.value for outcome in Outcome},
    "quoth_stage": {one.name for one in vars(stages).values() if isinstance(one, stages.Stage)},
    "quoth_circuit_state": {"open", "closed"},
    "job": {f"quoth-{name}" for name in ("gateway", "ingest", "retrieval", "generation")},
    "rpc_response_status_code": {"OK"},
}


def record_all(reader: MetricReader) -> None:
    """Let each recorder of the product record once."""
    metrics = Metrics(MeterProvider([reader], shutdown_on_exit=False))
    calls = {
        "measure_rpc": ("/service/Call", "UNAVAILABLE", "unavailable", 0.1),
        "measure_request": ("POST", "/v1/books/{book}/answers", 503, 0.1),
        "count_job": ("done",),
        "count_answer": ("answered", "default", "high"),
        "count_withheld": ("numbers",),
        "measure_stage": ("generation.record", "ok", 0.1, 0.5),
        "measure_call": (ModelCall("provider", "model", 0.1, 1, 1, 0.1, "unavailable"),),
        "count_failure": ("provider", "RateLimitError"),
        "count_retry": ("provider",),
        "count_circuit": ("store", "open"),
        "count_refused_request": ("forbidden",),
        "count_upkeep": ("sealed_days", 1),
        "measure_queue": (1, 0.1),
        "measure_partitions": (1.0,),
        "measure_backup": (1.0,),
    }
    metrics.watch_certificates({"services": Path("none")})
    recorders = {name for name in dir(metrics) if name.startswith(("count_", "measure_"))}
    assert recorders == calls.keys()
    for name, arguments in calls.items():
        getattr(metrics, name)(*arguments)


@cache
def sent() -> dict[str, set[str]]:
    """What the product sends, by its names in Prometheus: the labels of each."""
    reader = InMemoryMetricReader()
    record_all(reader)
    data = reader.get_metrics_data()
    assert data is not None
    return {
        name: {
            label.replace(".", "_")
            for point in one.data.data_points
            for label in point.attributes or {}
        }
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for one in scope.metrics
        for name in arriving(one.name, one.unit or "", one.data)
    }


def arriving(name: str, unit: str, data: Any) -> list[str]:
    """The names under which OpenTelemetry lets a metric arrive, by OTLP or by a scrape."""
    name = name.replace(".", "_") + ("_seconds" if unit == "s" else "")
    if isinstance(data, Gauge):
        return [name]
    parts = ("bucket", "sum", "count") if isinstance(data, Histogram) else ("total",)
    return [f"{name}_{part}" for part in parts]


def test_a_scrape_finds_what_a_collector_is_sent() -> None:
    registry = CollectorRegistry()
    record_all(PrometheusMetricReader(scope_info_enabled=False, registry=registry))
    scraped = {sample.name for metric in registry.collect() for sample in metric.samples}
    assert scraped - {"target_info"} == sent().keys()


def queries() -> Iterator[tuple[str, str]]:
    for alert in ALERTS:
        yield alert["alert"], alert["expr"]
    for path in sorted((FOLDER / "dashboards").glob("*.json")):
        for panel in json.loads(path.read_text("utf-8"))["panels"]:
            for target in panel["targets"]:
                yield f"{path.stem}: {panel['title']}", target["expr"]
    kubernetes = ROOT / "deploy" / "kubernetes"
    for path in (
        kubernetes / "examples" / "prometheus-adapter.yaml",
        kubernetes / "quoth" / "templates" / "keda.yaml",
    ):
        yield path.name, path.read_text("utf-8")


QUERIES = list(queries())


@pytest.mark.parametrize(("where", "query"), QUERIES, ids=[where for where, _ in QUERIES])
def test_a_query_names_what_the_product_sends(where: str, query: str) -> None:
    known = {**sent(), **OF_THE_ENGINES}
    named = set(WORD.findall(query))
    assert named
    assert named <= known.keys()
    if where.endswith(".yaml"):
        return
    labels = {label for name in named for label in known[name]} | OF_THE_COLLECTOR
    asked = {label for label, _, _ in LABEL.findall(query)}
    asked |= {one.strip() for group in BY.findall(query) for one in group.split(",")}
    assert asked <= labels
    for label, operator, value in LABEL.findall(query):
        if label in VALUES and operator in ("=", "!="):
            assert value in VALUES[label], f"{label} is never {value!r}"
        if label == "quoth_outcome" and operator == "=~":
            assert set(value.split("|")) <= VALUES[label]


def test_failures_and_lateness_are_of_every_address_that_answers() -> None:
    paths = {one.path for one in make_app(FakeBackend()).routes if isinstance(one, Route)}
    answering = {ANSWER.path, COMPLETE.path, QUERY.path}
    asked = [
        (where, value)
        for where, query in QUERIES
        for label, _, value in LABEL.findall(query)
        if label == "http_route"
    ]
    assert {"QuothAnswersFailFast", "QuothAnswersLateFast"} <= {where for where, _ in asked}
    for where, value in asked:
        assert {path for path in paths if re.fullmatch(value, path)} == answering, where


def test_everything_that_the_product_sends_is_shown_somewhere() -> None:
    shown = {
        re.sub(r"_(bucket|sum|count)$", "", name) for _, q in QUERIES for name in WORD.findall(q)
    }
    own = {re.sub(r"_(bucket|sum|count)$", "", name) for name in sent()}
    engines = {re.sub(r"_bucket$", "", name) for name in OF_THE_ENGINES}
    assert own | engines == shown


def test_a_name_that_is_not_sent_is_found() -> None:
    assert not set(WORD.findall("rate(quoth_answer_total[1m])")) <= sent().keys()


def test_metrics_scraped_on_a_laptop_have_the_names_in_the_rules() -> None:
    scraping = yaml.safe_load((FOLDER / "prometheus.yaml").read_text("utf-8"))
    targets = {
        one["job_name"]: one["static_configs"][0]["targets"] for one in scraping["scrape_configs"]
    }
    settings = LocalSettings(metrics_exporter="prometheus")
    own = {
        f"quoth-{process.name}": [f"127.0.0.1:{process.environment[PORT]}"]
        for process in list_processes(settings)
        if not process.is_store
    }
    assert targets == own
    assert set(own) == VALUES["job"]


def test_every_alert_has_its_row_among_the_runbooks() -> None:
    text = (ROOT / "deploy" / "OPERATIONS.md").read_text("utf-8")
    rows = re.findall(r"^\| `(Quoth\w+)` \|", text, re.MULTILINE)
    assert rows == [alert["alert"] for alert in ALERTS]
    assert all(alert["annotations"]["runbook"] == "deploy/OPERATIONS.md#alerts" for alert in ALERTS)


@pytest.mark.skipif(
    not shutil.which("promtool"), reason="promtool (Debian: prometheus) is not here"
)
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "rules", "alerts.yaml"),
        ("test", "rules", "alerts_test.yaml"),
        ("check", "config", "prometheus.yaml"),
    ],
)
def test_promtool_takes_the_rules_and_their_tests(arguments: tuple[str, ...]) -> None:
    done: Any = subprocess.run(
        ["promtool", *arguments],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
