"""A Prometheus on this machine, for what it makes of the product's figures.

    with prometheus(folder, {"scrape_configs": […], "rule_files": […]}) as figures:
        figures.ask("sum(quoth_answers_total)")

Found as `prometheus` (Debian: prometheus), or as QUOTH_PROMETHEUS names it.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.support.ports import free_ports
from tests.support.stack import eventually

PROGRAM = shutil.which(os.environ.get("QUOTH_PROMETHEUS", "prometheus")) or ""
START_S = 180.0


@dataclass(frozen=True)
class Prometheus:
    url: str

    def ask(self, query: str) -> list[dict[str, Any]]:
        """Return the series of a query as they are now, each with `metric` and `value`."""
        return list(self._get("query", query=query)["result"])

    def ask_over(self, query: str, start: float, end: float, step_s: float) -> list[dict[str, Any]]:
        """Return the series of a query over a span of time, each with `metric` and `values`."""
        span: dict[str, str | float] = {"query": query, "start": start, "end": end, "step": step_s}
        return list(self._get("query_range", **span)["result"])

    def firing(self) -> set[str]:
        """Return the names of the alerts that fire."""
        alerts = self._get("alerts")["alerts"]
        return {one["labels"]["alertname"] for one in alerts if one["state"] == "firing"}

    def is_ready(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/-/ready", trust_env=False).is_success
        return False

    def _get(self, path: str, **asked: Any) -> Any:
        url = f"{self.url}/api/v1/{path}"
        answer = httpx.get(url, params=asked, timeout=30, trust_env=False)
        answer.raise_for_status()
        return answer.json()["data"]


@contextmanager
def prometheus(folder: Path, config: Mapping[str, Any], *options: str) -> Iterator[Prometheus]:
    """Run it in `folder` at a free port of loopback while the block runs."""
    file = folder / "prometheus.yaml"
    file.write_text(yaml.safe_dump(dict(config)), "utf-8")
    address = f"127.0.0.1:{free_ports(1)}"
    command = [
        *(PROGRAM, f"--config.file={file}", f"--storage.tsdb.path={folder / 'data'}"),
        *(f"--web.listen-address={address}", "--log.level=error", *options),
    ]
    with subprocess.Popen(command) as process:
        running = Prometheus(f"http://{address}")
        try:
            eventually(running.is_ready, "Prometheus is not ready", START_S)
            yield running
        finally:
            process.terminate()
