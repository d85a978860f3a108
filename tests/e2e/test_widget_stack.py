"""The widget in the page of another site, in front of the whole product."""

import asyncio
import json

import pytest
from playwright.async_api import async_playwright, expect

from services.gateway.server import listen, start_server
from tests.support.browser import ARGUMENTS, CHROMIUM, needs_browser
from tests.support.stack import QUESTION, SAMPLE, RunningStack
from tests.support.widget_site import WidgetSite, ask_widget

pytestmark = [pytest.mark.stack, pytest.mark.browser, pytest.mark.timeout(900), needs_browser]


def test_a_reader_of_another_site_is_answered_from_the_book_and_a_citation_lights_its_words(
    sample_stack: RunningStack,
) -> None:
    asyncio.run(_ask_and_follow(sample_stack))


async def _ask_and_follow(stack: RunningStack) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        site = WidgetSite("", stack.url, browser, "", {"book": SAMPLE})
        pages = await start_server(site.app(), listen(0))
        site.url = f"http://127.0.0.1:{pages.port}"
        site.key = await asyncio.to_thread(_make_key, stack, site.url)
        async with site.reading() as watched:
            panel = await ask_widget(watched, QUESTION)
            await expect(panel.locator(".chip").first).to_be_visible()
            quote = await panel.locator(".proofs li q").first.text_content() or ""
            async with watched.page.context.expect_page() as opened:
                await panel.locator(".chip").first.click()
            page = await opened.value
            await expect(page.locator(".page mark").first).to_be_in_viewport()
            lit = await page.locator(".page mark").all_text_contents()
        await pages.stop()
        await browser.close()
    assert len(quote) > 40
    assert "".join("".join(lit).split()) == "".join(quote.split())


def _make_key(stack: RunningStack, origin: str) -> str:
    """Return a key that pages of `origin` alone may use, to ask the sample book and no more."""
    made = stack.quoth("keys", "create", "docs", "--origin", origin, "--book", SAMPLE, "--json")
    assert made.returncode == 0, made.stderr
    return str(json.loads(made.stdout)["text"])
