"""The metrics adapter for Prometheus that Kubernetes' own developers make, with our example's rules.

    with prometheus_adapter(cluster, figures.url):
        …autoscalers find what Prometheus has

Found as `prometheus-adapter`, or as QUOTH_PROMETHEUS_ADAPTER names it.
"""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import yaml

from tests.support.control_plane import ControlPlane, until
from tests.support.metrics_adapter import EXTERNAL, registered
from tests.support.ports import free_ports

RULES = Path(__file__).parents[2] / "deploy" / "kubernetes" / "examples" / "prometheus-adapter.yaml"
ADAPTER = shutil.which(os.environ.get("QUOTH_PROMETHEUS_ADAPTER", "prometheus-adapter")) or ""
GROUPS = ("custom.metrics.k8s.io/v1beta1", "custom.metrics.k8s.io/v1beta2", EXTERNAL)
_ROLES = "/apis/rbac.authorization.k8s.io/v1"
_READERS = "read-figures"


@contextlib.contextmanager
def prometheus_adapter(cluster: ControlPlane, url: str) -> Iterator[None]:
    """Run it for `cluster` with what a Prometheus has, looking for new series every 2 s."""
    port, kubeconfig = free_ports(1), cluster.kubeconfig
    config = cluster.folder / "adapter.yaml"
    config.write_text(yaml.safe_dump(_config()), "utf-8")
    _let_read(cluster)
    command = [
        *(ADAPTER, f"--config={config}", f"--prometheus-url={url}", f"--secure-port={port}"),
        *("--bind-address=127.0.0.1", f"--cert-dir={cluster.folder / 'adapter'}"),
        *(f"--lister-kubeconfig={kubeconfig}", f"--authentication-kubeconfig={kubeconfig}"),
        *(f"--authorization-kubeconfig={kubeconfig}", "--authentication-skip-lookup"),
        *("--metrics-relist-interval=2s", "--metrics-max-age=1m"),
    ]
    log = cluster.folder / "prometheus-adapter.log"
    with log.open("ab") as file, subprocess.Popen(command, stdout=file, stderr=file) as process:
        try:
            until(lambda: _answers(port), "the adapter answers")
            with registered(cluster, port, GROUPS):
                yield
        finally:
            process.terminate()


def _config() -> dict[str, object]:
    """The adapter's own file: what its chart makes of the values of ours."""
    rules = yaml.safe_load(RULES.read_text("utf-8"))["rules"]
    return {"rules": rules["custom"], "externalRules": rules["external"]}


def _let_read(cluster: ControlPlane) -> None:
    """Let the API server ask: without a certificate to show, it asks as nobody."""
    rule = {
        "apiGroups": sorted({one.partition("/")[0] for one in GROUPS}),
        "resources": ["*"],
        "verbs": ["get", "list"],
    }
    found = {"nonResourceURLs": ["/apis", "/apis/*"], "verbs": ["get"]}
    meta = {"name": _READERS}
    cluster.ask("POST", f"{_ROLES}/clusterroles", {"metadata": meta, "rules": [rule, found]})
    group = "rbac.authorization.k8s.io"
    binding = {
        "metadata": meta,
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": _READERS},
        "subjects": [{"apiGroup": group, "kind": "Group", "name": "system:unauthenticated"}],
    }
    cluster.ask("POST", f"{_ROLES}/clusterrolebindings", binding)


def _answers(port: int) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return bool(httpx.get(f"https://127.0.0.1:{port}/livez", verify=False))
    return False
