"""`helm install` brings a backup back: API server and controllers are Kubernetes' own, nodes simulated.

What the chart's Jobs say is done by processes here, on servers that hold nothing, with what the pods
are told and nothing else. Skipped where the programs are missing.
"""

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.control_plane import CONTROLLERS, STORE, ControlPlane, control_plane, missing
from tests.support.engines import postgres_node, qdrant_node
from tests.support.render_chart import CHART
from tests.support.simulated_nodes import simulated_nodes
from tests.support.stack import CHECKOUT, QUESTION, SAMPLE, RunningStack, running_stack

ABSENT = missing(*STORE, *CONTROLLERS)
pytestmark = [
    pytest.mark.skipif(bool(ABSENT), reason=f"not on this machine: {', '.join(ABSENT)}"),
    pytest.mark.timeout(1200),
]

NAMESPACE = "restored"
KEY = f"quoth_{'1f' * 6}_{'k' * 32}"


@dataclass
class Jobs:
    """Does what pods of Jobs are to do, each volume of theirs a folder here."""

    cluster: ControlPlane
    volumes: Path
    ended: list[tuple[str, int]] = field(default_factory=list)
    said: str = ""

    def run(self, pod: Any) -> int:
        container = pod["spec"]["containers"][0]
        told = {one["name"]: self._value(one, pod) for one in container["env"]}
        volumes = {one["name"]: one for one in pod["spec"]["volumes"]}
        arguments = container["args"]
        for mount in container["volumeMounts"]:
            place = str(self._folder(volumes[mount["name"]]))
            arguments = [text.replace(mount["mountPath"], place) for text in arguments]
        done = subprocess.run(
            [sys.executable, "-m", "deploy.cli", *arguments],
            cwd=CHECKOUT,
            env={**{name: os.environ[name] for name in ("PATH", "HOME")}, **told},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        self.ended.append((container["name"], done.returncode))
        self.said += done.stdout + done.stderr
        return done.returncode

    def _value(self, variable: Any, pod: Any) -> str:
        if "value" in variable:
            return str(variable["value"])
        source = variable["valueFrom"]
        if "fieldRef" in source:
            return str(pod["metadata"]["name"])
        secret = source["secretKeyRef"]
        return self._secret(secret["name"], secret["key"])

    def _secret(self, name: str, key: str) -> str:
        path = f"/api/v1/namespaces/{NAMESPACE}/secrets/{name}"
        return base64.b64decode(self.cluster.ask("GET", path)["data"][key]).decode()

    def _folder(self, volume: Any) -> Path:
        folder = self.volumes / str(volume["name"])
        folder.mkdir(exist_ok=True)
        if secret := volume.get("secret"):
            for item in secret["items"]:
                file = folder / item["path"]
                file.write_text(self._secret(secret["secretName"], item["key"]), "utf-8")
        return folder


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jobs]:
    folder = tmp_path_factory.mktemp("control-plane")
    with control_plane(folder, controllers=True) as cluster:
        jobs = Jobs(cluster, tmp_path_factory.mktemp("volumes"))
        with simulated_nodes(cluster, 3, jobs.run):
            yield jobs


def add_namespace(cluster: ControlPlane, dsn: str) -> None:
    cluster.add_namespace(NAMESPACE)
    secrets = f"/api/v1/namespaces/{NAMESPACE}/secrets"
    known = {"stringData": {"dsn": dsn}}
    cluster.ask("PATCH", f"{secrets}/quoth-postgres", known, kind="merge-patch+json")
    cluster.ask("POST", secrets, {"metadata": {"name": "first"}, "stringData": {"key": KEY}})


def add_claim(cluster: ControlPlane) -> None:
    """Add the claim of the backups, with a volume for it."""
    room: dict[str, Any] = {"accessModes": ["ReadWriteOnce"], "storageClassName": ""}
    volume = {**room, "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/backups"}}
    meta = {"metadata": {"name": "backups"}}
    cluster.ask("POST", "/api/v1/persistentvolumes", {**meta, "spec": volume})
    claim = {**room, "volumeName": "backups", "resources": {"requests": {"storage": "1Gi"}}}
    path = f"/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims"
    cluster.ask("POST", path, {**meta, "spec": claim})


def test_an_installation_from_a_backup_gives_the_same_answers(
    jobs: Jobs, sample_stack: RunningStack, tmp_path: Path
) -> None:
    (jobs.volumes / "backups").mkdir()
    taken = subprocess.run(
        [sys.executable, "-m", "deploy.cli", "backup", str(jobs.volumes / "backups" / "one")],
        cwd=CHECKOUT,
        env={**os.environ, "QUOTH_HOME": str(sample_stack.home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert taken.returncode == 0, taken.stderr
    with (
        postgres_node(tmp_path / "postgres") as postgres,
        qdrant_node(tmp_path / "qdrant") as qdrant,
    ):
        add_namespace(jobs.cluster, postgres.dsn)
        add_claim(jobs.cluster)
        values: dict[str, Any] = {
            "qdrant": {"url": qdrant.url},
            "migrations": {"firstKeySecret": {"name": "first"}},
            "restore": {"place": "/backups/none", "claim": "backups"},
        }
        install = {"chart": str(CHART), "name": "books", "values": values}
        with pytest.raises(AssertionError, match="restore") as failed:
            jobs.cluster.helm("install", NAMESPACE, **install)
        assert jobs.ended == [("restore", 1)], failed.value
        assert "There is no folder" in jobs.said

        # As the chart's README has it after a failure.
        jobs.cluster.helm("uninstall", NAMESPACE, name="books")
        values["restore"]["place"] = "/backups/one"
        jobs.cluster.helm("install", NAMESPACE, **install)
        assert jobs.ended[1:] == [("restore", 0), ("migrations", 0)], jobs.said
        assert "may do everything" in jobs.said

        servers = {"QUOTH_POSTGRES_DSN": postgres.dsn, "QUOTH_QDRANT_URL": qdrant.url}
        with running_stack(tmp_path / "home", environment=servers) as restored:
            given, before = (stack.ask(SAMPLE, QUESTION) for stack in (restored, sample_stack))
    for member in ("text", "citations", "edition"):
        assert given[member] == before[member]
