"""The page and the widget in the reader's language, whatever the book's is."""

import os
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from services.gateway.routes.page import WEB
from tests.e2e.test_page_everyone import AXE, violations
from tests.support.browser import DESKTOP, PHONE, Watched, needs_browser
from tests.support.gateway_fakes import BOOK, QUOTES, FakeBackend, make_refusal
from tests.support.page_site import FIRST, Site, ask
from tests.support.widget_site import WidgetSite, ask_widget

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]

LANGUAGES = sorted(path.stem for path in (WEB / "languages").glob("*.js"))
PICTURES = Path(".pytest_cache/pictures")
"""What each language looked like, kept beside the results of the tests to be looked at."""
CUT_OFF = """() => [...document.querySelectorAll("button, a, label, legend, summary, h1, h2")]
  .filter((part) => part.checkVisibility() && !part.matches(".skip, .bar-title, .visually-hidden"))
  .filter((part) => getComputedStyle(part).display !== "inline")
  .filter((part) => part.scrollWidth > part.clientWidth + 1)
  .map((part) => part.outerHTML.slice(0, 120))"""


def scripts_of(watched: Watched) -> list[str]:
    return [url for url in watched.requests if url.endswith(".js")]


async def check(page: Page, language: str, view: str) -> None:
    """Nothing is wider than its room."""
    size = page.viewport_size or {"width": 0}
    await page.screenshot(path=PICTURES / f"{language}-{view}-{size['width']}.png")
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not await page.evaluate(wide), view
    assert await page.evaluate(CUT_OFF) == [], view


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_language_has_room_on_every_view(
    site: Site, backend: FakeBackend, language: str, size: tuple[int, int]
) -> None:
    async with site.reading(size=size, locale=language) as watched:
        page = watched.page
        await check(page, language, "book")
        if size == PHONE:
            await page.locator("#sheet").click()
        await check(page, language, "welcome")
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(len(QUOTES))
        backend.script = lambda question: [make_refusal(question.text)]
        await ask(watched, "Who won the cup?")
        await expect(page.locator(".refusal")).to_have_count(1)
        unfold = "for (const fold of document.querySelectorAll('details')) fold.open = true"
        await page.evaluate(unfold)
        await check(page, language, "answers")
        await page.locator("#session-count").click()
        await check(page, language, "conversations")
        await page.keyboard.press("Escape")
        await page.locator("#viewing-button").click()
        await check(page, language, "looks")
        await page.goto(f"{site.url}/#/")
        await page.locator(".add > summary").click()
        await check(page, language, "shelf")
        await page.goto(f"{site.url}/#/{BOOK.slug}?front")
        await expect(page.locator(".front h1")).to_be_visible()
        await check(page, language, "front")


SIZES = """["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
  .map((entry) => [entry.name, entry.encodedBodySize])"""


async def test_a_first_view_in_another_language_takes_at_most_eight_requests_and_150_kb(
    site: Site,
) -> None:
    async with site.reading(locale="ru-RU") as watched:
        await watched.page.wait_for_load_state("networkidle")
        loaded = await watched.page.evaluate(SIZES)
    assert len(loaded) <= 8, [name for name, _ in loaded]
    assert sum(size for _, size in loaded) <= 150_000


WHERE_WORDS_BEGIN = """line => { const range = document.createRange(); range.selectNodeContents(line);
  const [words, room] = [range.getBoundingClientRect(), line.getBoundingClientRect()];
  return room.right - words.right < 2 ? "right" : words.left - room.left < 2 ? "left" : "" }"""


@pytest.mark.parametrize("locale", ["ar-EG", "en-GB"])
async def test_a_question_stands_where_its_letters_begin(site: Site, locale: str) -> None:
    async with site.reading(locale=locale) as watched:
        for question in ("كيف تعمل الطاحونة؟", "How does it work?"):
            await ask(watched, question)
            asked = watched.page.locator(".asked h3").last
            await expect(asked).to_have_text(question)
            begins = "left" if question.isascii() else "right"
            assert await asked.evaluate(WHERE_WORDS_BEGIN) == begins


async def test_a_german_browser_reads_german_and_loads_no_other_language(site: Site) -> None:
    async with site.reading(locale="de-DE") as watched:
        page = watched.page
        assert await page.get_attribute("html", "lang") == "de"
        assert await page.get_attribute("html", "dir") == "ltr"
        await expect(page.get_by_role("button", name="Textstellen finden")).to_be_visible()
        await expect(page.get_by_placeholder("Das Buch fragen…")).to_be_visible()
        await expect(page.get_by_role("navigation", name="Inhalt")).to_be_visible()
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(len(QUOTES))
        await expect(page.locator(".quotations summary")).to_have_text("3 Zitate")
        await expect(page.locator(".standing")).to_contain_text("in den Worten des Buchs")
        assert await page.locator(".page").get_attribute("lang") == BOOK.language
        assert len(scripts_of(watched)) == 2


