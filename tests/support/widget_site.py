"""A page of another site that holds the widget, and the gateway that it asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import escape
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, Locator, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from services.gateway.server import listen, start_server
from tests.support.browser import Watched, open_page
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import SLUG, FakeBackend
from tests.support.key_fakes import FakeKeys

PARAGRAPH = "A tide mill stores the flood behind a dam. The pond fills by itself twice a day."
# A site of today: nothing inline, nothing from anywhere but itself and the gateway.
_POLICY = "default-src 'none'; script-src {gateway}; connect-src {gateway}; style-src 'self'"
_SHEET = "html { font: 62.5% cursive; letter-spacing: 4px } button, p { color: red; float: right }"


@dataclass
class WidgetSite:
    """Another site's address, the gateway's, and a browser; `attributes` are those of the element."""

    url: str
    gateway: str
    browser: Browser
    key: str
    attributes: dict[str, str] = field(default_factory=dict)
    markup: str = ""

    @asynccontextmanager
    async def reading(self, **options: Any) -> AsyncIterator[Watched]:
        """Open the page, which must complain of nothing and ask nobody but itself and the gateway."""
        async with open_page(self.browser, f"{self.url}/docs/mills", **options) as watched:
            await expect(watched.page.locator("quoth-chat #opener")).to_be_visible()
            yield watched
            asked = [url for url in watched.foreign_requests() if not url.startswith(self.gateway)]
            assert (watched.complaints, asked) == ([], [])
            assert await watched.page.evaluate("window.hacked") is None

    def document(self) -> str:
        given = {"book": SLUG, "key": self.key, **self.attributes}
        written = " ".join(f'{name}="{escape(value)}"' for name, value in given.items())
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Docs</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<link rel="stylesheet" href="/site.css">'
            f'<script type="module" src="{self.gateway}/widget.js"></script>'
            f'<main><h1>Mills</h1><p id="told">{PARAGRAPH}</p>{self.markup}</main>'
            f"<quoth-chat {written}></quoth-chat></html>"
        )

    def app(self) -> Starlette:
        async def show(_: Request) -> Response:
            policy = _POLICY.format(gateway=self.gateway)
            return HTMLResponse(self.document(), headers={"Content-Security-Policy": policy})

        async def style(_: Request) -> Response:
            return Response(_SHEET, media_type="text/css")

        async def nothing(_: Request) -> Response:
            return Response(status_code=204)

        return Starlette(
            routes=[
                Route("/docs/{page}", show),
                Route("/site.css", style),
                Route("/favicon.ico", nothing),
            ]
        )


@pytest_asyncio.fixture(loop_scope="module")
async def widget_site(backend: FakeBackend, browser: Browser) -> AsyncIterator[WidgetSite]:
    """A site with a key of its own to a gateway that asks everyone for one."""
    keys = FakeKeys()
    app = make_app(backend, keys, require_keys=True)
    gateway = await start_server(app, listen(0))
    site = WidgetSite("", f"http://127.0.0.1:{gateway.port}", browser, "")
    pages = await start_server(site.app(), listen(0))
    site.url = f"http://127.0.0.1:{pages.port}"
    site.key = keys.grant("docs", scopes=("ask",), origins=(site.url,))
    yield site
    await pages.stop()
    await gateway.stop()


async def ask_widget(watched: Watched, question: str = "How does it work?") -> Locator:
    """Open the widget where it is not, ask, and return its panel."""
    chat = watched.page.locator("quoth-chat")
    if not await chat.locator("#panel").is_visible():
        await chat.locator("#opener").click()
    await chat.locator("#question").fill(question)
    await chat.locator("#question").press("Enter")
    return chat.locator("#panel")
