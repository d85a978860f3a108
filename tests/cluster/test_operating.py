"""What an operator does on a cluster: install, scale, drain a node, upgrade and roll back.

API server, controllers and scheduler are Kubernetes' own, the nodes are simulated. Skipped where the
programs are not: deploy/kubernetes/README.md says how to have them.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.control_plane import (
    CONTROLLERS,
    STORE,
    ControlPlane,
    control_plane,
    missing,
    until,
)
from tests.support.installed import MERGE, SERVICES, Installed
from tests.support.metrics_adapter import metrics_adapter
from tests.support.render_chart import CHART
from tests.support.simulated_nodes import simulated_nodes

ABSENT = missing(*STORE, *CONTROLLERS)
pytestmark = [
    pytest.mark.skipif(bool(ABSENT), reason=f"not on this machine: {', '.join(ABSENT)}"),
    pytest.mark.timeout(1200),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    folder = tmp_path_factory.mktemp("control-plane")
    with control_plane(folder, controllers=True) as running, simulated_nodes(running, 6):
        yield running


def names(pods: list[Any]) -> set[str]:
    return {one["metadata"]["name"] for one in pods}


def test_retrieval_is_scaled_alone_and_its_replicas_lie_on_several_nodes(
    cluster: ControlPlane,
) -> None:
    product = Installed(cluster, "scaling")
    product.install("small", retrieval={"replicas": 2})
    before = {service: names(product.pods(service)) for service in SERVICES}
    product.scale("retrieval", 6)
    until(lambda: product.ready("retrieval") == 6, "six of retrieval")
    assert len({one["spec"]["nodeName"] for one in product.pods("retrieval")}) >= 5
    for service in SERVICES:
        now = names(product.pods(service))
        assert before[service] <= now if service == "retrieval" else before[service] == now


def test_a_drained_node_takes_no_more_than_one_replica_of_a_service_at_a_time(
    cluster: ControlPlane,
) -> None:
    product = Installed(cluster, "draining")
    product.install("team")
    node = product.pods("retrieval")[0]["spec"]["nodeName"]
    where = f"/api/v1/nodes/{node}"
    cluster.ask("PATCH", where, {"spec": {"unschedulable": True}}, kind=MERGE)
    try:

        def drained() -> bool:
            for service in ("gateway", "retrieval", "generation"):
                assert product.ready(service) >= 1
            left = [one for one in product.pods() if one["spec"].get("nodeName") == node]
            return not [one for one in left if not product.evict(one)] and not left

        until(drained, "the node is empty")
        until(product.is_ready, "all are back on other nodes")
    finally:
        cluster.ask("PATCH", where, {"spec": {"unschedulable": False}}, kind=MERGE)


def test_a_budget_lets_the_second_replica_go_only_when_the_first_is_replaced(
    cluster: ControlPlane,
) -> None:
    product = Installed(cluster, "budget")
    product.install("small", retrieval={"replicas": 3})
    first, second, _ = product.pods("retrieval")
    nodes = [one["metadata"]["name"] for one in cluster.ask("GET", "/api/v1/nodes")["items"]]
    for stopped in (True, False):
        # Where nothing new can be placed, the first is missed.
        for node in nodes:
            body = {"spec": {"unschedulable": stopped}}
            cluster.ask("PATCH", f"/api/v1/nodes/{node}", body, kind=MERGE)
        if stopped:
            assert product.evict(first)
            assert not product.evict(second)
    until(lambda: product.ready("retrieval") == 3, "three again")
    until(lambda: product.evict(second), "the next may go")


def test_an_upgrade_replaces_all_pods_and_a_rollback_brings_the_former_back(
    cluster: ControlPlane, tmp_path: Path
) -> None:
    product = Installed(cluster, "upgrading")
    product.install("team")
    before = product.versions()
    newer = shutil.copytree(CHART, tmp_path / "quoth")
    chart = yaml.safe_load((newer / "Chart.yaml").read_text("utf-8"))
    chart |= {"version": "9.0.0", "appVersion": "9.0.0"}
    (newer / "Chart.yaml").write_text(yaml.safe_dump(chart), "utf-8")
    cluster.helm("upgrade", "upgrading", chart=str(newer), name="books", reuse_values=True)
    until(lambda: product.versions() == {"9.0.0"} and product.is_ready(), "the new version")
    cluster.helm("rollback", "upgrading", name="books")
    until(lambda: product.versions() == before and product.is_ready(), "the former version")


def test_autoscalers_find_what_the_chart_names_and_follow_it(cluster: ControlPlane) -> None:
    with metrics_adapter(cluster) as adapter:
        adapter.figures = {
            "quoth_calls_in_flight": "8",
            "quoth_requests_in_flight": "1",
            "quoth_ingest_jobs_waiting": "3",
        }
        product = Installed(cluster, "followed")
        ingest = {"autoscaling": {"enabled": True, "maxReplicas": 6}}
        told = {"prometheus": {"enabled": True}}
        product.install("team", autoscaling={"source": "adapter"}, ingest=ingest, telemetry=told)
        # As many as the profile allows, and one for each job that waits.
        until(lambda: product.ready("retrieval") == 4, "more of retrieval", 60)
        until(lambda: product.ready("ingest") == 3, "more of ingest", 60)
        until(lambda: product.states("ScalingActive") == {"True"}, "all autoscalers are active")
        assert {"quoth_calls_in_flight", "quoth_ingest_jobs_waiting"} <= adapter.asked
