"""A real API server takes every object of the chart, under PodSecurity's `restricted`.

Skipped where etcd and kube-apiserver are not: deploy/kubernetes/README.md says how to have them.
"""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import yaml

from tests.support.control_plane import STORE, ControlPlane, control_plane, missing
from tests.support.render_chart import CHART

PROFILES = ("small", "team", "large")
# Their objects need types that other projects bring: KEDA's and the Gateway API's.
OPTIONS: dict[str, Any] = {
    "migrations": {"enabled": False},  # would be waited for, and nothing runs it here
    "vacuum": {"books": ["physical-ai"]},
    "tools": {"secretEnv": {"QUOTH_KEY": {"name": "operator", "key": "key"}}},
    "archive": {"place": "s3://records/books"},
    "backup": {"place": "/backups", "claim": "backups"},
    "hosts": ["books.example.org"],
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "books-tls"},
    "telemetry": {"endpoint": "http://collector:4317", "prometheus": {"enabled": True}},
}
ABSENT = missing(*STORE)
pytestmark = [
    pytest.mark.skipif(bool(ABSENT), reason=f"not on this machine: {', '.join(ABSENT)}"),
    pytest.mark.timeout(1200),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with control_plane(tmp_path_factory.mktemp("control-plane")) as running:
        yield running


def install(cluster: ControlPlane, namespace: str, profile: str, **more: Any) -> None:
    """Install a profile with every option in a new namespace."""
    cluster.add_namespace(namespace)
    values = yaml.safe_load((CHART / "profiles" / f"{profile}.yaml").read_text("utf-8"))
    whole = {**OPTIONS, **values, **more}
    cluster.helm("install", namespace, chart=str(CHART), name="books", values=whole)


def templates(cluster: ControlPlane, namespace: str) -> Iterator[dict[str, Any]]:
    """What the pods of a namespace are made from, as the API has it."""
    for one in cluster.ask("GET", f"/apis/apps/v1/namespaces/{namespace}/deployments")["items"]:
        yield one["spec"]["template"]
    for one in cluster.ask("GET", f"/apis/batch/v1/namespaces/{namespace}/cronjobs")["items"]:
        yield one["spec"]["jobTemplate"]["spec"]["template"]


def make_pod(cluster: ControlPlane, namespace: str, template: dict[str, Any]) -> None:
    meta = {"generateName": "tried-", "labels": template["metadata"].get("labels", {})}
    path = f"/api/v1/namespaces/{namespace}/pods"
    cluster.ask("POST", path, {"metadata": meta, "spec": template["spec"]})


@pytest.mark.control("V21")
@pytest.mark.parametrize("profile", PROFILES)
def test_every_object_of_a_profile_is_admitted_and_every_pod_where_they_must_be_restricted(
    cluster: ControlPlane, profile: str
) -> None:
    namespace = f"books-{profile}"
    install(cluster, namespace, profile)
    # A controller makes it elsewhere.
    account = {"metadata": {"name": "default"}}
    cluster.ask("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", account)
    made = list(templates(cluster, namespace))
    for template in made:
        make_pod(cluster, namespace, template)
    assert len(made) == 7

    looser = made[0]
    looser["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True
    with pytest.raises(httpx.HTTPStatusError, match="violates PodSecurity"):
        make_pod(cluster, namespace, looser)


def test_autoscalers_are_kept_with_the_metrics_they_name(cluster: ControlPlane) -> None:
    # Beside the one of before, whose PriorityClasses are of the same cluster.
    install(cluster, "scaled", "large")
    path = "/apis/autoscaling/v2/namespaces/scaled/horizontalpodautoscalers"
    scalers = cluster.ask("GET", path)["items"]
    assert len(scalers) == 4
    named = {
        metric[kind]["metric"]["name"]
        for one in scalers
        for metric in one["spec"]["metrics"]
        if (kind := metric["type"].lower()) != "resource"
    }
    assert named == {
        "quoth_calls_in_flight",
        "quoth_requests_in_flight",
        "quoth_ingest_jobs_waiting",
    }
