"""What services tell reaches the autoscalers: a real Prometheus and adapter, by scrape and by OTLP.

Two of retrieval and one of each other service are real processes that are told what the chart tells
their pods; nodes and all else are simulated. Skipped where a program is missing.
"""

import contextlib
import re
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from libs.telemetry.readers import HOST
from tests.architecture.test_monitoring import ALERTS
from tests.architecture.test_scaling import asked_for
from tests.support.aside import aside
from tests.support.control_plane import (
    CONTROLLERS,
    STORE,
    ControlPlane,
    control_plane,
    missing,
    until,
)
from tests.support.installed import SERVICES, Installed
from tests.support.metrics_adapter import OWN, metrics_adapter
from tests.support.names import names
from tests.support.otel_collector import COLLECTOR, running_collector
from tests.support.ports import free_ports
from tests.support.prometheus import PROGRAM, Prometheus, prometheus
from tests.support.prometheus_adapter import ADAPTER, prometheus_adapter
from tests.support.render_chart import CHART
from tests.support.simulated_nodes import simulated_nodes
from tests.support.stack import QUESTION, SAMPLE, RunningStack

SCRAPE = CHART.parent / "examples" / "prometheus-scrape.yaml"
TAKES_OTLP = "--web.enable-otlp-receiver"
SEARCHING = 24
FOLLOWED_S = 180.0
SCALED: dict[str, Any] = {
    "gateway": {"autoscaling": {"enabled": True}},
    "ingest": {"autoscaling": {"enabled": True}},
    # Half of the default: how many searches are in flight is the machine's.
    "retrieval": {"replicas": 2, "autoscaling": {"enabled": True, "inFlight": 1}},
}


def takes_otlp() -> bool:
    """Whether the Prometheus here takes OTLP and finds pods: Debian's own does neither."""
    if not PROGRAM:
        return False
    shown = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=False)
    return TAKES_OTLP.lstrip("-") in shown.stdout + shown.stderr


