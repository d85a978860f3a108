"""The Docusaurus plugin in a site built from npm, in front of the whole product."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest
from playwright.async_api import async_playwright, expect

from services.gateway.server import listen, start_server
from tests.docusaurus.test_site import HERE, TOOL, build, lit, serve_site
from tests.support.browser import ARGUMENTS, CHROMIUM, needs_browser, open_page
from tests.support.stack import RunningStack, running_stack
from tests.support.widget_site import ask_widget

BOOK = "tide-mills"
ASKED = "What does a tide mill store behind a dam?"
SAID = "A tide mill stores the flood behind a dam"
pytestmark = [
    pytest.mark.stack,
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
    pytest.mark.skipif(
        shutil.which("node") is None or not TOOL.exists(),
        reason="Docusaurus is not installed: make check-docusaurus",
    ),
]


def test_a_site_whose_pages_are_the_book_is_answered_and_shows_the_words_cited(
    tmp_path: Path,
) -> None:
    with running_stack(tmp_path / "home", books={BOOK: HERE / "site" / "docs"}) as stack:
        folder = tmp_path / "site"
        folder.mkdir()
        asyncio.run(_ask_in_site(stack, folder))


async def _ask_in_site(stack: RunningStack, folder: Path) -> None:
    served = await start_server(serve_site(folder), listen(0))
    origin = f"http://127.0.0.1:{served.port}"
    made = stack.quoth("keys", "create", "manual", "--origin", origin, "--book", BOOK, "--json")
    assert made.returncode == 0, made.stderr
    await asyncio.to_thread(build, folder, stack.url, json.loads(made.stdout)["text"])
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        async with open_page(browser, f"{origin}/manual/part/gates") as watched:
            panel = await ask_widget(watched, ASKED)
            proof = panel.locator(".proofs li q").first
            await expect(proof).to_contain_text(SAID)
            quote = await proof.text_content() or ""
            await panel.locator(".chip").first.click()
            await watched.page.wait_for_url(f"{origin}/manual/")
            await lit(watched.page, quote)
            assert watched.complaints == []
        await browser.close()
    await served.stop()
