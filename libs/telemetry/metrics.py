"""Record what a question took and how it ended as OpenTelemetry metrics, where they are on.

Names are those of the semantic conventions for HTTP, RPC and generative AI where there is one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from opentelemetry.metrics import (
    CallbackOptions,
    Counter,
    Histogram,
    Meter,
    MeterProvider,
    Observation,
)
from opentelemetry.sdk.resources import Resource

from libs.telemetry.certificates import read_end
from libs.telemetry.readers import open_readers

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics import MeterProvider as Exporting

_TOKEN_BOUNDS = [4.0**power for power in range(14)]
_SECOND_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0]
_CALL_SECOND_BOUNDS = [
    *(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25),
    *(0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0),
]
"""Those that the conventions ask for."""
_HTTP_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
_MODEL_SECOND_BOUNDS = [0.01 * 2**power for power in range(14)]
_JOB_OUTCOMES = ("done", "failed", "put_back", "let_go")
_SHUT_DOWN_MS = 2000


@dataclass(frozen=True)
class ModelCall:
    """A call of a language model: who serves it, what it took in seconds, tokens and US dollars.

    0 tokens and None dollars are not known; `error` is a kind of libs.errors, "" for success. `purpose`
    is "answer" or "judge"; how long a judge took is not known, as it reads while the draft is written.
    """

    provider: str
    model: str
    duration_s: float | None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    error: str = ""
    purpose: str = "answer"


@dataclass(frozen=True)
class _Instruments:
    """Make the product's instruments with the help of one meter."""

    meter: Meter

    def count(self, name: str, unit: str, description: str) -> Counter:
        return self.meter.create_counter(name, unit=f"{{{unit}}}", description=description)

    def seconds(self, name: str, bounds: Sequence[float], description: str) -> Histogram:
        return self._histogram(name, "s", bounds, description)

    def tokens(self, name: str, bounds: Sequence[float], description: str) -> Histogram:
        return self._histogram(name, "{token}", bounds, description)

    def _histogram(
        self, name: str, unit: str, bounds: Sequence[float], description: str
    ) -> Histogram:
        return self.meter.create_histogram(
            name, unit, description, explicit_bucket_boundaries_advisory=bounds
        )


