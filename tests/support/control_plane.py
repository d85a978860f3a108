"""Kubernetes' own control plane on this machine, with nodes that are only simulated.

    with control_plane(tmp_path) as cluster:
        cluster.add_namespace("books")
        cluster.helm("install", "books", chart=str(CHART), name="books", values={})

The programs are found in the folder that QUOTH_KUBERNETES_PROGRAMS names, or on the PATH: etcd and
kube-apiserver, and for what needs them kube-controller-manager and kube-scheduler. All listen on
loopback and end with the block.
"""

import contextlib
import importlib.util
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.support.ports import free_ports

STORE = ("etcd", "kube-apiserver")
CONTROLLERS = ("kube-controller-manager", "kube-scheduler")
FOLDER = os.environ.get("QUOTH_KUBERNETES_PROGRAMS")
START_S = 300.0
STOP_S = 20.0
CALL_S = 900.0


def find(program: str) -> str | None:
    return shutil.which(program, path=FOLDER)


def missing(*programs: str) -> list[str]:
    """Return what is not on this machine of `programs`, and of what renders the chart."""
    helm = [] if importlib.util.find_spec("helm_python") else ["Helm's package"]
    return [name for name in programs if not find(name)] + helm


@dataclass
class ControlPlane:
    """A running one. `folder` holds its certificates, its data and what each program says."""

    folder: Path
    port: int
    token: str
    client: httpx.Client
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    def start(self, program: str, *arguments: str) -> None:
        found = find(program)
        assert found
        with (self.folder / f"{program}.log").open("ab") as log:
            self.processes.append(
                subprocess.Popen([found, *arguments], stdout=log, stderr=log, cwd=self.folder)
            )

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def ask(self, method: str, path: str, body: object = None, kind: str = "json") -> Any:
        """Ask the API; returns its answer. Raises HTTPStatusError with what it said against it."""
        headers = {"content-type": {"json": "application/json"}.get(kind, f"application/{kind}")}
        content = None if body is None else json.dumps(body).encode()
        answer = self.client.request(method, path, content=content, headers=headers)
        if answer.is_error:
            said = f"{method} {path}: {answer.status_code} {answer.text[:500]}"
            raise httpx.HTTPStatusError(said, request=answer.request, response=answer)
        return answer.json()

    def helm(self, verb: str, namespace: str, **arguments: Any) -> None:
        """Let Helm do it, and wait until it is done."""
        asked = {"verb": verb, "namespace": namespace, "kubeconfig": str(self.kubeconfig)}
        done = subprocess.run(
            [sys.executable, "-m", "tests.support.helm"],
            input=json.dumps({**asked, "arguments": arguments}),
            capture_output=True,
            text=True,
            timeout=CALL_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def add_namespace(self, name: str) -> None:
        """Add one that takes restricted pods only, with what the chart wants to find there."""
        labels = {"pod-security.kubernetes.io/enforce": "restricted"}
        self.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name, "labels": labels}})
        told = {
            "quoth-postgres": {"dsn": "postgresql://quoth@postgres/quoth"},
            "quoth-services": {"token": secrets.token_hex(32)},
        }
        for secret, data in told.items():
            body = {"metadata": {"name": secret}, "stringData": data}
            self.ask("POST", f"/api/v1/namespaces/{name}/secrets", body)


@contextlib.contextmanager
def control_plane(folder: Path, *, controllers: bool = False) -> Iterator[ControlPlane]:
    """Start it in `folder`; yields when the API answers."""
    port, token = free_ports(3), secrets.token_urlsafe(32)
    with httpx.Client(
        base_url=f"https://127.0.0.1:{port}",
        headers={"authorization": f"Bearer {token}"},
        verify=False,
        timeout=60.0,
    ) as client:
        cluster = ControlPlane(folder, port, token, client)
        _write_credentials(cluster)
        try:
            _start_store(cluster)
            until(lambda: _is_ready(client), "the API answers")
            if controllers:
                _start_controllers(cluster)
            yield cluster
        finally:
            cluster.stop()


def _is_ready(client: httpx.Client) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return client.get("/readyz").is_success
    return False


def _start_store(cluster: ControlPlane) -> None:
    """Start etcd and the API server, whose data need not outlive the test."""
    etcd, peers = (f"http://127.0.0.1:{cluster.port + step}" for step in (1, 2))
    cluster.start(
        "etcd",
        "--data-dir",
        str(cluster.folder / "etcd"),
        "--unsafe-no-fsync",
        "--listen-client-urls",
        etcd,
        "--advertise-client-urls",
        etcd,
        "--listen-peer-urls",
        peers,
        "--initial-advertise-peer-urls",
        peers,
        "--initial-cluster",
        f"default={peers}",
    )
    key = cluster.folder / "accounts.key"
    cluster.start(
        "kube-apiserver",
        f"--etcd-servers={etcd}",
        "--bind-address=127.0.0.1",
        f"--secure-port={cluster.port}",
        f"--cert-dir={cluster.folder / 'certificates'}",
        f"--token-auth-file={cluster.folder / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--service-account-issuer=https://cluster.local",
        "--endpoint-reconciler-type=none",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
    )


def _start_controllers(cluster: ControlPlane) -> None:
    common = (f"--kubeconfig={cluster.kubeconfig}", "--leader-elect=false", "--secure-port=0")
    cluster.start(
        "kube-controller-manager",
        *common,
        f"--service-account-private-key-file={cluster.folder / 'accounts.key'}",
        "--horizontal-pod-autoscaler-sync-period=2s",
        "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
        "--horizontal-pod-autoscaler-initial-readiness-delay=1s",
    )
    cluster.start("kube-scheduler", *common)


def _write_credentials(cluster: ControlPlane) -> None:
    tokens = cluster.folder / "tokens.csv"
    tokens.write_text(f"{cluster.token},us,us,system:masters\n", "utf-8")
    key = subprocess.run(["openssl", "genrsa", "2048"], capture_output=True, check=True).stdout
    (cluster.folder / "accounts.key").write_bytes(key)
    server = {"server": f"https://127.0.0.1:{cluster.port}", "insecure-skip-tls-verify": True}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [{"name": "here", "cluster": server}],
        "users": [{"name": "us", "user": {"token": cluster.token}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "us"}}],
    }
    cluster.kubeconfig.write_text(json.dumps(config), "utf-8")
    cluster.kubeconfig.chmod(0o600)


def until(reached: Callable[[], object], what: str, seconds: float = START_S) -> None:
    """Look again and again until `reached()`; fails after `seconds`."""
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, f"not in {seconds:g} s: {what}"
        time.sleep(0.5)
