"""`quoth watch`: what the stages of a running `quoth up` take, in the terminal, without a collector."""

import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import httpx
import typer
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from rich.live import Live
from rich.table import Table

from deploy.cli.output import NOT_RUNNING, WRONG_USE, Output, printable
from deploy.local.processes import list_processes
from deploy.local.settings import LocalSettings
from libs.settings import SettingsError, load_settings
from libs.telemetry.readers import EXPORTERS, PORT

_KINDS = {
    "http_server_request_duration_seconds": ("request", "http_route"),
    "rpc_server_call_duration_seconds": ("call", "rpc_method"),
    "quoth_stage_duration_seconds": ("stage", "quoth_stage"),
}
_ALLOWED = "quoth_stage_allowed_seconds_sum"
_TIMEOUT_S = 2.0
_SILENT = (
    f"Nothing is measured here: start with {EXPORTERS}=prometheus quoth up, and watch with the same "
    "settings"
)

Every = Annotated[float, typer.Option(help="Seconds between two looks.", min=0.5, max=60.0)]
Looks = Annotated[int, typer.Option(help="Looks after which to end; 0: none.", min=0)]


@dataclass
class Times:
    """How long something took: how often below each bound in seconds, and how often it ended badly.

    `allowed_s` is what all of them together were allowed, nan of what has no budget of its own.
    """

    below: dict[float, float] = field(default_factory=dict)
    bad: float = 0.0
    allowed_s: float = math.nan

    @property
    def count(self) -> float:
        return self.below.get(math.inf, 0.0)

    def since(self, earlier: "Times") -> "Times":
        below = {bound: count - earlier.below.get(bound, 0) for bound, count in self.below.items()}
        before_s = 0.0 if math.isnan(earlier.allowed_s) else earlier.allowed_s
        return Times(below, self.bad - earlier.bad, self.allowed_s - before_s)

    @property
    def allowed_ms(self) -> float:
        """What one was allowed, on the mean."""
        return 1e3 * self.allowed_s / self.count if self.count else math.nan

    def quantile_ms(self, share: float) -> float:
        """Return what this share took less than, as far as the bounds tell; nan of nothing."""
        wanted, lower, before = share * self.count, 0.0, 0.0
        for bound, count in sorted(self.below.items()):
            if count > before and count >= wanted:
                inside = (wanted - before) / (count - before)
                return 1e3 * (lower if bound == math.inf else lower + (bound - lower) * inside)
            lower, before = bound, count
        return math.nan


Look = Mapping[tuple[str, str], Times]
"""Times by what is timed, "request", "call" or "stage", and its name."""


def watch(every: Every = 2.0, looks: Looks = 0) -> None:
    """Show what requests, calls and stages of `quoth up` on this machine take, until Ctrl-C.

    It has to run with OTEL_METRICS_EXPORTER=prometheus.
    """
    output = Output(as_json=False)
    try:
        settings = load_settings(LocalSettings, {**os.environ, EXPORTERS: "prometheus"})
    except SettingsError as error:
        output.fail(str(error), WRONG_USE)
    ports = [one.environment[PORT] for one in list_processes(settings) if not one.is_store]
    urls = [f"http://127.0.0.1:{port}/metrics" for port in ports]
    try:
        with httpx.Client(timeout=_TIMEOUT_S, trust_env=False) as client:
            _show(client, urls, every, looks)
    except httpx.TransportError:
        output.fail(_SILENT, NOT_RUNNING)
    except KeyboardInterrupt:
        return


def _show(client: httpx.Client, urls: Sequence[str], every: float, looks: int) -> None:
    before, count = _look(client, urls), 0
    with Live(make_table(before, every), auto_refresh=False) as live:
        while not looks or count < looks:
            time.sleep(every)
            now, count = _look(client, urls), count + 1
            gone = {name: times.since(before.get(name, Times())) for name, times in now.items()}
            live.update(make_table(gone, every), refresh=True)
            before = now


def _look(client: httpx.Client, urls: Sequence[str]) -> Look:
    return read_metrics([client.get(url).text for url in urls])


def read_metrics(texts: Sequence[str]) -> Look:
    """Read what processes serve to whoever scrapes them."""
    found: dict[tuple[str, str], Times] = {}
    families = [one for text in texts for one in text_string_to_metric_families(text)]
    for name, labels, count in _buckets(families):
        times = found.setdefault(name, Times())
        bound = float(labels["le"])
        times.below[bound] = times.below.get(bound, 0.0) + count
        if bound == math.inf and _ended_badly(labels):
            times.bad += count
    for sample in (sample for family in families for sample in family.samples):
        if sample.name == _ALLOWED and (stage := ("stage", sample.labels["quoth_stage"])) in found:
            before_s = found[stage].allowed_s
            found[stage].allowed_s = sample.value + (0.0 if math.isnan(before_s) else before_s)
    return found


def _buckets(families: Iterable[Metric]) -> Iterator[tuple[tuple[str, str], dict[str, str], float]]:
    for family in families:
        kind, label = _KINDS.get(family.name, ("", ""))
        for sample in family.samples:
            if kind and sample.name.endswith("_bucket") and label in sample.labels:
                name = sample.labels[label].rpartition(".")[2] if kind == "call" else ""
                yield (kind, name or sample.labels[label]), sample.labels, sample.value


def _ended_badly(labels: Mapping[str, str]) -> bool:
    outcome = labels.get("quoth_budget_outcome", "ok")
    return bool(labels.get("error_type")) or outcome != "ok"


def make_table(gone: Look, every: float) -> Table:
    """Return a table of what went on in the last `every` seconds."""
    table = Table("", "what", "a second", "p50 ms", "p95 ms", "not well", "allowed ms", box=None)
    for (kind, name), times in sorted(gone.items()):
        quantiles = (times.quantile_ms(0.5), times.quantile_ms(0.95))
        table.add_row(
            kind,
            printable(name),
            f"{times.count / every:.1f}",
            *("–" if math.isnan(ms) else f"{ms:.0f}" for ms in quantiles),
            f"{times.bad:.0f}" if times.bad else "",
            "" if math.isnan(times.allowed_ms) else f"{times.allowed_ms:.0f}",
        )
    return table
