"""The page of a PDF as it is printed, in a real browser: asked for, marked, and where there is none."""

import pytest
from playwright.async_api import expect

from tests.support.browser import DESKTOP, PHONE, needs_browser
from tests.support.gateway_fakes import FakeBackend
from tests.support.page_site import Site
from tests.support.printed_book import SHOW, WORDS, give_printed_book

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]

HIDE = "Hide the page"
UNKEPT = (
    "The page did not come. An edition that keeps no pages shows them once the book is ingested "
    "again."
)
UNMARKED = "The place was not found on the page in time. It is lit in the text."


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
async def test_the_page_of_a_lit_place_is_shown_with_the_place_marked(
    site: Site, backend: FakeBackend, size: tuple[int, int]
) -> None:
    address = give_printed_book(backend)
    start = backend.documents["mill.pdf"].text.index(WORDS[1])
    end = start + len(WORDS[1])
    async with site.reading(f"{address}?range={start}-{end}", size=size) as watched:
        page = watched.page
        assert await watched.highlighted() == [WORDS[1]]
        await page.get_by_role("button", name=SHOW).click()
        image = page.get_by_role("img", name="Page 2 of")
        await expect(image).to_be_visible()
        assert await image.evaluate("(one) => one.naturalWidth") == 202
        mark = await page.locator(".printed-mark").bounding_box()
        whole = await image.bounding_box()
        assert mark is not None
        assert whole is not None
        assert mark["x"] - whole["x"] == pytest.approx(whole["width"] / 4, abs=1)
        assert mark["y"] - whole["y"] == pytest.approx(whole["height"] / 2, abs=1)
        assert mark["width"] == pytest.approx(whole["width"] / 2, abs=1)
        assert backend.looked_for == [(2, start, end)]
        assert not await watched.overflows()


async def test_pages_are_turned_and_hidden_and_another_place_goes_to_its_page(
    site: Site, backend: FakeBackend
) -> None:
    address = give_printed_book(backend)
    async with site.reading(address) as watched:
        page = watched.page
        await page.get_by_role("button", name=SHOW).click()
        await expect(page.get_by_role("img", name="Page 1 of")).to_be_visible()
        await page.get_by_role("button", name="Page before").click()
        await page.get_by_role("button", name="Next page").click()
        await expect(page.get_by_role("img", name="Page 2 of")).to_be_visible()
        start = backend.documents["mill.pdf"].text.index(WORDS[2])
        await page.evaluate(f"location.hash = '/tide-mills/mill.pdf?range={start}-{start + 9}'")
        await expect(page.get_by_role("img", name="Page 3 of")).to_be_visible()
        await expect(page.locator(".printed-mark")).to_have_count(1)
        await page.get_by_role("button", name=HIDE).click()
        await expect(page.locator(".printed img")).to_have_count(0)


async def test_a_book_that_keeps_no_pages_says_what_to_do(site: Site, backend: FakeBackend) -> None:
    address = give_printed_book(backend, pages=0)
    async with site.open(address) as watched:
        await watched.page.get_by_role("button", name=SHOW).click()
        await expect(watched.page.locator(".original [role=status]")).to_have_text(UNKEPT)


async def test_a_page_whose_place_is_not_found_in_time_says_so(
    site: Site, backend: FakeBackend
) -> None:
    address = give_printed_book(backend)
    start = backend.documents["mill.pdf"].text.index(WORDS[1])
    async with site.open(f"{address}?range={start}-{start + 5}") as watched:
        page = watched.page
        await page.route("**/places*", lambda route: route.abort())
        await page.get_by_role("button", name=SHOW).click()
        said = page.locator(".original [role=status]")
        await expect(said).to_have_text(UNMARKED)
        await expect(page.get_by_role("img", name="Page 2 of")).to_be_visible()
        await page.unroute("**/places*")
        await page.get_by_role("button", name="Page before").click()
        await page.get_by_role("button", name="Next page").click()
        await expect(page.locator(".printed-mark")).to_have_count(1)
        await expect(said).to_be_hidden()


async def test_a_document_that_is_no_pdf_offers_no_page(site: Site, backend: FakeBackend) -> None:
    async with site.reading(give_printed_book(backend)) as watched:
        page = watched.page
        await expect(page.get_by_role("button", name=SHOW)).to_be_visible()
        await page.goto(f"{site.url}/#/tide-mills?front")
        await expect(page.locator(".front")).to_be_visible()
        await expect(page.get_by_role("button", name=SHOW)).to_have_count(0)
        await page.goto(f"{site.url}/#/tide-mills/keeping.md")
        await expect(page.locator(".page h1")).to_contain_text("Keeping the mill")
        await expect(page.locator(".original")).to_have_count(0)
        await expect(page.get_by_role("button", name=SHOW)).to_have_count(0)


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
async def test_the_button_of_the_page_covers_no_text(
    site: Site, backend: FakeBackend, size: tuple[int, int]
) -> None:
    async with site.reading(give_printed_book(backend), size=size) as watched:
        page = watched.page
        await page.evaluate("scrollTo(0, 200)")
        button = await page.get_by_role("button", name=SHOW).bounding_box()
        bar = await page.locator(".bar").bounding_box()
        assert button is not None
        assert bar is not None
        assert bar["y"] <= button["y"]
        assert button["y"] + button["height"] <= bar["y"] + bar["height"]
        assert not await watched.overflows()
