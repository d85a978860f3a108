"""Catalogue P3, P4: what the page shows while a service is killed in the middle of its answer."""

import asyncio
import threading
from pathlib import Path

import pytest
from playwright.async_api import async_playwright, expect

from tests.support.aside import MODEL_KEY, model_in_thread
from tests.support.browser import ARGUMENTS, CHROMIUM, Watched, needs_browser, open_page
from tests.support.page_site import ask
from tests.support.readers import proven_lines
from tests.support.scripted_model import Exchange
from tests.support.stack import QUESTION, SAMPLE, RunningStack, running_stack

pytestmark = [pytest.mark.stack, pytest.mark.browser, pytest.mark.timeout(900), needs_browser]
_BACK_S = 120.0


@pytest.mark.fault("P3", "P4")
def test_a_question_whose_answer_a_kill_interrupted_is_kept_and_asked_again_by_a_click(
    sample_home: Path,
) -> None:
    lines, is_back = list[str](), threading.Event()

    async def speak(exchange: Exchange) -> None:
        """Say what the book proves; until the killed service is back, its first line alone."""
        await exchange.begin_stream()
        for line in lines:
            await exchange.text(f"{line}\n")
            await asyncio.to_thread(is_back.wait)
        await exchange.end_stream()

    with (
        model_in_thread(speak) as model,
        running_stack(
            sample_home,
            environment={
                "GENERATION_ANSWERER": "openai",
                "GENERATION_MODEL_URL": model.url,
                "GENERATION_MODEL_KEY": MODEL_KEY,
            },
        ) as stack,
    ):
        stack.finds_soon(SAMPLE, QUESTION)
        document = stack.search(SAMPLE, QUESTION)["passages"][0]["document"]
        lines.extend(proven_lines(stack)[:2])
        for victim in ("generation", "gateway"):
            is_back.clear()
            asyncio.run(_read(stack, f"{stack.url}/#/{SAMPLE}/{document}", victim, is_back))


async def _read(stack: RunningStack, url: str, victim: str, is_back: threading.Event) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        async with open_page(browser, url) as watched:
            await watched.page.wait_for_selector(".page h1")
            await _lose_answer(watched, stack, victim, is_back)
            await watched.page.get_by_role("button", name="Try again").click()
            await expect(watched.page.locator(".exchange .chip").first).to_be_visible()
            await expect(watched.page.locator(".exchange")).to_have_count(1)
            await expect(watched.page.locator(".asked h3")).to_have_text(QUESTION)
            await expect(watched.page.locator(".exchange .notice")).to_have_count(0)
        await browser.close()


async def _lose_answer(
    watched: Watched, stack: RunningStack, victim: str, is_back: threading.Event
) -> None:
    """Ask, kill when a sentence is shown, and wait until the victim is there again."""
    page = watched.page
    await ask(watched, QUESTION)
    await expect(page.locator(".exchange .sentence").first).to_be_visible()
    old = stack.kill(victim)
    await expect(page.locator(".exchange .notice")).to_contain_text("interrupted")
    await expect(page.locator(".exchange .sentence")).to_have_count(0)
    await expect(page.locator(".asked h3")).to_have_text(QUESTION)
    is_back.set()
    await asyncio.to_thread(stack.wait_for_return, victim, old, _BACK_S)