class Metrics:
    """The instruments of Quoth, made by `provider`."""

    def __init__(self, provider: MeterProvider) -> None:
        make = self._make = _Instruments(provider.get_meter("quoth"))
        self._tokens = make.tokens(
            "gen_ai.client.token.usage", _TOKEN_BOUNDS, "Tokens that a model was given and wrote"
        )
        self._model_seconds = make.seconds(
            "gen_ai.client.operation.duration", _MODEL_SECOND_BOUNDS, "Waiting for a model"
        )
        self._cost = make.count("quoth.model.cost", "USD", "Price of tokens, where it is known")
        self._failures = make.count(
            "quoth.model.failures", "request", "Requests that a provider failed"
        )
        self._retries = make.count("quoth.model.retries", "request", "Requests sent once more")
        self._circuits = make.count(
            "quoth.circuit.changes",
            "change",
            "Times that calls to something were stopped, and let through again",
        )
        self._answers = make.count("quoth.answers", "question", "Questions by how they ended")
        self._withheld = make.count(
            "quoth.sentences.withheld",
            "sentence",
            "Sentences not shown, by the check that they failed",
        )
        self._stage_seconds = make.seconds(
            "quoth.stage.duration", _SECOND_BOUNDS, "What a stage took of a question"
        )
        # Its mean is what is asked for.
        self._stage_allowed = make.seconds(
            "quoth.stage.allowed", [], "What a stage was allowed when it began"
        )
        self._make_for_calls(make)
        self._make_for_background(make)

    def _make_for_calls(self, make: _Instruments) -> None:
        self._rpc_seconds = make.seconds(
            "rpc.server.call.duration", _CALL_SECOND_BOUNDS, "Calls that came in"
        )
        self._http_seconds = make.seconds(
            "http.server.request.duration", _CALL_SECOND_BOUNDS, "Requests that came in"
        )
        self._refused = make.count(
            "quoth.requests.refused",
            "request",
            "Requests whose key was missing, wrong, not enough or used too often",
        )

    def _make_for_background(self, make: _Instruments) -> None:
        self._jobs = make.count("quoth.ingest.jobs", "job", "Attempts of jobs by how they ended")
        self._queued = make.meter.create_gauge(
            "quoth.ingest.queue.jobs", "{job}", "Jobs that wait for a worker"
        )
        self._oldest = make.meter.create_gauge(
            "quoth.ingest.queue.age", "s", "How long the oldest of them has waited"
        )
        self._backup = make.meter.create_gauge(
            "quoth.backup.age", "s", "Since the last backup, or since the first that failed"
        )
        self._upkeep = make.count(
            "quoth.audit.upkeep", "piece", "What the upkeep of the record of answers did"
        )

        self._partitions = make.meter.create_gauge(
            "quoth.audit.partitions.left", "s", "Until the last partition of the record ends"
        )

    def watch_certificates(self, files: Mapping[str, Path]) -> None:
        """Say of each certificate's file for how long it is valid, as it is at that moment."""

        def left(_: CallbackOptions) -> Iterator[Observation]:
            for name, path in files.items():
                try:
                    left_s = (read_end(path.read_text("ascii")) - datetime.now(UTC)).total_seconds()
                except (OSError, ValueError):
                    left_s = 0.0  # what can't be read is no certificate to anybody
                yield Observation(left_s, {"quoth.certificate": name})

        make = self._make
        make.meter.create_observable_gauge(
            "quoth.certificate.left", [left], "s", "Until a certificate is no longer valid"
        )

    def measure_partitions(self, left_s: float) -> None:
        """Record for how long there are partitions of the record of answers."""
        self._partitions.set(left_s)

    def measure_rpc(self, method: str, code: str, error: str, took_s: float) -> None:
        """Record a call that came in: its status, and the kind of its error, "" for success."""
        attributes = {
            "rpc.system.name": "grpc",
            "rpc.method": method,
            "rpc.response.status_code": code,
        }
        failed = {"error.type": error} if error else {}
        self._rpc_seconds.record(took_s, {**attributes, **failed})

    def measure_request(
        self, method: str, route: str, status: int, took_s: float, failed: int = 0
    ) -> None:
        """Record a request that came in; `route` is "" where none fits, `status` 0 without answer.

        `failed` is the status of what broke a stream off, whose own was sent long before.
        """
        # A client may send any word as its method, and each would be a series of its own.
        attributes: dict[str, str | int] = {
            "http.request.method": method if method in _HTTP_METHODS else "_OTHER",
            "url.scheme": "http",
        }
        if route:
            attributes["http.route"] = route
        if status:
            attributes["http.response.status_code"] = status
        if max(status, failed) >= 500 or not status:
            attributes["error.type"] = str(failed or status or "cancelled")
        self._http_seconds.record(took_s, attributes)

    def count_refused_request(self, reason: str) -> None:
        """Count a request that its key did not let in; `reason` is the kind of the error."""
        self._refused.add(1, {"error.type": reason})

    def count_job(self, outcome: str) -> None:
        """Count an attempt: "done", "failed" for good, "put_back" to be tried again, "let_go"."""
        self._jobs.add(1, {"quoth.outcome": outcome})

    def begin_jobs(self) -> None:
        """Let every end of a job be known as one that has not been: else the first is no increase."""
        for outcome in _JOB_OUTCOMES:
            self._jobs.add(0, {"quoth.outcome": outcome})

    def measure_queue(self, jobs: int, oldest_s: float) -> None:
        """Record how many jobs of all replicas wait, and how long the oldest has; 0 for none."""
        self._queued.set(jobs)
        self._oldest.set(oldest_s)

    def measure_backup(self, age_s: float) -> None:
        """Record the seconds since the last backup, or since one was tried where none was made."""
        self._backup.set(age_s)

    def count_upkeep(self, work: str, pieces: int) -> None:
        """Count rows, days or months that the record of answers' upkeep was at; `work` says which."""
        self._upkeep.add(pieces, {"quoth.work": work})

    def count_answer(self, outcome: str, profile: str, confidence: str) -> None:
        """Count a question; `outcome` is "answered", a refusal's code or an error's kind.

        `confidence` is the level that the answer has, "none" where there is no answer.
        """
        self._answers.add(
            1,
            {
                "quoth.outcome": outcome,
                "quoth.profile": profile,
                "quoth.confidence": confidence,
            },
        )

    def count_withheld(self, check: str) -> None:
        self._withheld.add(1, {"quoth.check": check})

    def measure_stage(self, stage: str, outcome: str, took_s: float, allowed_s: float) -> None:
        attributes = {"quoth.stage": stage, "quoth.budget.outcome": outcome}
        self._stage_seconds.record(took_s, attributes)
        self._stage_allowed.record(allowed_s, attributes)

    def measure_call(self, call: ModelCall) -> None:
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": call.provider,
            "gen_ai.request.model": call.model,
            "quoth.purpose": call.purpose,
        }
        for kind, tokens in (("input", call.input_tokens), ("output", call.output_tokens)):
            if tokens:
                self._tokens.record(tokens, {**attributes, "gen_ai.token.type": kind})
        if call.cost_usd is not None:
            self._cost.add(call.cost_usd, attributes)
        if call.duration_s is not None:
            failed = {"error.type": call.error} if call.error else {}
            self._model_seconds.record(call.duration_s, {**attributes, **failed})

    def count_failure(self, provider: str, error: str) -> None:
        """Count a request that failed; `error` is the name of the SDK's exception."""
        self._failures.add(1, {"gen_ai.provider.name": provider, "error.type": error})

    def count_retry(self, provider: str) -> None:
        self._retries.add(1, {"gen_ai.provider.name": provider})

    def begin_circuit(self, name: str) -> None:
        """Let `name` be known as a circuit that never opened: else its first is no increase."""
        self._circuits.add(0, {"quoth.circuit": name, "quoth.circuit.state": "open"})

    def count_circuit(self, name: str, state: str) -> None:
        """Count that the circuit to `name` is now "open" (calls are stopped) or "closed"."""
        self._circuits.add(1, {"quoth.circuit": name, "quoth.circuit.state": state})


