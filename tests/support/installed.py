"""The chart, installed in a namespace of a control plane on this machine."""

from typing import Any

import httpx
import yaml

from tests.support.control_plane import ControlPlane, until
from tests.support.render_chart import CHART

SERVICES = ("gateway", "ingest", "retrieval", "generation")
MERGE = "merge-patch+json"


class Installed:
    """The chart in a namespace of its own, ready."""

    def __init__(self, cluster: ControlPlane, namespace: str) -> None:
        self.cluster, self.namespace = cluster, namespace
        self._apps = f"/apis/apps/v1/namespaces/{namespace}/deployments"

    def install(self, profile: str, **values: Any) -> None:
        self.cluster.add_namespace(self.namespace)
        whole = yaml.safe_load((CHART / "profiles" / f"{profile}.yaml").read_text("utf-8"))
        whole = {**whole, **values}
        self.cluster.helm("install", self.namespace, chart=str(CHART), name="books", values=whole)
        until(self.is_ready, f"{profile} is ready")

    def is_ready(self) -> bool:
        return all(
            one["status"].get("observedGeneration") == one["metadata"]["generation"]
            and one["status"].get("updatedReplicas", 0)
            == one["status"].get("readyReplicas", 0)
            == one["status"].get("replicas", 0)
            == one["spec"]["replicas"]
            for one in self.cluster.ask("GET", self._apps)["items"]
        )

    def ready(self, service: str) -> int:
        found = self.cluster.ask("GET", f"{self._apps}/books-{service}")
        return int(found["status"].get("readyReplicas", 0))

    def scale(self, service: str, count: int) -> None:
        path = f"{self._apps}/books-{service}/scale"
        self.cluster.ask("PATCH", path, {"spec": {"replicas": count}}, kind=MERGE)

    def pods(self, service: str = "") -> list[Any]:
        found = self.cluster.ask("GET", f"/api/v1/namespaces/{self.namespace}/pods")["items"]
        return [
            one
            for one in found
            if one["metadata"]["labels"]["app.kubernetes.io/component"]
            in ((service,) if service else SERVICES)
            and "deletionTimestamp" not in one["metadata"]
        ]

    def versions(self) -> set[str]:
        containers = [one["spec"]["containers"][0] for one in self.pods()]
        return {one["image"].rpartition(":")[2] for one in containers}

    def states(self, condition: str) -> set[str]:
        """What the autoscalers say of a condition of theirs."""
        path = f"/apis/autoscaling/v2/namespaces/{self.namespace}/horizontalpodautoscalers"
        return {
            state["status"]
            for one in self.cluster.ask("GET", path)["items"]
            for state in one["status"].get("conditions", [])
            if state["type"] == condition
        }

    def evict(self, pod: Any) -> bool:
        """Ask for a pod to go, as `kubectl drain` does; False where its budget forbids it now."""
        meta = {"name": pod["metadata"]["name"], "namespace": self.namespace}
        path = f"/api/v1/namespaces/{self.namespace}/pods/{meta['name']}/eviction"
        asked = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": meta}
        try:
            self.cluster.ask("POST", path, asked)
        except httpx.HTTPStatusError as error:
            if error.response.status_code == 429:
                return False
            raise
        return True
