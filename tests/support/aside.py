"""Services beside a running stack, told something else: another model, a collector of telemetry.

    with aside(stack, "generation", GENERATION_ANSWERER="openai") as generation:
        with aside(stack, "gateway", GATEWAY_GENERATION=generation) as url: …

They share the stack's stores and its other services, and end with the block.
"""

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import grpc
import httpx
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1 import trace_pb2
from typing_extensions import override

from tests.support.ports import free_ports
from tests.support.scripted_model import Script, ScriptedModel, scripted_model
from tests.support.stack import CHECKOUT, RunningStack, eventually, is_ready

MODEL_KEY = "a-key-that-must-not-leak"


@contextmanager
def aside(stack: RunningStack, name: str, **environment: str) -> Iterator[str]:
    """Run one more process of a service; yields its address, a URL for the gateway."""
    with aside_process(stack, name, None, **environment) as (_, address):
        yield address


@contextmanager
def aside_process(
    stack: RunningStack,
    name: str,
    stderr: IO[bytes] | None = None,
    within: Sequence[str] = (),
    **environment: str,
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The same with the process, which may be killed or stopped meanwhile; `stderr` gets its log.

    `within` is what stands before the command: how it is run somewhere else.
    """
    inherited = environment_of(stack, name)
    listen = {
        "QUOTH_PORT": str(free_ports(1)),
        f"{name.upper()}_LISTEN": "127.0.0.1:0",
    }
    process = subprocess.Popen(
        [*within, sys.executable, "-m", f"services.{name}"],
        cwd=CHECKOUT,
        env={**inherited, **listen, **environment},
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )
    assert process.stdout is not None
    try:
        word, _, address = process.stdout.readline().strip().partition(" ")
        assert word == "ready"
        yield process, address
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(30)
        process.stdout.close()


def environment_of(stack: RunningStack, name: str) -> dict[str, str]:
    """Return what a process of the stack was told."""
    own = Path(f"/proc/{stack.pid(name)}/environ").read_bytes().split(b"\0")
    return dict(item.decode().split("=", 1) for item in own if b"=" in item)


@contextmanager
def asking_model(
    stack: RunningStack, *scripts: Script, stderr: IO[bytes] | None = None, **environment: str
) -> Iterator[tuple[str, ScriptedModel, "subprocess.Popen[str]"]]:
    """Run a generation service that asks a scripted model, and a gateway in front of it.

    Yields the gateway's URL, the model and the process that asks it.
    """
    with model_in_thread(*scripts) as model:
        settings = {
            "GENERATION_ANSWERER": "openai",
            "GENERATION_MODEL_URL": model.url,
            "GENERATION_MODEL_KEY": MODEL_KEY,
            **environment,
        }
        with (
            aside_process(stack, "generation", stderr=stderr, **settings) as (process, generation),
            aside_process(
                stack, "gateway", stderr=stderr, GATEWAY_GENERATION=generation, **environment
            ) as (_, url),
        ):
            # It listens before it has reached the others.
            eventually(lambda: is_ready(url), "the gateway is not ready")
            yield url, model, process


@contextmanager
def model_in_thread(*scripts: Script) -> Iterator[ScriptedModel]:
    """Run a scripted model until the block ends."""
    ready, done, serving = threading.Event(), threading.Event(), []

    async def serve() -> None:
        async with scripted_model(*scripts) as model:
            serving.append(model)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(30)
        yield serving[0]
    finally:
        done.set()
        thread.join()


@contextmanager
def gateway_with_model(stack: RunningStack, *scripts: Script) -> Iterator[str]:
    """The same, with the gateway's URL alone."""
    with asking_model(stack, *scripts) as (url, _, _):
        yield url


def post(url: str, book: str, question: str, **options: Any) -> httpx.Response:
    return httpx.post(
        f"{url}/v1/books/{book}/answers",
        json={"question": question},
        timeout=30,
        trust_env=False,
        **options,
    )


def events(response: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of a stream that has ended: name and data."""
    found = []
    for block in response.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


@dataclass
class MetricsCollector(metrics_service_pb2_grpc.MetricsServiceServicer):
    """The metrics beside it: by service and name, the attributes of each series."""

    series: dict[str, dict[str, list[dict[str, str]]]] = field(default_factory=dict)

    @override
    def Export(self, request: Any, context: grpc.ServicerContext) -> Any:
        for resource in request.resource_metrics:
            service = _values(resource.resource.attributes)["service.name"]
            for metric in (one for scope in resource.scope_metrics for one in scope.metrics):
                points = getattr(metric, metric.WhichOneof("data")).data_points
                found = [_values(point.attributes) for point in points]
                self.series.setdefault(service, {})[metric.name] = found
        return metrics_service_pb2.ExportMetricsServiceResponse()


def _values(attributes: Any) -> dict[str, str]:
    return {item.key: item.value.string_value or str(item.value.int_value) for item in attributes}


@dataclass
class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """What an OpenTelemetry collector would get."""

    address: str = ""
    spans: list[trace_pb2.Span] = field(default_factory=list)
    metrics: MetricsCollector = field(default_factory=MetricsCollector)

    @override
    def Export(self, request: Any, context: grpc.ServicerContext) -> Any:
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                self.spans.extend(scope.spans)
        return trace_service_pb2.ExportTraceServiceResponse()


@contextmanager
def collector() -> Iterator[Collector]:
    server = grpc.server(ThreadPoolExecutor(2))
    collecting = Collector()
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collecting, server)
    metrics_service_pb2_grpc.add_MetricsServiceServicer_to_server(collecting.metrics, server)
    collecting.address = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield collecting
    finally:
        server.stop(None).wait()


@contextmanager
def everything_aside(stack: RunningStack, **environment: str) -> Iterator[str]:
    """Run retrieval, generation and gateway once more, all told the same; yields the URL."""
    with contextlib.ExitStack() as opened:
        retrieval = opened.enter_context(aside(stack, "retrieval", **environment))
        generation = opened.enter_context(
            aside(stack, "generation", GENERATION_RETRIEVAL=retrieval, **environment)
        )
        yield opened.enter_context(
            aside(
                stack,
                "gateway",
                GATEWAY_RETRIEVAL=retrieval,
                GATEWAY_GENERATION=generation,
                **environment,
            )
        )
