"""OpenTelemetry's own Collector, run with `deploy/monitoring/collector.yaml`.

Its contrib distribution is found as `otelcol-contrib`, or as QUOTH_COLLECTOR names it.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import yaml

from tests.support.ports import free_ports

FILE = Path(__file__).parents[2] / "deploy" / "monitoring" / "collector.yaml"
COLLECTOR = shutil.which(os.environ.get("QUOTH_COLLECTOR", "otelcol-contrib")) or ""
START_S = 120.0
DECIDED_S = 2


def told(traces: str, metrics: str) -> dict[str, str]:
    return {
        **os.environ,
        "TRACES_ENDPOINT": traces,
        "TRACES_INSECURE": "true",
        "PROMETHEUS_URL": metrics,
    }


@contextmanager
def running_collector(folder: Path, traces: str, metrics: str) -> Iterator[str]:
    """Run it at a free port of loopback, deciding sooner; yields its address."""
    address = f"127.0.0.1:{free_ports(1)}"
    changed = folder / "changed.yaml"
    receivers = {"otlp": {"protocols": {"grpc": {"endpoint": address}}}}
    processors = {"tail_sampling": {"decision_wait": f"{DECIDED_S}s"}}
    service = {"telemetry": {"metrics": {"level": "none"}}}
    changed.write_text(
        yaml.safe_dump({"receivers": receivers, "processors": processors, "service": service})
    )
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            [COLLECTOR, f"--config={FILE}", f"--config={changed}"],
            env=told(traces, metrics),
            stderr=log,
        ) as process,
    ):
        try:
            with grpc.insecure_channel(address) as channel:
                grpc.channel_ready_future(channel).result(START_S)
            yield address
        finally:
            process.terminate()
