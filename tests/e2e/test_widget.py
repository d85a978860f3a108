"""The widget in the pages of another site, whose key may ask and no more."""

import re

import msgspec
import pytest
from playwright.async_api import expect

from services.gateway.model.answers import Answer, SelectedText
from tests.e2e.test_page_everyone import AXE, violations
from tests.support.browser import PHONE, needs_browser, open_page
from tests.support.gateway_fakes import (
    EVIL,
    QUOTES,
    SLUG,
    FakeBackend,
    events_of,
    make_answer,
    make_refusal,
)
from tests.support.widget_site import PARAGRAPH, WidgetSite, ask_widget

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]


FORMULA = r"Here $\eta$ is the share"
"""Words of the invented book."""


def with_url(answer: Answer, url: str) -> Answer:
    """Return the answer with its places on the book's own site."""
    cited = [msgspec.structs.replace(citation, url=url) for citation in answer.citations]
    return msgspec.structs.replace(answer, citations=cited)


async def test_a_page_of_another_site_asks_and_sees_sentences_with_their_quotations(
    widget_site: WidgetSite, backend: FakeBackend
) -> None:
    async with widget_site.reading() as watched:
        panel = await ask_widget(watched)
        await expect(panel.locator(".proofs li")).to_have_count(len(QUOTES))
        await panel.locator(".chip").first.hover()
        card = watched.page.locator("quoth-chat #quotation-card")
        await expect(card.locator("q")).to_have_text(QUOTES[0])
        await watched.page.mouse.move(1, 1)
        await expect(card).to_be_hidden()
        await ask_widget(watched, "And then?")
        await expect(panel.locator(".exchange")).to_have_count(2)
        await expect(panel.locator(".proofs li")).to_have_count(2 * len(QUOTES))
    assert [question.client for question in backend.questions] == ["docs", "docs"]
    assert backend.histories[1][0].content == "How does it work?"


async def test_a_page_that_nobody_asks_takes_two_requests_and_40_kb_of_the_gateway(
    widget_site: WidgetSite,
) -> None:
    async with widget_site.reading() as watched:
        await watched.page.wait_for_load_state("networkidle")
        asked = [url for url in watched.requests if url.startswith(widget_site.gateway)]
        assert asked[0].endswith("/widget.js")
        assert len(asked) == 2
        sizes = []
        for url in asked:
            response = await watched.page.request.get(url, headers={"Accept-Encoding": "gzip"})
            sizes.append(int(response.headers["content-length"]))
    assert 10_000 < sum(sizes) <= 40_000


async def test_the_conversation_survives_a_reload_and_another_page_of_the_site(
    widget_site: WidgetSite,
) -> None:
    async with widget_site.reading() as watched:
        await ask_widget(watched)
        panel = watched.page.locator("quoth-chat #panel")
        await expect(panel.locator(".proofs li")).to_have_count(3)
        await watched.page.goto(f"{widget_site.url}/docs/gates")
        await watched.page.locator("quoth-chat #opener").click()
        await expect(panel.locator(".asked h3")).to_have_text("How does it work?")
        await expect(panel.locator(".proofs li")).to_have_count(3)


async def test_the_style_of_the_site_does_not_reach_into_the_widget(
    widget_site: WidgetSite,
) -> None:
    async with widget_site.reading(color_scheme="light") as watched:
        panel = await ask_widget(watched)
        sentence = panel.locator(".answer .sentence").first
        style = await sentence.evaluate(
            "node => { const { fontFamily, letterSpacing, float, color } = getComputedStyle(node);"
            " return [fontFamily, letterSpacing, float, color] }"
        )
        assert "cursive" not in style[0]
        assert style[1:] == ["normal", "none", "rgb(37, 34, 29)"]


async def test_a_citation_is_offered_to_the_site_first(widget_site: WidgetSite) -> None:
    async with widget_site.reading() as watched:
        await watched.page.evaluate(
            "document.addEventListener('quoth-cite', (event) => {"
            " event.preventDefault(); window.cited = event.detail; })"
        )
        panel = await ask_widget(watched)
        await panel.locator(".chip").nth(1).click()
        cited = await watched.page.evaluate("window.cited")
        assert (cited["document"], cited["quote"]) == ("part one/mills.md", QUOTES[1])
        assert watched.page.url == f"{widget_site.url}/docs/mills"


