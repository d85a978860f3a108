"""The page for everyone: no violation that axe knows of, any size, by day and night, on paper."""

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.async_api import Page, expect

from services.gateway.model.books import Document
from tests.support.browser import DESKTOP, PHONE, needs_browser
from tests.support.drawn_documents import parse_and_show
from tests.support.gateway_fakes import (
    BOOK,
    FakeBackend,
    events_of,
    make_answer,
    make_document,
    make_refusal,
)
from tests.support.page_site import Site, ask
from tests.support.printed_book import SHOW, give_printed_book

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]

AXE = Path(__file__).parents[1] / "page/node_modules/axe-core/axe.min.js"
PICTURES = Path(".pytest_cache/pictures")
"""What each view looked like, kept beside the results of the tests to be looked at."""
SMALL = (320, 640)
TABLET = (820, 1180)
LEAST_TARGET = 24
"""CSS pixels: WCAG 2.2, 2.5.8."""
TOUCHED = 44
"""WCAG 2.2, 2.5.5, for buttons beside the text; marks stand in its lines."""
TARGETS = """least => [...document.querySelectorAll("a, button, summary, input, textarea")]
  .filter((part) => part.checkVisibility({ visibilityProperty: true }))
  .map((part) => [part, part.getBoundingClientRect()])
  .filter(([part, box]) => !part.matches(".skip") && box.width)
  .filter(([, box]) => Math.min(box.width, box.height) < least)
  .map(([part, box]) => `${part.outerHTML.slice(0, 90)} ${box.width} x ${box.height}`)"""
HEBREW = make_document(
    "tides.md",
    "טחנות הגאות",
    [
        ("heading", "טחנות הגאות", 1, ""),
        ("paragraph", "הטחנה אוגרת את הגאות מאחורי סכר.", 0, ""),
        ("paragraph", "Quoth cites every sentence.", 0, ""),
        ("list_item", "השער נפתח עם הגאות.", 1, "1."),
        ("code", "flow * fall", 0, "python"),
    ],
)


async def violations(page: Page) -> list[str]:
    """Return what axe finds wrong with the page as it is now, one line a rule."""
    await page.evaluate(AXE.read_text("utf-8"))
    found: dict[str, Any] = await page.evaluate("axe.run()")
    return [
        f"{rule['impact']} {rule['id']}: {[node['html'][:120] for node in rule['nodes'][:3]]}"
        for rule in found["violations"]
    ]


async def check(page: Page, view: str) -> None:
    size = page.viewport_size or {"width": 0}
    name = f"{view} {size['width']}.png".replace(" ", "-")
    # Playwright makes the folder.
    await page.screenshot(path=PICTURES / name)
    # Between the sizes on its either side a tablet differs in its boxes alone.
    if size["width"] != TABLET[0]:
        assert await violations(page) == [], view
    assert await page.evaluate(TARGETS, LEAST_TARGET) == [], view
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not await page.evaluate(wide), view


@pytest.mark.skipif(
    not AXE.exists() and not os.environ.get("CI"), reason="axe-core is not installed in tests/page"
)
@pytest.mark.parametrize(
    ("size", "scheme"),
    # Colours do not depend on the size, nor boxes on the colours.
    [
        pytest.param(DESKTOP, "light", id="desktop, light"),
        pytest.param(SMALL, "dark", id="320 px, dark"),
        pytest.param(TABLET, "light", id="tablet, light"),
    ],
)
async def test_no_view_has_a_violation_a_small_target_or_a_sideways_scroll(
    site: Site, backend: FakeBackend, scheme: str, size: tuple[int, int]
) -> None:
    async with site.reading(size=size, color_scheme=scheme) as watched:
        page = watched.page
        await check(page, "book")
        if size == SMALL:
            await page.get_by_role("button", name="Contents").click()
            await check(page, "contents")
            await page.keyboard.press("Escape")
            await page.locator("#sheet").click()
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(3)
        backend.script = lambda question: [make_refusal(question.text)]
        await ask(watched, "Who won the cup?")
        await expect(page.locator(".refusal")).to_have_count(1)
        await page.evaluate(
            "for (const fold of document.querySelectorAll('details')) fold.open = true"
        )
        await check(page, "answers")
        await page.locator("#session-count").click()
        await check(page, "conversations")
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="how the page looks").click()
        await check(page, "looks")
        await page.goto(f"{site.url}/#/")
        await page.locator(".add > summary").click()
        await check(page, "shelf")
        backend.script = lambda question: [*events_of(make_answer(question.text))]
        await page.goto(f"{site.url}/#/{BOOK.slug}?front")
        await expect(page.locator(".about figure")).to_have_count(3)
        await check(page, "front door")
        await page.goto(f"{site.url}{give_printed_book(backend)}?range=0-4")
        await page.get_by_role("button", name=SHOW).click()
        await expect(page.locator(".printed-mark")).to_have_count(1)
        await check(page, "page as printed")


