"""A long document in the page: its first part is read while the others are on their way."""

import asyncio
import re

import pytest
from playwright.async_api import Route, expect

from tests.support.browser import needs_browser
from tests.support.drawn_documents import parse_and_show
from tests.support.gateway_fakes import SLUG, FakeBackend
from tests.support.page_site import Site

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]
PARTS = 120
SOURCE = "# The long book\n\n" + "".join(
    f"## Gate {number}\n\nGate {number} 🌊 opens at *flood* {number}. {'It is shut at ebb. ' * 40}\n\n"
    for number in range(1, PARTS + 1)
)
LONG = parse_and_show("long.md", SOURCE)
PLACE = f"/#/{SLUG}/long.md"
PART = re.compile(r"/documents/long\.md\?.*start=[1-9]")
WORDS = f"Gate {PARTS} 🌊 opens at flood {PARTS}."


@pytest.fixture
def backend() -> FakeBackend:
    backend = FakeBackend()
    backend.documents = {"long.md": LONG}
    return backend


async def test_the_whole_of_a_long_document_comes_in_parts_and_is_the_text_exactly(
    site: Site,
) -> None:
    async with site.reading(PLACE) as watched:
        await expect(watched.page.locator(".rest")).to_be_empty()
        shown = await watched.page.locator("article.page").evaluate("node => node.textContent")
        assert shown == LONG.text
        assert len([url for url in watched.requests if "/documents/long.md" in url]) > 1


async def test_the_first_part_is_read_while_the_next_is_not_there(site: Site) -> None:
    released = asyncio.Event()

    async def hold(route: Route) -> None:
        await released.wait()
        await route.continue_()

    async with site.open("/") as watched:
        page = watched.page
        await page.route(PART, hold)
        await page.goto(f"{site.url}{PLACE}")
        await expect(page.locator(".page h2").first).to_have_text("Gate 1")
        await expect(page.locator(".rest")).to_have_text("The rest is on its way…")
        # The contents are whole from the first.
        await expect(page.locator("#contents [data-section]")).to_have_count(PARTS)
        released.set()
        await expect(page.locator(".rest")).to_be_empty()
        await expect(page.locator(".page h2")).to_have_count(PARTS)


async def test_a_part_that_fails_is_told_and_got_by_a_click(site: Site) -> None:
    async with site.open("/") as watched:
        page = watched.page
        await page.route(PART, lambda route: route.abort())
        await page.goto(f"{site.url}{PLACE}")
        await expect(page.locator(".rest")).to_contain_text("The rest of the document could not be")
        await page.unroute(PART)
        await page.get_by_role("button", name="Try again").click()
        await expect(page.locator(".page h2")).to_have_count(PARTS)
        await expect(page.locator(".rest")).to_be_empty()


@pytest.mark.parametrize("by", ["range", "section"])
async def test_a_place_in_a_later_part_is_gone_to(site: Site, by: str) -> None:
    start = LONG.text.index(WORDS)
    last = LONG.sections[-1].anchor
    query = f"range={start}-{start + len(WORDS)}" if by == "range" else f"section={last}"
    async with site.reading(f"{PLACE}?{query}") as watched:
        if by == "range":
            await expect(watched.page.locator(".page mark").first).to_be_in_viewport()
            assert "".join(await watched.highlighted()) == WORDS
        else:
            await expect(watched.page.locator(".page h2").last).to_be_in_viewport()


async def test_the_front_door_of_a_book_that_is_one_document_has_its_sections(site: Site) -> None:
    async with site.open(f"/#/{SLUG}") as watched:
        links = watched.page.locator(".front nav[aria-label=Contents] a")
        await expect(links).to_have_count(PARTS)
        await links.nth(PARTS - 1).click()
        await expect(watched.page.locator(".page h2").last).to_be_in_viewport()
        assert watched.complaints == []
