"""`quoth watch`: what the stages of a running `quoth up` take, in the terminal, without a collector."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import sleep
from typing import Annotated

import httpx
import typer
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from rich.console import Console
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
        if self.count < earlier.count:  # the process has started anew
            return self
        below = {bound: count - earlier.below.get(bound, 0) for bound, count in self.below.items()}
        before_s = 0.0 if math.isnan(earlier.allowed_s) else earlier.allowed_s
        return Times(below, self.bad - earlier.bad, self.allowed_s - before_s)

    @property
    def allowed_ms(self) -> float:
        """What one was allowed, on the mean."""
        return 1e3 * self.allowed_s / self.count if self.count else math.nan

    def add(self, more: "Times") -> None:
        for bound, count in more.below.items():
            self.below[bound] = self.below.get(bound, 0.0) + count
        self.bad += more.bad
        if not math.isnan(more.allowed_s):
            before_s = 0.0 if math.isnan(self.allowed_s) else self.allowed_s
            self.allowed_s = before_s + more.allowed_s

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
    processes = [one for one in list_processes(settings) if not one.is_store]
    ports = {one.name: one.environment[PORT] for one in processes}
    named = {f"http://127.0.0.1:{port}/metrics": name for name, port in ports.items()}
    try:
        with httpx.Client(timeout=_TIMEOUT_S, trust_env=False) as client:
            if not _show(client, named, every, looks):
                output.fail(_SILENT, NOT_RUNNING)
    except KeyboardInterrupt:
        return


def _show(client: httpx.Client, named: Mapping[str, str], every: float, looks: int) -> bool:
    """Show the processes that are `named` by where they answer; say whether one did."""
    before, count = _look(client, named), 0
    if not before:
        return False
    with _shown(make_table({}, every)) as update:
        while not looks or count < looks:
            sleep(every)
            now, count = _look(client, named), count + 1
            silent = [name for url, name in named.items() if url not in now]
            update(make_table(find_gone(before, now), every, silent))
            # Of a process that misses a look the next one shows what went on since the last.
            before |= now
    return True


@contextmanager
def _shown(first: Table) -> Iterator[Callable[[Table], None]]:
    """Yield what shows a table in the place of the one before; in a pipe or a file, below it."""
    console = Console()
    if not console.is_terminal:
        yield console.print
        return
    with Live(first, console=console, auto_refresh=False) as live:
        yield lambda table: live.update(table, refresh=True)


def _look(client: httpx.Client, named: Mapping[str, str]) -> dict[str, Look]:
    """Look at each process; one that is busy, stops or starts does not answer, and is left out."""
    found = {}
    for url in named:
        with suppress(httpx.TransportError):
            found[url] = read_metrics(client.get(url).text)
    return found


def find_gone(before: Mapping[str, Look], now: Mapping[str, Look]) -> Look:
    """Return what went on between two looks, of all processes together."""
    gone: dict[tuple[str, str], Times] = {}
    for url, look in now.items():
        earlier = before.get(url, look)
        for name, times in look.items():
            gone.setdefault(name, Times()).add(times.since(earlier.get(name, Times())))
    return gone


def read_metrics(text: str) -> Look:
    """Read what a process serves to whoever scrapes it."""
    found: dict[tuple[str, str], Times] = {}
    families = list(text_string_to_metric_families(text))
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


def make_table(gone: Look, every: float, silent: Sequence[str] = ()) -> Table:
    """Return a table of what went on in the last `every` seconds, and of who did not answer."""
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
    for name in silent:
        table.add_row("process", printable(name), "", "", "", "no answer")
    return table