async def test_a_citation_leads_to_the_book_s_own_site_else_to_quoth_s_page(
    widget_site: WidgetSite, backend: FakeBackend
) -> None:
    async with widget_site.reading() as watched:
        panel = await ask_widget(watched)
        async with watched.page.context.expect_page() as opened:
            await panel.locator(".chip").first.click()
        assert (await opened.value).url.startswith(f"{widget_site.gateway}/#/{SLUG}/part%20one/")
        await (await opened.value).close()
        there = f"{widget_site.url}/docs/gates#three"
        backend.script = lambda asked: [*events_of(with_url(make_answer(asked.text), there))]
        await ask_widget(watched, "And then?")
        await panel.locator(".exchange").nth(1).locator(".chip").first.click()
        await watched.page.wait_for_url(re.compile(r"/docs/gates#three"))


@pytest.mark.control("V7")
@pytest.mark.parametrize(
    "url", ["javascript:window.hacked=1", "data:text/html,x", "//evil.example"]
)
async def test_an_address_that_is_none_of_a_site_is_not_followed(
    widget_site: WidgetSite, backend: FakeBackend, url: str
) -> None:
    backend.script = lambda asked: [*events_of(with_url(make_answer(asked.text), url))]
    async with widget_site.reading() as watched:
        panel = await ask_widget(watched)
        async with watched.page.context.expect_page() as opened:
            await panel.locator(".chip").first.click()
        assert (await opened.value).url.startswith(f"{widget_site.gateway}/#/{SLUG}/")


@pytest.mark.control("V8")
async def test_markup_in_answers_and_attributes_stays_text(
    widget_site: WidgetSite, backend: FakeBackend
) -> None:
    widget_site.attributes["label"] = EVIL
    backend.script = lambda asked: [*events_of(make_answer(asked.text, (EVIL,)))]
    async with widget_site.reading() as watched:
        panel = await ask_widget(watched, EVIL)
        await expect(panel.locator(".proofs q")).to_have_text(EVIL)
        await expect(panel.locator(".asked h3")).to_have_text(EVIL)
        await expect(panel.locator("#panel-title")).to_have_text(EVIL)
        assert await panel.locator("img, script, iframe").count() == 0


async def test_a_selection_on_a_page_of_the_book_is_asked_about(
    widget_site: WidgetSite, backend: FakeBackend
) -> None:
    widget_site.attributes["document"] = "part one/mills.md"
    async with widget_site.reading() as watched:
        page = watched.page
        await page.evaluate("getSelection().selectAllChildren(document.querySelector('#told'))")
        await page.get_by_role("button", name="Ask about this").click()
        await expect(page.locator("quoth-chat #selection blockquote")).to_have_text(PARAGRAPH)
        panel = await ask_widget(watched, "What does it mean?")
        await expect(panel.locator(".proofs li")).to_have_count(3)
    assert backend.questions[0].selection == SelectedText("part one/mills.md", None, PARAGRAPH)


async def test_passages_are_found_and_exact_words_are_not_looked_for(
    widget_site: WidgetSite,
) -> None:
    async with widget_site.reading() as watched:
        chat = watched.page.locator("quoth-chat")
        await chat.locator("#opener").click()
        await chat.locator("#question").fill("gates")
        await chat.get_by_role("button", name="Find passages").click()
        await expect(chat.locator(".search-result h4")).to_have_text(["Passages by meaning"])
        await expect(chat.locator(".found")).to_have_count(3)


async def test_a_key_that_is_not_for_the_site_is_told_and_nobody_is_asked_for_another(
    widget_site: WidgetSite, backend: FakeBackend
) -> None:
    widget_site.attributes["key"] = "quoth_wrong"
    async with widget_site.reading() as watched:
        panel = await ask_widget(watched)
        await expect(panel.get_by_role("alert")).to_contain_text("This key is not valid")
        watched.complaints.clear()  # the browser's own note of the status 401
    assert backend.questions == []


