"""The gateway's page over an invented book, and a browser to read it with."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from services.gateway.server import listen, start_server
from tests.support.browser import Watched, open_page
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import SLUG, FakeBackend

FIRST = f"/#/{SLUG}/part%20one/mills.md"
"""The first document of the invented book."""


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@dataclass(frozen=True)
class Site:
    """The gateway's page, and a browser to read it with."""

    url: str
    browser: Browser

    def open(self, path: str = "/", **options: Any) -> AbstractAsyncContextManager[Watched]:
        return open_page(self.browser, f"{self.url}{path}", **options)

    @asynccontextmanager
    async def reading(self, path: str = FIRST, **options: Any) -> AsyncIterator[Watched]:
        """Open a page that must show a text, complain of nothing and stay at home."""
        async with self.open(path, **options) as watched:
            await watched.page.wait_for_selector(".page h1")
            yield watched
            assert watched.complaints == []
            assert watched.foreign_requests() == []
            assert await watched.page.evaluate("window.hacked") is None


@pytest_asyncio.fixture(loop_scope="module")
async def site(backend: FakeBackend, browser: Browser) -> AsyncIterator[Site]:
    app = make_app(backend)
    running = await start_server(app, listen(0))
    yield Site(f"http://127.0.0.1:{running.port}", browser)
    await running.stop()


async def ask(watched: Watched, question: str = "How does it work?") -> None:
    await watched.page.fill("#question", question)
    await watched.page.press("#question", "Enter")


async def answer_once(watched: Watched, stream: str) -> None:
    """Have the next question answered with a stream of our own."""
    await watched.page.route(
        "**/answers",
        lambda route: route.fulfill(content_type="text/event-stream", body=stream),
        times=1,
    )
