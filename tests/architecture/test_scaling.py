"""What autoscalers ask Prometheus for is there: samples often enough, labels that something makes."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from libs.telemetry.readers import EVERY_MS
from tests.architecture.test_chart import SERVICES, needs_helm, pods, rendered
from tests.support.render_chart import CHART

KUBERNETES = CHART.parent
MONITORING = KUBERNETES.parent / "monitoring"
ADAPTER = yaml.safe_load((KUBERNETES / "examples" / "prometheus-adapter.yaml").read_text("utf-8"))
SCRAPE = KUBERNETES / "examples" / "prometheus-scrape.yaml"
RULES = [*ADAPTER["rules"]["custom"], *ADAPTER["rules"]["external"]]
NAMESPACE = "k8s_namespace_name"
needs_promtool = pytest.mark.skipif(
    not shutil.which("promtool"), reason="promtool (Debian: prometheus) is not here"
)


def asked_for() -> list[tuple[str, str]]:
    """The queries of both examples, with what stands for a service's series."""
    queries = []
    for rule in RULES:
        series = rule["seriesQuery"].partition("{")[0]
        labels = f'{NAMESPACE}="books"'
        query = rule["metricsQuery"].replace("<<.Series>>", series)
        query = query.replace("<<.LabelMatchers>>", labels).replace("<<.GroupBy>>", "instance")
        queries.append((query, series))
    text = (CHART / "templates" / "keda.yaml").read_text("utf-8")
    (query,) = re.findall(r"^sum\(.*\)$", text, re.MULTILINE)
    series = "rpc_server_call_duration_seconds_sum"
    query = query.replace("{{ $metric }}", series).replace("{{ .component }}", "retrieval")
    queries.append((query.replace("{{ .root.Release.Namespace }}", "books"), series))
    return queries


def told(query: str, series: str, every_s: int, folder: Path) -> bool:
    """Whether promtool has a figure for the query at any second, of samples that come this often."""
    labels = f'{NAMESPACE}="books",instance="pod",job="quoth-retrieval"'
    # A gauge of 2, or two calls in flight: what a counter of their seconds grows by in a second.
    grows = 0 if series.endswith("jobs") else 2 * every_s
    values = f"2+{grows}x{900 // every_s}"
    expected = [{"labels": '{instance="pod"}' if "by (" in query else "{}", "value": 2}]
    test = {
        "interval": f"{every_s}s",
        "input_series": [{"series": f"{series}{{{labels}}}", "values": values}],
        "promql_expr_test": [
            {"expr": query, "eval_time": f"{at}s", "exp_samples": expected}
            for at in range(600, 600 + every_s)
        ],
    }
    path = folder / "test.yaml"
    path.write_text(json.dumps({"evaluation_interval": "1s", "tests": [test]}))
    done = subprocess.run(
        ["promtool", "test", "rules", str(path)], capture_output=True, timeout=60, check=False
    )
    return done.returncode == 0


@needs_promtool
@pytest.mark.parametrize(("query", "series"), asked_for())
def test_autoscalers_have_a_figure_of_what_services_send(
    query: str, series: str, tmp_path: Path
) -> None:
    assert told(query, series, EVERY_MS // 1000, tmp_path)


@needs_promtool
def test_samples_that_are_too_rare_for_a_query_are_found(tmp_path: Path) -> None:
    query, series = asked_for()[0]
    assert not told(query, series, 60, tmp_path)


def test_the_labels_that_autoscalers_ask_for_are_made() -> None:
    asked = {label for rule in RULES for label in rule["resources"]["overrides"]}
    (job,) = yaml.safe_load(SCRAPE.read_text("utf-8"))["scrape_configs"]
    scraped = {one.get("target_label") for one in job["relabel_configs"]}
    assert asked | {"job"} <= scraped
    collector = yaml.safe_load((MONITORING / "collector.yaml").read_text("utf-8"))
    assert "transform/namespace" in collector["service"]["pipelines"]["metrics"]["processors"]
    (made,) = collector["processors"]["transform/namespace"]["metric_statements"]
    copied = re.findall(r'set\(attributes\["([\w.]+)"\], resource', "".join(made["statements"]))
    # Prometheus makes `instance` and `job` of the resource by itself.
    assert asked == {"instance", *(name.replace(".", "_") for name in copied)}


@needs_promtool
def test_promtool_takes_the_example_that_scrapes(tmp_path: Path) -> None:
    # Debian's is built without the discovery of pods; the rest is what is written here.
    (job,) = yaml.safe_load(SCRAPE.read_text("utf-8"))["scrape_configs"]
    assert job.pop("kubernetes_sd_configs") == [{"role": "pod"}]
    path = tmp_path / "scrape.yaml"
    path.write_text(yaml.safe_dump({"scrape_configs": [job]}))
    done = subprocess.run(
        ["promtool", "check", "config", str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@needs_helm
def test_the_large_profile_as_it_is_tells_what_it_scales_by() -> None:
    told: dict[str, Any] = {
        pod["metadata"]["labels"]["app.kubernetes.io/component"]: {
            one["name"] for one in pod["spec"]["containers"][0]["env"]
        }
        for _, pod in pods("large")
    }
    assert all("OTEL_METRICS_EXPORTER" in told[service] for service in SERVICES)


@needs_helm
def test_a_chart_that_scales_by_what_nothing_tells_is_refused() -> None:
    assert "telemetry.endpoint" in rendered()["sets"]["untold"]["error"]


@needs_helm
def test_keda_counts_the_calls_of_its_own_namespace_only() -> None:
    scaled = [
        one for one in rendered()["sets"]["keda"]["documents"] if one["kind"] == "ScaledObject"
    ]
    queries = [
        trigger["metadata"]["query"]
        for one in scaled
        for trigger in one["spec"]["triggers"]
        if trigger["type"] == "prometheus"
    ]
    assert len(queries) == 3
    assert all(f'{NAMESPACE}="books"' in query for query in queries)