async def test_the_reader_s_light_and_size_are_kept(site: Site) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    size = "getComputedStyle(document.documentElement).fontSize"
    async with site.reading(color_scheme="light") as watched:
        page = watched.page
        day, usual = await page.evaluate(ground), await page.evaluate(size)
        await page.get_by_role("button", name="how the page looks").click()
        await page.get_by_label("Night").check()
        await page.get_by_label("Largest").check()
        await page.reload()
        await page.wait_for_selector(".page h1")
        assert await page.evaluate(ground) != day
        assert (usual, await page.evaluate(size)) == ("16px", "24px")
        assert not await watched.overflows()
        await page.get_by_role("button", name="how the page looks").click()
        await page.get_by_label("As the system").check()
        await page.get_by_label("As the browser").check()
        assert await page.evaluate(ground) == day
        assert await page.evaluate(size) == usual


async def test_elements_under_an_open_sheet_cannot_be_reached(site: Site) -> None:
    async with site.reading(size=PHONE) as watched:
        page = watched.page
        await page.get_by_role("button", name="Ask the book").click()
        assert await page.evaluate("document.querySelector('#reading').inert")
        await page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
        await expect(page.get_by_role("main")).to_be_visible()
        assert not await page.evaluate("document.querySelector('#reading').inert")


@pytest.mark.parametrize("size", [(640, 400), (390, 480)], ids=["magnified", "behind-keys"])
async def test_half_of_a_low_window_is_for_the_answer(site: Site, size: tuple[int, int]) -> None:
    async with site.reading(size=size) as watched:
        page = watched.page
        await page.get_by_role("button", name="Ask the book").click()
        await ask(watched)
        for part in ("#question", "#search", "#send", "#new-session"):
            await expect(page.locator(part)).to_be_in_viewport(ratio=1)
        shown = await page.locator("#conversation").bounding_box()
        assert shown is not None
        assert shown["height"] > size[1] / 2


@pytest.fixture
def hebrew(backend: FakeBackend) -> Document:
    backend.documents[HEBREW.path] = HEBREW
    return HEBREW


async def test_a_book_from_right_to_left_is_laid_out_so_and_each_line_goes_its_way(
    site: Site, backend: FakeBackend, hebrew: Document
) -> None:
    backend.books = [msgspec.structs.replace(BOOK, language="he")]
    async with site.reading(f"/#/{BOOK.slug}/{hebrew.path}") as watched:
        page = watched.page
        article = page.locator(".page")
        await expect(article).to_have_attribute("dir", "rtl")
        sides = await page.evaluate(
            """[...document.querySelectorAll(".page > p")].map((line) => {
              const range = document.createRange();
              range.selectNodeContents(line);
              const [text, box] = [range.getBoundingClientRect(), line.getBoundingClientRect()];
              return text.left - box.left < box.right - text.right ? "left" : "right";
            })"""
        )
        assert sides == ["right", "left"]
        assert await page.evaluate(
            "getComputedStyle(document.querySelector('.page pre')).direction"
        ) == ("ltr")
        assert not await watched.overflows()
        shown = await page.evaluate("document.querySelector('.page').textContent")
        assert shown == hebrew.text
        if AXE.exists():
            await check(page, "from right to left")