async def test_an_english_browser_and_one_of_no_known_language_load_no_dictionary(
    site: Site,
) -> None:
    for locale in ("en-GB", "sv-SE"):
        async with site.reading(locale=locale) as watched:
            await expect(watched.page.locator("#send")).to_have_text("Ask")
            assert len(scripts_of(watched)) == 1


async def side_of(part: Locator) -> str:
    box = await part.bounding_box()
    assert box
    return "left" if box["x"] + box["width"] / 2 < DESKTOP[0] / 2 else "right"


async def test_arabic_is_mirrored_and_the_text_of_an_english_book_is_not(site: Site) -> None:
    async with site.reading(locale="ar-EG") as watched:
        page = watched.page
        assert await page.get_attribute("html", "dir") == "rtl"
        assert await side_of(page.locator("#contents")) == "right"
        assert await side_of(page.locator("#ask")) == "left"
        assert await side_of(page.locator(".mark-of-house")) == "right"
        direction = "part => getComputedStyle(part).direction"
        assert await page.locator(".page").evaluate(direction) == "ltr"
        await ask(watched)
        await expect(page.locator(".quotations summary")).to_have_text("3 اقتباسات")
        await page.locator(".quotations summary").click()
        assert await page.locator(".answer .sentence").first.evaluate(direction) == "ltr"
        quoted = page.locator(".proof q").first
        assert await quoted.evaluate("part => getComputedStyle(part).unicodeBidi") == "plaintext"
        assert await page.locator(".quotations summary").evaluate(direction) == "rtl"
        await check(page, "ar-EG", "answer")
        if AXE.exists() or os.environ.get("CI"):
            assert await violations(page) == []


async def test_the_language_that_a_reader_chooses_is_kept(site: Site) -> None:
    async with site.reading(locale="en-GB") as watched:
        page = watched.page
        await page.locator("#viewing-button").click()
        names = await page.locator("#language option").all_text_contents()
        assert names[0] == "As the browser"
        assert {"Deutsch", "русский", "العربية", "日本語"} <= set(names)
        await page.locator("#language").select_option("ru")
        await expect(page.locator("#send")).to_have_text("Спросить")
        await page.goto(f"{site.url}/#/")
        await page.reload()
        await expect(page.locator(".shelf h1")).to_have_text("Какая книга?")
        await page.locator("#viewing-button").click()
        assert await page.locator("#language").input_value() == "ru"
        await page.locator("#language").select_option("")
        await expect(page.locator(".shelf h1")).to_have_text("Which book?")


async def test_a_dictionary_that_does_not_come_leaves_the_page_in_english(site: Site) -> None:
    async with site.open(FIRST) as watched:
        await watched.page.wait_for_selector(".page h1")
        [script] = scripts_of(watched)
    async with site.open("/healthz", locale="fr-FR") as watched:
        await watched.page.route(
            "**/bundle/*.js",
            lambda route: route.continue_() if route.request.url == script else route.abort(),
        )
        await watched.page.goto(f"{site.url}{FIRST}")
        await expect(watched.page.locator("#send")).to_have_text("Ask")
        assert await watched.page.get_attribute("html", "lang") == "en"


async def test_a_problem_is_told_in_the_language_of_its_reader(site: Site) -> None:
    async with site.open("/#/no-such-book", locale="es-ES") as watched:
        notice = watched.page.get_by_role("alert")
        await expect(notice).to_contain_text("No está aquí, o ya no.")
        await expect(notice.get_by_role("button")).to_have_text("Intentar de nuevo")


async def test_the_review_speaks_the_language_of_who_reviews(site: Site) -> None:
    async with site.open("/review", locale="ja-JP") as watched:
        page = watched.page
        await expect(page.locator("h1")).to_have_text("レビュー")
        await expect(page.get_by_label("結果")).to_be_visible()
        assert await page.title() == "レビュー · Quoth"


@pytest.mark.parametrize(
    ("attributes", "language", "label"),
    [
        ({"lang": "de"}, "de", "Das Buch fragen"),
        ({"lang": "sv"}, "en", "Ask the book"),
        ({}, "en", "Ask the book"),
        ({"lang": "ar"}, "ar", "اسأل الكتاب"),
    ],
)
async def test_the_widget_speaks_what_its_attribute_says_else_as_the_page_around(
    widget_site: WidgetSite, attributes: dict[str, str], language: str, label: str
) -> None:
    widget_site.attributes = attributes
    async with widget_site.reading(locale="fr-FR") as watched:
        chat = watched.page.locator("quoth-chat")
        await expect(chat.locator("#opener")).to_have_text(label)
        panel = await ask_widget(watched)
        await expect(panel.locator(".proofs li")).to_have_count(len(QUOTES))
        assert await panel.get_attribute("lang") == language
        assert await panel.get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
        assert await watched.page.get_attribute("html", "lang") == "en"
        await watched.page.screenshot(path=PICTURES / f"{language}-widget.png")