class _Chosen:
    """What this process records into: nothing until it is told."""

    metrics: Metrics | None = None
    provider: "Exporting | None" = None
    close: Callable[[], None] = staticmethod(lambda: None)


def current_metrics() -> Metrics | None:
    """Return where to record; None while nobody asked for metrics."""
    return _Chosen.metrics


def count_upkeep(work: str, pieces: int = 1) -> None:
    """Count work on the record of answers, when metrics are on."""
    if (metrics := current_metrics()) is not None:
        metrics.count_upkeep(work, pieces)


def watch_certificates(files: Mapping[str, Path | None]) -> None:
    """Say of the certificates at these files when they end, when metrics are on; of None nothing."""
    given = {name: path for name, path in files.items() if path is not None}
    if given and (metrics := current_metrics()) is not None:
        metrics.watch_certificates(given)


def measure_partitions(left_s: float) -> None:
    """Record for how long there are partitions of the record, when metrics are on."""
    if (metrics := current_metrics()) is not None:
        metrics.measure_partitions(left_s)


def use_metrics(metrics: Metrics | None) -> None:
    """Record into `metrics` from now on; into nothing for None."""
    _Chosen.metrics = metrics


def set_up_metrics(service: str, environment: Mapping[str, str]) -> None:
    """Measure when the standard variables ask for it; stay silent otherwise.

    Raises SettingsError for an address that can't be listened at.
    """
    opened = open_readers(environment)
    if not opened.readers:
        return
    from opentelemetry.sdk.metrics import MeterProvider as Exporting  # noqa: PLC0415 - takes 0.3 s

    resource = Resource.create({"service.name": f"quoth-{service}"})
    _Chosen.provider = Exporting(opened.readers, resource=resource, shutdown_on_exit=False)
    _Chosen.close = opened.close
    use_metrics(Metrics(_Chosen.provider))


def shut_down_metrics() -> None:
    """Send what is waiting, if metrics are on."""
    if _Chosen.provider is not None:
        _Chosen.close()
        _Chosen.provider.shutdown(_SHUT_DOWN_MS)
    _Chosen.provider = _Chosen.metrics = None