ABSENT = missing(*STORE, *CONTROLLERS) + [
    name
    for name, here in {
        "a Prometheus of version 3 (QUOTH_PROMETHEUS)": takes_otlp(),
        "prometheus-adapter (QUOTH_PROMETHEUS_ADAPTER)": ADAPTER,
        "otelcol-contrib (QUOTH_COLLECTOR)": COLLECTOR,
    }.items()
    if not here
]
pytestmark = [
    pytest.mark.skipif(bool(ABSENT), reason=f"not on this machine: {', '.join(ABSENT)}"),
    pytest.mark.timeout(1200),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    folder = tmp_path_factory.mktemp("control-plane")
    with (
        control_plane(folder, controllers=True) as running,
        simulated_nodes(running, 6),
        metrics_adapter(running, (OWN,)),
    ):
        yield running


@pytest.fixture(scope="module")
def figures(
    cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prometheus]:
    """A Prometheus that does what our example of scraping says, and takes OTLP."""
    config = yaml.safe_load(SCRAPE.read_text("utf-8"))
    (job,) = config["scrape_configs"]
    (found,) = job["kubernetes_sd_configs"]
    found["kubeconfig_file"] = str(cluster.kubeconfig)
    folder = tmp_path_factory.mktemp("prometheus")
    with (
        prometheus(folder, config, TAKES_OTLP) as running,
        prometheus_adapter(cluster, running.url),
    ):
        yield running


def told(pod: dict[str, Any]) -> dict[str, str]:
    """What a pod's process is told of telemetry, by the API server."""
    variables: dict[str, str] = {}
    for one in pod["spec"]["containers"][0]["env"]:
        value = one.get("value", pod["metadata"]["name"])
        for name, known in variables.items():
            value = value.replace(f"$({name})", known)
        variables[one["name"]] = value
    told = {name: value for name, value in variables.items() if name.startswith("OTEL_")}
    # Its pod is alone with its ports.
    return {**told, **({HOST: pod["status"]["podIP"]} if HOST in told else {})}


@contextlib.contextmanager
def running_for(product: Installed, stack: RunningStack) -> Iterator[str]:
    """Run processes for both pods of retrieval, and for one of each other service; yields the URL."""
    port = free_ports(1)
    pods = {service: product.pods(service) for service in SERVICES}
    with contextlib.ExitStack() as opened, names() as known:
        for pod in pods["retrieval"]:
            address = pod["status"]["podIP"]
            listen = {"RETRIEVAL_LISTEN": f"{address}:{port}"}
            opened.enter_context(aside(stack, "retrieval", **told(pod), **listen))
            known.addresses.append(address)
        replicas = known.target(port)
        opened.enter_context(aside(stack, "ingest", **told(pods["ingest"][0])))
        generation = opened.enter_context(
            aside(stack, "generation", GENERATION_RETRIEVAL=replicas, **told(pods["generation"][0]))
        )
        others = {"GATEWAY_RETRIEVAL": replicas, "GATEWAY_GENERATION": generation}
        yield opened.enter_context(aside(stack, "gateway", **told(pods["gateway"][0]), **others))


@contextlib.contextmanager
def asked_all_the_time(url: str) -> Iterator[None]:
    """Let readers search, and one ask, one after the other while the block runs."""
    end = threading.Event()

    def ask(what: str) -> None:
        with httpx.Client(base_url=url, timeout=30, trust_env=False) as client:
            while not end.is_set():
                client.post(f"/v1/books/{SAMPLE}/{what}", json={"question": QUESTION})

    with ThreadPoolExecutor(SEARCHING + 1) as pool:
        for what in ("answers", *("search" for _ in range(SEARCHING))):
            pool.submit(ask, what)
        try:
            yield
        finally:
            end.set()


def current(product: Installed) -> float:
    """The calls in flight for each replica, as retrieval's autoscaler sees them now."""
    path = f"/apis/autoscaling/v2/namespaces/{product.namespace}/horizontalpodautoscalers"
    scaler = product.cluster.ask("GET", f"{path}/books-retrieval")
    for metric in scaler["status"].get("currentMetrics") or []:
        if metric["type"] == "Pods":
            text = str(metric["pods"]["current"]["averageValue"])
            return float(text.removesuffix("m")) / (1000 if text.endswith("m") else 1)
    return 0.0


def asked_elsewhere(namespace: str) -> list[str]:
    """What KEDA asks, and the series of the alerts for late answers, as both ways name them."""
    keda, _ = asked_for()[-1]
    late = next(one["expr"] for one in ALERTS if one["alert"] == "QuothAnswersLateFast")
    series = set(re.findall(r"http_server_request_duration_seconds_\w+\{[^}]*", late))
    own = f'k8s_namespace_name="{namespace}"'
    return [keda.replace('k8s_namespace_name="books"', own), *(f"{one},{own}}}" for one in series)]


@pytest.mark.parametrize("way", ["scraped", "sent"])
def test_replicas_of_retrieval_follow_the_calls_that_real_ones_tell_of(
    cluster: ControlPlane,
    figures: Prometheus,
    sample_stack: RunningStack,
    tmp_path: Path,
    way: str,
) -> None:
    product = Installed(cluster, way)
    with running_collector(tmp_path, "127.0.0.1:1", figures.url) as collector:
        telemetry: dict[str, Any] = {"prometheus": {"enabled": True}}
        if way == "sent":
            telemetry = {"endpoint": f"http://{collector}"}
        product.install("team", autoscaling={"source": "adapter"}, telemetry=telemetry, **SCALED)
        assert product.ready("retrieval") == 2
        with running_for(product, sample_stack) as url, asked_all_the_time(url):
            until(lambda: current(product) > 0, "a figure arrives", FOLLOWED_S)
            until(lambda: product.ready("retrieval") > 2, "more of retrieval", FOLLOWED_S)
            until(lambda: product.states("ScalingActive") == {"True"}, "all have figures", 60)
            for query in asked_elsewhere(way):
                until(partial(figures.ask, query), f"a figure for {query}", 60)
