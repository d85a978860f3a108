"""Idle watchers and slow uploads lock no reader out: each have places of their own."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from services.gateway.model.ingests import IngestJob, Source
from services.gateway.server import listen, start_server
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import SLUG, FakeBackend, make_job
from tests.support.key_fakes import FakeKeys

WATCH = (
    f"GET /v1/books/{SLUG}/ingests/job-1 HTTP/1.1\r\nHost: localhost\r\n"
    "Accept: text/event-stream\r\n\r\n"
)
UPLOAD = (
    f"POST /v1/books/{SLUG}/ingests?file_name=a.md HTTP/1.1\r\nHost: localhost\r\n"
    "Content-Type: text/markdown\r\nContent-Length: 100\r\n\r\n# A"
)


class BusyBackend(FakeBackend):
    """Ingest as it is: a call for each watcher and upload, and no more calls than it takes."""

    open_calls = 0

    async def watch_ingest(self, job_id: str, timeout_s: float) -> AsyncGenerator[IngestJob, None]:
        self.open_calls += 1
        try:
            yield make_job()
            await asyncio.Event().wait()
        finally:
            self.open_calls -= 1

    async def start_ingest(
        self, source: Source, parts: AsyncIterator[bytes], timeout_s: float
    ) -> IngestJob:
        self.open_calls += 1
        try:
            return await super().start_ingest(source, parts, timeout_s)
        finally:
            self.open_calls -= 1


@asynccontextmanager
async def crowd(
    request: str, count: int, keys: FakeKeys | None = None
) -> AsyncIterator[tuple[BusyBackend, httpx.AsyncClient, list[asyncio.StreamReader]]]:
    """The backend, a client, and the first lines that `count` others got, who stay connected."""
    backend = BusyBackend()
    app = make_app(backend, keys, require_keys=keys is not None)
    running = await start_server(app, listen(0))
    writers = []
    try:
        readers = []
        for _ in range(count):
            reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
            writer.write(request.encode())
            readers.append(reader)
            writers.append(writer)
        await asyncio.sleep(1)
        base = f"http://localhost:{running.port}"
        async with httpx.AsyncClient(base_url=base, trust_env=False, timeout=30) as client:
            yield backend, client, readers
    finally:
        for writer in writers:
            writer.close()
        await asyncio.sleep(0.1)
        await running.stop()


@pytest.mark.control("V14")
@pytest.mark.fault("O2")
@pytest.mark.invariant("I9")
async def test_three_hundred_watchers_leave_readers_their_places() -> None:
    async with crowd(WATCH, 300) as (backend, client, readers):
        first = [(await reader.readline()).split()[1] for reader in readers]
        assert (first.count(b"200"), first.count(b"429")) == (64, 236)
        assert backend.open_calls == 64
        assert (await client.get("/v1/books")).status_code == 200
        job = await client.get(f"/v1/books/{SLUG}/ingests/job-1")
        assert job.status_code == 200


@pytest.mark.control("V14")
@pytest.mark.fault("G6")
@pytest.mark.invariant("I9")
async def test_three_hundred_slow_uploads_leave_readers_their_places() -> None:
    async with crowd(UPLOAD, 300) as (backend, client, _):
        assert backend.open_calls == 16
        assert (await client.get("/v1/books")).status_code == 200


@pytest.mark.control("V14")
@pytest.mark.parametrize("request_text", [WATCH, UPLOAD], ids=["watchers", "uploads"])
async def test_a_crowd_of_one_client_leaves_the_others_their_places(request_text: str) -> None:
    keys = FakeKeys()
    crowded, other = (
        {"Authorization": f"Bearer {keys.grant(client, scopes=('ask', 'read', 'ingest'))}"}
        for client in ("crowd", "other")
    )
    head = f"Authorization: {crowded['Authorization']}\r\nContent-Type"
    text = request_text.replace("Content-Type", head, 1).replace(
        "Accept: ", f"Authorization: {crowded['Authorization']}\r\nAccept: ", 1
    )
    place = f"/v1/books/{SLUG}/ingests"
    async with crowd(text, 100, keys) as (_, client, _):

        async def upload(headers: dict[str, str]) -> int:
            sent = await client.post(
                place,
                params={"file_name": "a.md"},
                content=b"# A",
                headers={**headers, "Content-Type": "text/markdown"},
            )
            return sent.status_code

        async def watch(headers: dict[str, str]) -> int:
            events = {**headers, "Accept": "text/event-stream"}
            async with client.stream("GET", f"{place}/job-1", headers=events) as response:
                return response.status_code

        do = watch if request_text == WATCH else upload
        accepted = 200 if request_text == WATCH else 202
        assert (await do(crowded), await do(other)) == (429, accepted)


async def test_places_are_given_back() -> None:
    async with crowd(WATCH, 64) as (backend, client, readers):
        assert {(await reader.readline()).split()[1] for reader in readers} == {b"200"}
        refused = await client.get(
            f"/v1/books/{SLUG}/ingests/job-1", headers={"Accept": "text/event-stream"}
        )
        assert (refused.status_code, refused.json()["code"]) == (429, "overloaded")
        assert refused.headers["retry-after"] == "1"
        assert backend.open_calls == 64
    assert backend.open_calls == 0
