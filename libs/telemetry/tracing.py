"""Spans of stages and calls, and the trace context that travels with each call.

The context is passed by hand in the metadata: the stock gRPC instrumentation more than doubles the
CPU of a small call.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

_PROPAGATOR = TraceContextTextMapPropagator()
_PARENT = "traceparent"

_provider: TracerProvider | None = None
"""None while spans go nowhere: spans that nobody records still cost 50 us each."""


def set_up_tracing(service: str, environment: Mapping[str, str]) -> None:
    """Export spans over OTLP when the standard variables ask for it; stay silent otherwise."""
    asked = environment.get("OTEL_EXPORTER_OTLP_ENDPOINT") or environment.get(
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    )
    if not asked or environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return
    if environment.get("OTEL_TRACES_EXPORTER", "otlp") != "otlp":
        return
    # Imported here: it takes 0.1 s that a laptop without a collector need not spend.
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (  # noqa: PLC0415
        OTLPSpanExporter,
    )

    global _provider  # noqa: PLW0603 - one for the process, as OpenTelemetry's own is
    provider = TracerProvider(resource=Resource.create({"service.name": f"quoth-{service}"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    _provider = provider


def shut_down_tracing() -> None:
    """Send what is waiting, if tracing is on."""
    if _provider is not None:
        _provider.shutdown()


class StageSpan:
    """The span of a stage, current from its making until it is closed."""

    def __init__(self, name: str) -> None:
        self._manager = _begin(name)
        self._span = self._manager.__enter__()

    def close(self, attributes: Mapping[str, AttributeValue], error: BaseException | None) -> None:
        """End the span; what `error` says of the stage is written into it."""
        self._span.set_attributes(attributes)
        self._manager.__exit__(type(error) if error else None, error, None)


def open_stage_span(name: str) -> StageSpan | None:
    """Begin the span of a stage; None while nothing is traced."""
    return StageSpan(name) if _provider else None


@contextmanager
def stage_span(name: str) -> Iterator[Span]:
    if _provider is None:
        yield trace.INVALID_SPAN
        return
    with _begin(name) as span:
        yield span


def server_span(name: str, carrier: Mapping[str, str]) -> AbstractContextManager[Span]:
    """Open the span of a request that came in, below the caller's span named in `carrier`.

    While nothing is traced here, the caller's context is still passed on.
    """
    if _provider is None and _PARENT not in carrier:
        return nullcontext(trace.INVALID_SPAN)
    return _begin(name, _PROPAGATOR.extract(dict(carrier)), SpanKind.SERVER)


def _begin(
    name: str, context: Context | None = None, kind: SpanKind = SpanKind.INTERNAL
) -> AbstractContextManager[Span]:
    # What is recorded of an error has those behind it as well, in a provider's words: they may hold a
    # key. Its status has the error alone.
    return trace.get_tracer("quoth").start_as_current_span(
        name, context=context, kind=kind, record_exception=False
    )


def outgoing_context() -> dict[str, str]:
    """Return the trace context of the current span, to be sent along with a call."""
    if trace.get_current_span() is trace.INVALID_SPAN:
        return {}
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier
