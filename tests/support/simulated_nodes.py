"""Nodes without machines: what a kubelet would tell Kubernetes' API about them and their pods.

Pods of Jobs are done at once, all others run and are ready, and what is to go is gone. Each has an
address of its own on the loopback device, where a test may let a process answer for it.
"""

import contextlib
import datetime as dt
import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from tests.support.control_plane import ControlPlane

ROOM = {"cpu": "4", "memory": "16Gi", "pods": "110", "ephemeral-storage": "100Gi"}
PAUSE_S = 0.3
_NUMBER = itertools.count(256)
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"


@contextlib.contextmanager
def simulated_nodes(
    cluster: ControlPlane, count: int, run: Callable[[Any], int] = lambda _: 0
) -> Iterator[list[str]]:
    """Have `count` nodes, in three zones; yields their names. `run` does a Job's pod: its exit code."""
    names = [f"node-{number}" for number in range(count)]
    for number, name in enumerate(names):
        _add_node(cluster, name, f"zone-{number % 3}")
    end = threading.Event()
    thread = threading.Thread(target=_play, args=(cluster, names, end, run))
    thread.start()
    try:
        yield names
    finally:
        end.set()
        thread.join()


def _now() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _add_node(cluster: ControlPlane, name: str, zone: str) -> None:
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone}
    cluster.ask("POST", "/api/v1/nodes", {"metadata": {"name": name, "labels": labels}})
    lease = {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": _now()}
    cluster.ask("POST", LEASES, {"metadata": {"name": name}, "spec": lease})
    moment = _now()[:19] + "Z"
    ready = {
        "type": "Ready",
        "status": "True",
        "reason": "Simulated",
        "lastHeartbeatTime": moment,
        "lastTransitionTime": moment,
    }
    status = {"capacity": ROOM, "allocatable": ROOM, "conditions": [ready]}
    path = f"/api/v1/nodes/{name}/status"
    cluster.ask("PATCH", path, {"status": status}, kind="merge-patch+json")


def _play(
    cluster: ControlPlane, names: list[str], end: threading.Event, run: Callable[[Any], int]
) -> None:
    rounds = 0
    while not end.wait(PAUSE_S):
        # What changed meanwhile is seen in the next round.
        with contextlib.suppress(httpx.HTTPError):
            if rounds % 20 == 0:
                for name in names:
                    _renew(cluster, name)
            for pod in cluster.ask("GET", "/api/v1/pods")["items"]:
                _play_pod(cluster, pod, run)
        rounds += 1


def _renew(cluster: ControlPlane, name: str) -> None:
    renewed = {"spec": {"renewTime": _now()}}
    cluster.ask("PATCH", f"{LEASES}/{name}", renewed, kind="merge-patch+json")


def _play_pod(cluster: ControlPlane, pod: dict[str, Any], run: Callable[[Any], int]) -> None:
    meta, phase = pod["metadata"], pod["status"].get("phase")
    path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
    if "deletionTimestamp" in meta:
        cluster.ask("DELETE", path, {"gracePeriodSeconds": 0})
    elif "nodeName" in pod["spec"] and phase == "Pending":
        is_job = any(owner["kind"] == "Job" for owner in meta.get("ownerReferences", []))
        phase = "Running" if not is_job else "Failed" if run(pod) else "Succeeded"
        status = _status(pod, phase)
        cluster.ask("PATCH", f"{path}/status", {"status": status}, kind="merge-patch+json")


def _status(pod: dict[str, Any], phase: str) -> dict[str, Any]:
    moment = _now()[:19] + "Z"
    state: dict[str, Any] = {"running": {"startedAt": moment}}
    if phase != "Running":
        code = int(phase == "Failed")
        state = {"terminated": {"exitCode": code, "finishedAt": moment, "startedAt": moment}}
    ready = "True" if phase == "Running" else "False"
    conditions = [
        {"type": kind, "status": ready, "lastTransitionTime": moment}
        for kind in ("Ready", "ContainersReady")
    ]
    containers = [
        {
            "name": one["name"],
            "image": one["image"],
            "imageID": one["image"],
            "ready": phase == "Running",
            "restartCount": 0,
            "state": state,
        }
        for one in pod["spec"]["containers"]
    ]
    conditions += [
        one for one in pod["status"].get("conditions", []) if one["type"] == "PodScheduled"
    ]
    address = "127.1.{}.{}".format(*divmod(next(_NUMBER), 256))
    return {
        "phase": phase,
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": moment,
        "conditions": conditions,
        "containerStatuses": containers,
    }
