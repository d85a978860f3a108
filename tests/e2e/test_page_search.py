"""Finding one's way in a book: the tree of its contents, exact words, passages by meaning."""

import msgspec
import pytest
from playwright.async_api import expect

from libs.errors import Unavailable
from services.gateway.model.exact_words import WordsFound
from tests.support.browser import needs_browser
from tests.support.gateway_fakes import DOCUMENTS, EVIL, FakeBackend, Piece, make_document
from tests.support.page_site import Site

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]


async def test_exact_words_are_told_by_section_apart_from_passages_by_meaning(site: Site) -> None:
    async with site.reading() as watched:
        page = watched.page
        await page.fill("#question", "sea gate")
        await page.get_by_role("button", name="Find passages").click()
        await expect(page.locator(".search-result h4")).to_have_text(
            ["These exact words", "Passages by meaning"]
        )
        await expect(page.locator(".search-result > .hint")).to_have_text("25 times in 2 sections")
        places = page.locator(".hits .where")
        await expect(places.first).to_contain_text("Winter (24)")
        await expect(places.nth(1)).to_have_text("How a tide mill works › The three gates (1)")
        await expect(page.locator(".hit mark").first).to_have_text("sea gate")
        await expect(page.locator(".passages .found")).to_have_count(3)
        await page.locator(".hit").first.click()
        await expect(page.locator(".page mark")).to_have_text("sea gate")
        await expect(page.locator(".page h1")).to_contain_text("Keeping the mill")
        await page.reload()
        await expect(page.locator(".hits .where")).to_have_count(2)


@pytest.mark.control("V8")
async def test_words_that_are_nowhere_and_markup_that_is_searched_for_stay_text(site: Site) -> None:
    async with site.reading() as watched:
        page = watched.page
        for words, told in (
            ("nowhere at all", "Nowhere in the book."),
            ("no-where/at-all", "Nowhere in the book."),
            (EVIL, "1 time in 1 section"),
        ):
            await page.fill("#question", words)
            await page.get_by_role("button", name="Find passages").click()
            result = page.locator(".exchange").last.locator(".search-result > p")
            await expect(result.first).to_have_text(told)
        assert await page.locator("#conversation img, #conversation script").count() == 0


async def test_passages_are_shown_though_the_book_can_not_be_read_through(
    site: Site, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> WordsFound:
        raise Unavailable("The ingest service does not answer.")

    async with site.reading() as watched:
        page = watched.page
        monkeypatch.setattr(backend, "find_words", fail)
        await page.fill("#question", "sea gate")
        await page.get_by_role("button", name="Find passages").click()
        await expect(page.locator(".passages .found")).to_have_count(3)
        await expect(page.locator(".search-result > p")).to_contain_text(
            "could not be read through"
        )
        watched.complaints.clear()  # The browser tells of each status that is not 200.


async def test_no_document_is_fetched_to_find_words_and_the_rest_of_many_sections_comes_when_asked(
    site: Site, backend: FakeBackend
) -> None:
    pieces: list[Piece] = [
        piece
        for number in range(1, 31)
        for piece in (
            ("heading", f"Day {number}", 1, ""),
            ("paragraph", "A whelk. " * (40 - number), 0, ""),
        )
    ]
    backend.documents["log.md"] = make_document("log.md", "Log", pieces)
    async with site.reading() as watched:
        page = watched.page
        await page.fill("#question", "whelk")
        before = len(watched.requests)
        await page.get_by_role("button", name="Find passages").click()
        await expect(page.locator(".search-result > .hint")).to_have_text(
            "735 times in 30 sections"
        )
        await page.get_by_text("26 more sections").click()
        hits = page.locator(".hits .hit")
        await expect(hits).to_have_count(20)
        await page.get_by_role("button", name="Show more").click()
        await expect(hits).to_have_count(30)
        await expect(hits.last).to_contain_text("Day 30 (10)")
        await expect(page.get_by_role("button", name="Show more")).to_have_count(0)
        await hits.last.click()
        await expect(page.locator(".page mark")).to_have_text("whelk")
        assert not [one for one in watched.requests[before:] if "documents/keeping" in one]


async def test_the_contents_nest_what_lies_in_a_folder(site: Site, backend: FakeBackend) -> None:
    inner = msgspec.structs.replace(
        DOCUMENTS["keeping.md"], path="part one/care/oil.md", title="Oil"
    )
    first = msgspec.structs.replace(inner, path="part one/care/index.md", title="Care")
    backend.documents |= {first.path: first, inner.path: inner}
    async with site.reading() as watched:
        page = watched.page
        contents = page.get_by_role("navigation", name="Contents")
        await expect(contents.locator(".inner .inner > li > a")).to_have_text("Oil")
        await expect(contents.locator("li:has(> .inner) > a")).to_have_text("Care")
        await contents.get_by_text("Oil").click()
        await expect(contents.locator("[aria-current]")).to_have_text("Oil")