async def test_the_keyboard_opens_asks_and_leaves(widget_site: WidgetSite) -> None:
    async with widget_site.reading() as watched:
        page, chat = watched.page, watched.page.locator("quoth-chat")
        await page.keyboard.press("Tab")
        await expect(chat.locator("#opener")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(chat.locator("#question")).to_be_focused()
        await page.keyboard.type("How does it work?")
        await page.keyboard.press("Enter")
        await expect(chat.locator("#announcement")).to_have_text("Answered with 3 quotations.")
        await page.keyboard.press("Escape")
        await expect(chat.locator("#panel")).to_be_hidden()
        await expect(chat.locator("#opener")).to_be_focused()


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed in tests/page")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 900), (320, 640)], ids=["desktop", "320 px"])
async def test_the_widget_has_no_violation_and_no_sideways_scroll(
    widget_site: WidgetSite, backend: FakeBackend, theme: str, size: tuple[int, int]
) -> None:
    widget_site.attributes["theme"] = theme
    async with widget_site.reading(size=size, bypass_csp=True) as watched:
        panel = await ask_widget(watched)
        await expect(panel.locator(".proofs li")).to_have_count(3)
        backend.script = lambda question: [make_refusal(question.text)]
        await ask_widget(watched, "Who won the cup?")
        await expect(panel.locator(".refusal")).to_have_count(1)
        found = [line for line in await violations(watched.page) if "quoth-chat" in line]
        assert found == []
        assert not await watched.overflows()
        box = await panel.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]


async def test_a_phone_shows_the_panel_over_the_page(widget_site: WidgetSite) -> None:
    async with widget_site.reading(size=PHONE, has_touch=True) as watched:
        panel = await ask_widget(watched)
        await expect(panel.locator(".proofs li")).to_have_count(3)
        await panel.get_by_role("button", name="Close").click()
        await expect(panel).to_be_hidden()
        assert not await watched.overflows()


async def test_half_of_a_low_window_is_for_the_answer_in_the_widget(
    widget_site: WidgetSite,
) -> None:
    async with widget_site.reading(size=(640, 400)) as watched:
        panel = await ask_widget(watched)
        for name in ("Close", "New conversation", "Find passages", "Ask"):
            button = panel.get_by_role("button", name=name, exact=True)
            await expect(button).to_be_in_viewport(ratio=1)
        shown = await panel.locator(".conversation").bounding_box()
        assert shown is not None
        assert shown["height"] > 200


async def test_an_element_without_its_book_says_so_to_who_builds_the_site(
    widget_site: WidgetSite,
) -> None:
    widget_site.attributes = {"book": ""}
    said: list[str] = []
    async with open_page(widget_site.browser, widget_site.url) as watched:
        watched.page.on("console", lambda message: said.append(message.text))
        await watched.page.goto(f"{widget_site.url}/docs/mills")
        opener = watched.page.locator("quoth-chat #opener")
        await expect(opener).to_be_attached()
        await expect(opener).to_be_hidden()
    assert [words for words in said if "attribute book" in words] != []


async def test_formulas_are_drawn_with_a_key_that_may_ask_alone(
    widget_site: WidgetSite, backend: FakeBackend
) -> None:
    backend.script = lambda asked: [*events_of(make_answer(asked.text, (FORMULA,)))]
    async with widget_site.reading() as watched:
        panel = await ask_widget(watched)
        await expect(panel.locator(".answer .tex.drawn").first).to_be_visible()
        await expect(panel.locator(".answer math mi").first).to_have_text("η")


async def test_the_widget_is_as_dark_as_the_page_around_it(widget_site: WidgetSite) -> None:
    async with widget_site.reading(color_scheme="dark") as watched:
        panel = await ask_widget(watched)
        ground = "node => getComputedStyle(node).backgroundColor"
        light = await panel.evaluate(ground)
        await watched.page.evaluate("document.documentElement.style.colorScheme = 'dark'")
        assert await panel.evaluate(ground) != light


async def test_the_opened_widget_offers_questions_that_the_book_answers(
    widget_site: WidgetSite, backend: FakeBackend
) -> None:
    backend.suggested = ["What fills the pond?", EVIL]
    async with widget_site.reading() as watched:
        panel = watched.page.locator("quoth-chat #panel")
        assert backend.asked == []
        await watched.page.locator("quoth-chat #opener").click()
        await expect(panel.locator(".starter")).to_have_text(backend.suggested)
        await panel.locator(".starter").first.click()
        await expect(panel.locator(".asked h3")).to_have_text("What fills the pond?")
        await expect(panel.locator(".proofs li")).to_have_count(3)


async def test_a_page_holds_one_conversation_and_takes_another_when_it_is_gone(
    widget_site: WidgetSite,
) -> None:
    widget_site.markup = "<quoth-chat book='other'></quoth-chat>"
    async with widget_site.reading() as watched:
        page = watched.page
        await expect(page.locator("quoth-chat #opener")).to_have_count(1)
        await page.evaluate(
            "document.querySelector('quoth-chat').remove();"
            "document.body.append(document.createElement('quoth-chat'))"
        )
        await expect(page.locator("quoth-chat #opener")).to_have_count(1)
