"""A vector store that is down or hangs: told at once, not ready, and well again by itself.

D2 of the catalogue, over gRPC and through the gateway, with the engine's own process. No book is
needed: a store that answers says that it has none.
"""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from quoth.retrieval.v1 import retrieval_service_pb2, retrieval_service_pb2_grpc

from libs.budget.stages import RETRIEVAL
from libs.errors import QuothError, Unavailable, WrongIndex
from libs.rpc.channel import open_channel
from libs.rpc.readiness import Readiness
from libs.rpc.server import start_server
from libs.rpc.status import error_from_rpc
from services.gateway.bootstrap import bootstrap as bootstrap_gateway
from services.gateway.clients import HealthClient, RetrievalClient
from services.gateway.server import listen
from services.gateway.server import start_server as start_gateway
from services.gateway.settings import Settings as GatewaySettings
from services.retrieval.bootstrap import bootstrap
from services.retrieval.settings import Settings
from tests.support.engines import QdrantNode, qdrant_node
from tests.support.gateway_fakes import SLUG, FakeBackend
from tests.support.retrieval_fakes import FakeEmbedder, FakeEncoder, open_gate

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class Service:
    """Retrieval as its callers see it."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.channel = channel
        self._retrieval = retrieval_service_pb2_grpc.RetrievalServiceStub(channel)
        self._health: Any = health_pb2_grpc.HealthStub(channel)

    async def ask(self) -> QuothError:
        """Return the error that a question ends in; there is no book to answer it from."""
        request = retrieval_service_pb2.SearchPassagesRequest(
            book="book", edition=1, question="What pressure does it hold?"
        )
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await self._retrieval.SearchPassages(request, timeout=5)
        return error_from_rpc(caught.value, "retrieval")

    async def status(self) -> int:
        response = await self._health.Check(health_pb2.HealthCheckRequest(), timeout=5)
        return int(response.status)

    async def wait_for(self, status: int) -> None:
        """Return when the health service says so, without a question asked meanwhile."""
        watching = self._health.Watch(health_pb2.HealthCheckRequest(), timeout=30)
        async for response in watching:
            if response.status == status:
                watching.cancel()
                return


@asynccontextmanager
async def serving(node: QdrantNode) -> AsyncIterator[Any]:
    readiness = Readiness()
    service = bootstrap(
        Settings(qdrant_url=node.url),
        embedder=FakeEmbedder(),
        encoder=FakeEncoder(),
        answerability=open_gate(),
        readiness=readiness,
    )
    await service.warm()
    running = await start_server("127.0.0.1:0", service.register, RETRIEVAL, readiness=readiness)
    channel = open_channel(f"127.0.0.1:{running.port}")
    try:
        yield Service(channel)
    finally:
        await channel.close()
        await running.stop(0)
        await service.close()


@pytest.mark.fault("D2")
@pytest.mark.invariant("I8")
async def test_a_store_that_is_down_is_told_at_once_and_found_again_without_a_question(
    tmp_path: Path,
) -> None:
    with qdrant_node(tmp_path / "data") as node:
        port = node.port
        async with serving(node) as service:
            assert isinstance(await service.ask(), WrongIndex)
            assert await service.status() == SERVING
            node.kill()
            errors = [await service.ask() for _ in range(5)]
            assert {type(error) for error in errors} == {Unavailable}
            await service.wait_for(NOT_SERVING)
            refused = await service.ask()
            assert isinstance(refused, Unavailable)
            assert refused.retry_after_s == 1.0
            with qdrant_node(tmp_path / "data", port=port):
                await service.wait_for(SERVING)
                assert isinstance(await service.ask(), WrongIndex)


@pytest.mark.fault("D2")
@pytest.mark.invariant("I8")
async def test_a_service_that_starts_beside_a_store_that_is_down_is_never_ready(
    tmp_path: Path,
) -> None:
    with qdrant_node(tmp_path / "data") as node:
        node.kill()
        async with serving(node) as service:
            assert await service.status() == NOT_SERVING


@pytest.mark.fault("D2")
async def test_a_store_that_hangs_costs_five_questions_their_time_and_no_more(
    tmp_path: Path,
) -> None:
    with qdrant_node(tmp_path / "data") as node:
        async with serving(node) as service:
            assert isinstance(await service.ask(), WrongIndex)
            os.kill(node.pid, signal.SIGSTOP)
            try:
                late = []
                while not was_refused(error := await service.ask()):
                    late.append(error.message)
                refused = [error, *[await service.ask() for _ in range(20)]]
                await service.wait_for(NOT_SERVING)
            finally:
                os.kill(node.pid, signal.SIGCONT)
            assert 1 <= len(late) <= 5
            assert set(late) == {"The vector store does not answer. Try again in a moment."}
            assert {type(error) for error in refused} == {Unavailable}
            await service.wait_for(SERVING)
            assert isinstance(await service.ask(), WrongIndex)


def was_refused(error: QuothError) -> bool:
    """Whether a question was turned away without asking a store that is known not to answer."""
    return isinstance(error, Unavailable) and error.retry_after_s is not None


class Up:
    """A part that is always there."""

    async def is_serving(self, timeout_s: float) -> bool:
        return True

    async def lacks(self, part: str, timeout_s: float) -> bool:
        return False


@asynccontextmanager
async def through_the_gateway(service: Service) -> AsyncIterator[Any]:
    """A client of a gateway before `service`; its other parts are fakes that are always there."""
    others = FakeBackend()
    app = bootstrap_gateway(
        GatewaySettings(),
        library=others,
        intake=others,
        searcher=RetrievalClient(service.channel),
        answerer=others,
        probes={"ingest": Up(), "retrieval": HealthClient(service.channel), "generation": Up()},
    )
    running = await start_gateway(app, listen(0))
    url = f"http://127.0.0.1:{running.port}"
    try:
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=20) as client:
            yield client
    finally:
        await running.stop()


async def readiness(client: httpx.AsyncClient) -> tuple[int, list[str]]:
    """Return the status of /readyz, and which parts are not there."""
    response = await client.get("/readyz")
    parts = response.json()["parts"]
    return response.status_code, [name for name, state in parts.items() if state != "serving"]


@pytest.mark.fault("D2")
@pytest.mark.invariant("I8")
async def test_the_gateway_is_not_ready_while_the_store_is_down_and_again_when_it_is_back(
    tmp_path: Path,
) -> None:
    search = f"/v1/books/{SLUG}/search"
    question = {"question": "What pressure does it hold?"}
    with qdrant_node(tmp_path / "data") as node:
        port = node.port
        async with serving(node) as service, through_the_gateway(service) as client:
            assert (await client.post(search, json=question)).status_code == 409
            assert await readiness(client) == (200, [])
            node.kill()
            statuses = [(await client.post(search, json=question)).status_code for _ in range(5)]
            assert statuses == [503] * 5
            await service.wait_for(NOT_SERVING)
            assert await readiness(client) == (503, ["retrieval"])
            refused = await client.post(search, json=question)
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
            assert (await client.get("/healthz")).status_code == 200
            with qdrant_node(tmp_path / "data", port=port):
                await service.wait_for(SERVING)
                assert await readiness(client) == (200, [])
                assert (await client.post(search, json=question)).status_code == 409