async def test_a_line_goes_as_the_book_says_unless_it_is_in_other_letters(
    site: Site, backend: FakeBackend
) -> None:
    source = (
        "<html dir='rtl'><body><h1>Debian: הסכר</h1><p>Mill היא טחנה.</p>"
        "<ul><li>Nobody translated this.</li></ul>"
        "<table><tr><th>שער</th><th>Fall</th></tr><tr><td>PC של טחנה</td><td>2 m</td></tr></table>"
        + "<p>Nobody translated this either, and there is much of it.</p>" * 9
        + "</body></html>"
    )
    backend.documents = {"gate.html": parse_and_show("gate.html", source)}
    backend.books = [msgspec.structs.replace(BOOK, language="he")]
    async with site.reading(f"/#/{BOOK.slug}/gate.html") as watched:
        directions = await watched.page.evaluate(
            """[...document.querySelectorAll(".page :is(h1, p, li, th, td)")].slice(0, 7)
            .map((one) => getComputedStyle(one).direction)"""
        )
        assert directions == ["rtl", "rtl", "ltr", "rtl", "ltr", "rtl", "ltr"]
        shown = await watched.page.evaluate("document.querySelector('.page').textContent")
        assert shown == backend.documents["gate.html"].text


async def test_code_in_a_line_and_the_contents_of_a_book_from_right_to_left_go_their_own_ways(
    site: Site, backend: FakeBackend
) -> None:
    path, source = (
        "gate.md",
        "# השער\n\nהפרש הגבהים הוא `2.5 m` לכל היותר.\n\n> שקט.\n\n## הסכר\n\nמים.\n",
    )
    backend.documents = {path: parse_and_show(path, source)}
    backend.books = [msgspec.structs.replace(BOOK, language="he")]
    async with site.reading(f"/#/{BOOK.slug}/{path}") as watched:
        lefts = await watched.page.evaluate(
            """["2.5", "m"].map((word) => {
              const text = document.querySelector(".page p code").firstChild;
              const range = document.createRange();
              range.setStart(text, text.data.indexOf(word));
              range.setEnd(text, text.data.indexOf(word) + word.length);
              return range.getBoundingClientRect().left;
            })"""
        )
        assert lefts == sorted(lefts)
        # Their letters have no italics.
        styles = "(one) => getComputedStyle(one).fontStyle"
        assert await watched.page.locator(".page blockquote").evaluate(styles) == "normal"
        lined = "(one) => getComputedStyle(one).borderRightWidth"
        assert await watched.page.locator(".contents .sections").evaluate(lined) == "1px"


async def test_on_paper_are_the_book_or_the_conversation_alone(site: Site) -> None:
    async with site.reading(color_scheme="dark") as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(3)
        await page.emulate_media(media="print")
        await expect(page.locator(".page")).to_be_visible()
        await expect(page.locator(".ask")).to_be_hidden()
        await page.emulate_media(media="screen")
        # The dialog of the browser can't be answered here: what it would print is looked at instead.
        await page.evaluate("window.print = () => {}")
        await page.locator("#session-count").click()
        await page.get_by_role("button", name="Print").click()
        await page.emulate_media(media="print")
        await expect(page.locator(".page")).to_be_hidden()
        await expect(page.locator(".answer .sentence").first).to_be_visible()
        await expect(page.locator(".proofs li").last).to_be_visible()
        await expect(page.locator(".composer")).to_be_hidden()
        await page.emulate_media(media="screen")
        await page.evaluate("dispatchEvent(new Event('afterprint'))")
        await expect(page.locator(".page")).to_be_visible()
        await expect(page.locator(".proofs li").last).to_be_hidden()


async def test_buttons_of_the_conversation_are_44_pixels_high_and_wide_for_a_finger(
    site: Site, backend: FakeBackend
) -> None:
    async with site.reading(size=PHONE, has_touch=True, is_mobile=True) as watched:
        page = watched.page
        await page.locator("#sheet").click()
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(3)
        await page.evaluate(
            "for (const fold of document.querySelectorAll('details')) fold.open = true"
        )
        in_panel = TARGETS.replace("document.", 'document.querySelector(".ask").', 1)
        small = await page.evaluate(in_panel, TOUCHED)
        assert [one for one in small if one.startswith(("<button", "<summary"))] == []
        assert not await watched.overflows()
