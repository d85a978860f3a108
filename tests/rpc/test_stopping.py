"""What a gateway that stops says to those whose requests are under way, and to its log."""

import asyncio
import logging
from collections.abc import AsyncGenerator

import pytest

from services.gateway import server
from services.gateway.model.ingests import IngestJob, Source
from services.gateway.server import listen, start_server
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import SLUG, FakeBackend, make_job

UPLOAD = (
    f"POST /v1/books/{SLUG}/ingests?file_name=a.md HTTP/1.1\r\nHost: localhost\r\n"
    "Content-Type: text/markdown\r\nContent-Length: 1000\r\n\r\n# Tides\n"
).encode()


class Taking(FakeBackend):
    """Takes a source in, and says when its first part is there."""

    arrived: asyncio.Event

    async def start_ingest(self, source: Source, parts: object, timeout_s: float) -> IngestJob:
        async for _ in parts:  # type: ignore[attr-defined]
            self.arrived.set()
        pytest.fail("the rest never came")


WATCH = (
    f"GET /v1/books/{SLUG}/ingests/job-1 HTTP/1.1\r\nHost: localhost\r\n"
    "Accept: text/event-stream\r\n\r\n"
).encode()


class Working(FakeBackend):
    """Has a job that never ends."""

    async def watch_ingest(self, job_id: str, timeout_s: float) -> AsyncGenerator[IngestJob, None]:
        yield make_job(state="running")
        await asyncio.Event().wait()


async def test_a_client_that_watches_a_job_hears_at_once_that_the_gateway_stops(
    caplog: pytest.LogCaptureFixture,
) -> None:
    running = await start_server(make_app(Working()), listen(0))
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    writer.write(WATCH)
    await reader.readuntil(b"event: progress")
    with caplog.at_level(logging.INFO):
        await running.stop()
        said = (await reader.read()).decode()
    writer.close()
    assert "event: error" in said
    assert "watch it again" in said
    assert [one for one in caplog.records if one.levelno >= logging.ERROR] == []


@pytest.mark.fault("P7")
@pytest.mark.invariant("I7")
async def test_an_upload_that_is_cut_off_by_stopping_hears_why_and_leaves_no_stack_trace(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server, "_GRACE_S", 0)
    backend = Taking()
    backend.arrived = asyncio.Event()
    running = await start_server(make_app(backend), listen(0))
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    writer.write(UPLOAD)
    await backend.arrived.wait()
    with caplog.at_level(logging.INFO):
        await running.stop()
        said = (await reader.read()).decode()
    writer.close()
    assert said.startswith("HTTP/1.1 503 ")
    assert "is stopping" in said
    assert [record for record in caplog.records if record.exc_info] == []
