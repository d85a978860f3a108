"""What a metrics server and an adapter for Prometheus tell Kubernetes' API, with figures of a test.

    with metrics_adapter(cluster) as adapter:
        adapter.figures["quoth_calls_in_flight"] = "8"

An extension of the API server: each pod uses some CPU and has the `figures`, by the metric's name. What
autoscalers ask for that is no pod's has the same.
"""

import contextlib
import datetime as dt
import http.server
import json
import re
import ssl
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from typing_extensions import override

from tests.support.control_plane import ControlPlane

OWN, CUSTOM = "metrics.k8s.io/v1beta1", "custom.metrics.k8s.io/v1beta2"
EXTERNAL = "external.metrics.k8s.io/v1beta1"
GROUPS = (OWN, CUSTOM, EXTERNAL)
_PODS = re.compile(rf"/apis/{OWN}/namespaces/([^/]+)/pods")
_FIGURE = re.compile(rf"/apis/{CUSTOM}/namespaces/([^/]+)/pods/\*/([^/]+)")
_SINGLE = re.compile(rf"/apis/{EXTERNAL}/namespaces/[^/]+/([^/]+)")
_SERVICES = "/api/v1/namespaces/kube-system/services"
_REGISTERED = "/apis/apiregistration.k8s.io/v1/apiservices"


def _now() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class Adapter:
    """Answers about pods; `asked` are the metrics that autoscalers wanted."""

    cluster: ControlPlane
    cpu: str = "10m"
    figures: dict[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def answer(self, path: str, selector: str) -> dict[str, Any] | None:
        """Return the body for a path of the API, None for one that there is not."""
        if (group := path.removeprefix("/apis/")) in GROUPS:
            return {"kind": "APIResourceList", "groupVersion": group, "resources": []}
        if found := _PODS.fullmatch(path):
            pods = self._pods(found[1], selector)
            return _list("PodMetricsList", OWN, [self._use(pod) for pod in pods])
        if found := _FIGURE.fullmatch(path):
            namespace, metric = found.groups()
            self.asked.add(metric)
            if metric in self.figures:
                pods = self._pods(namespace, selector)
                return _list("MetricValueList", CUSTOM, [self._figure(pod, metric) for pod in pods])
        if found := _SINGLE.fullmatch(path):
            return self._single(found[1])
        return None

    def _single(self, metric: str) -> dict[str, Any] | None:
        self.asked.add(metric)
        if metric not in self.figures:
            return None
        item = {"metricName": metric, "metricLabels": {}, "timestamp": _now()}
        figures = [{**item, "value": self.figures[metric]}]
        return _list("ExternalMetricValueList", EXTERNAL, figures)

    def _pods(self, namespace: str, selector: str) -> list[Any]:
        path = f"/api/v1/namespaces/{namespace}/pods?labelSelector={quote(selector)}"
        return list(self.cluster.ask("GET", path)["items"])

    def _use(self, pod: Any) -> dict[str, Any]:
        usage = {"cpu": self.cpu, "memory": "100Mi"}
        containers = [{"name": one["name"], "usage": usage} for one in pod["spec"]["containers"]]
        named = {part: pod["metadata"][part] for part in ("name", "namespace")}
        return {"metadata": named, "containers": containers, "timestamp": _now(), "window": "1s"}

    def _figure(self, pod: Any, metric: str) -> dict[str, Any]:
        named = {part: pod["metadata"][part] for part in ("name", "namespace")}
        return {
            "describedObject": {"kind": "Pod", "apiVersion": "v1", **named},
            "metric": {"name": metric},
            "timestamp": _now(),
            "value": self.figures[metric],
        }


def _list(kind: str, group: str, items: list[Any]) -> dict[str, Any]:
    return {"kind": kind, "apiVersion": group, "metadata": {}, "items": items}


@contextlib.contextmanager
def metrics_adapter(cluster: ControlPlane, groups: Sequence[str] = GROUPS) -> Iterator[Adapter]:
    """Serve one for `cluster`, and tell its API server of its `groups` while the block runs."""
    adapter = Adapter(cluster)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(adapter))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(cluster.folder))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with registered(cluster, server.server_port, groups):
            yield adapter
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(adapter: Adapter) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            selector = parse_qs(url.query).get("labelSelector", [""])[0]
            answer = adapter.answer(unquote(url.path), selector)
            body = json.dumps(
                answer or {"kind": "Status", "apiVersion": "v1", "code": 404}
            ).encode()
            self.send_response(200 if answer else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

    return Handler


def _certificate(folder: Path) -> Path:
    key, file = folder / "adapter.key", folder / "adapter.pem"
    parts = ("-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2")
    command = ["openssl", "req", "-x509", *parts, "-keyout", str(key), "-out", str(file)]
    subprocess.run(command, check=True, capture_output=True)
    file.write_text(file.read_text("utf-8") + key.read_text("utf-8"), "utf-8")
    return file


@contextlib.contextmanager
def registered(cluster: ControlPlane, port: int, groups: Sequence[str]) -> Iterator[None]:
    """Have the API server ask the server at a port of this machine for groups while the block runs."""
    name = f"metrics-{port}"
    where = {"type": "ExternalName", "externalName": "localhost", "ports": [{"port": port}]}
    cluster.ask("POST", _SERVICES, {"metadata": {"name": name}, "spec": where})
    made = [f"{_SERVICES}/{name}"]
    try:
        for one in groups:
            group, version = one.split("/")
            spec = {
                "group": group,
                "version": version,
                "service": {"name": name, "namespace": "kube-system", "port": port},
                "insecureSkipTLSVerify": True,
                "groupPriorityMinimum": 100,
                "versionPriority": 100,
            }
            meta = {"name": f"{version}.{group}"}
            cluster.ask("POST", _REGISTERED, {"metadata": meta, "spec": spec})
            made.append(f"{_REGISTERED}/{meta['name']}")
        yield
    finally:
        for path in made:
            cluster.ask("DELETE", path)
