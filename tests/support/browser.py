"""A headless Chromium on the reader page, watched for requests that leave it."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright, expect

# The one without windows draws the same pages for less than half the processor's time.
_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, _PROGRAMS)), None)

# Where CI promises a browser, its absence is a failure and no reason to skip.
needs_browser = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CI"), reason="no chromium on this machine"
)

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# A busy machine may take long; what is expected ends the waiting, so patience costs nothing.
expect.set_options(timeout=20_000)

DESKTOP = (1280, 900)
PHONE = (360, 740)
_MOST_LOOKS, _BETWEEN_LOOKS_S = 400, 0.05


@dataclass
class Watched:
    """A page, and what it did: addresses it asked for, complaints on its console."""

    page: Page
    url: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def listen(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def foreign_requests(self) -> list[str]:
        own = urlsplit(self.url).netloc
        return [
            address
            for address in self.requests
            if not address.startswith(("data:", "blob:")) and urlsplit(address).netloc != own
        ]

    async def highlighted(self) -> list[str]:
        return list(await self.page.locator(".page mark").all_text_contents())

    async def overflows(self) -> bool:
        """Whether the page scrolls sideways."""
        script = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        return bool(await self.page.evaluate(script))

    async def drag(self, first: str, last: str) -> None:
        """Draw the mouse from the beginning of `first` to the end of `last`, both in view."""
        await self.select(first, last)
        x, y, end_x, end_y = await self.page.evaluate(_ENDS)
        await self.page.evaluate("getSelection().removeAllRanges()")
        await self.page.mouse.move(x, y)
        await self.page.mouse.down()
        await self.page.mouse.move(end_x, end_y, steps=8)
        await self.page.mouse.up()

    async def select(self, first: str, last: str | None = None) -> None:
        """Select from the beginning of `first` to the end of `last` in the text, as a reader does."""
        await self.page.evaluate(_SELECT, [first, last or first])


_SELECT = """([first, last]) => {
  const article = document.querySelector(".page");
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let begun = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const start = node.data.indexOf(first);
    if (!begun && start >= 0) { range.setStart(node, start); begun = true; }
    const end = node.data.indexOf(last);
    if (begun && end >= 0) { range.setEnd(node, end + last.length); break; }
  }
  range.startContainer.parentElement.scrollIntoView({ block: "center", behavior: "instant" });
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


_ENDS = """() => {
  const boxes = [...getSelection().getRangeAt(0).getClientRects()].filter((box) => box.width > 0);
  const [first, last] = [boxes[0], boxes.at(-1)];
  return [first.left + 1, first.top + first.height / 2, last.right - 1, last.top + last.height / 2];
}"""


async def wait_until(page: Page, script: str, arg: object = None) -> None:
    """Wait for an expression to hold, asked anew each time.

    Playwright's own waiting evaluates in the page what it is given, which the page's policy forbids.
    """
    for _ in range(_MOST_LOOKS):
        if await page.evaluate(script, arg):
            return
        await asyncio.sleep(_BETWEEN_LOOKS_S)
    raise AssertionError(f"it never held: {script}")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """One browser for a module of tests; each page has a context of its own."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()


@asynccontextmanager
async def open_page(
    browser: Browser, url: str, size: tuple[int, int] = DESKTOP, **context: Any
) -> AsyncIterator[Watched]:
    """Open `url` in a context that nothing was done in before."""
    width, height = size
    fresh = await browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce", **context
    )
    try:
        page = await fresh.new_page()
        watched = Watched(page, url)
        page.on("request", lambda request: watched.requests.append(request.url))
        page.on("pageerror", lambda error: watched.complaints.append(str(error)))
        page.on("console", watched.listen)
        await page.goto(url)
        yield watched
    finally:
        await fresh.close()
