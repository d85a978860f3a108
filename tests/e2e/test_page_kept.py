"""What the page keeps: conversations, places and drafts, through reloads and whatever storage does."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.async_api import Page, expect

from tests.support.browser import PHONE, Watched, needs_browser, wait_until
from tests.support.gateway_fakes import BOOK, EVIL, QUOTES, FakeBackend, events_of, make_answer
from tests.support.page_site import FIRST, Site, ask

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]

OTHER = msgspec.structs.replace(BOOK, slug="other", title="Another book")
FORBIDDEN = """for (const name of ["sessionStorage", "localStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });"""
FULL = (
    'Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };'
)


async def ask_once(watched: Watched, question: str) -> None:
    before = await watched.page.locator(".exchange").count()
    await ask(watched, question)
    await expect(watched.page.locator(".exchange")).to_have_count(before + 1)
    await expect(watched.page.locator(".exchange").last.locator(".proofs li")).to_have_count(3)


async def reload(page: Page) -> None:
    await page.reload()
    await page.wait_for_selector(".page h1")


async def kept(page: Page) -> dict[str, Any]:
    text = await page.evaluate("sessionStorage.getItem('chatbot_session')")
    return dict(json.loads(text))


async def questions_on(page: Page) -> list[str]:
    return await page.locator(".asked h3").all_inner_texts()


async def test_a_conversation_survives_a_reload_and_its_citations_still_lead_to_their_words(
    site: Site, backend: FakeBackend
) -> None:
    async with site.reading() as watched:
        page = watched.page
        assert await page.evaluate("sessionStorage.getItem('chatbot_session')") is None
        await ask_once(watched, "How does it work?")
        before = await page.locator(".exchange").inner_text()
        session = await kept(page)
        assert re.fullmatch(r"[0-9a-f-]{36}", session["session_id"])
        assert [message["role"] for message in session["messages"]] == ["user", "assistant"]
        await reload(page)
        assert await page.locator(".exchange").inner_text() == before
        await page.locator(".chip").nth(1).click()
        await expect(page.locator(".page mark")).to_have_text(QUOTES[1])
        await ask_once(watched, "And then?")
    said = [message.content for message in backend.histories[1]]
    assert said == ["How does it work?", " ".join(QUOTES)]


async def test_each_book_has_a_conversation_and_a_draft_of_its_own(
    site: Site, backend: FakeBackend
) -> None:
    backend.books = [BOOK, OTHER]
    async with site.reading() as watched:
        page = watched.page
        await ask_once(watched, "How does it work?")
        await page.fill("#question", "And when")
        await page.goto(f"{site.url}/#/other")
        await expect(page.locator("#bar-title")).to_have_text("Another book")
        await expect(page.locator(".welcome")).to_be_visible()
        await expect(page.locator("#question")).to_have_value("")
        await ask_once(watched, "What is another book?")
        await page.go_back()
        await expect(page.locator(".asked h3")).to_have_text("How does it work?")
        await expect(page.locator("#question")).to_have_value("And when")
        await reload(page)
        assert await questions_on(page) == ["How does it work?"]
        await expect(page.locator("#question")).to_have_value("And when")


async def test_the_address_of_no_book_shows_nothing_of_the_one_before(site: Site) -> None:
    async with site.open(FIRST) as watched:
        page = watched.page
        await expect(page.locator("#bar-title")).to_have_text(BOOK.title)
        await page.evaluate("location.hash = '#/nonesuch'")
        await expect(page.get_by_role("alert")).to_be_visible()
        await expect(page.locator("#bar-title")).to_be_empty()
        for gone in ("#bar-edition", "#question", "#conversation", "#contents"):
            await expect(page.locator(gone)).to_be_hidden()
        await page.go_back()
        await expect(page.locator("#bar-title")).to_have_text(BOOK.title)
        await expect(page.locator("#question")).to_be_visible()


async def test_a_new_question_takes_away_what_was_said_of_the_one_before(site: Site) -> None:
    async with site.reading() as watched:
        page = watched.page
        await ask_once(watched, "How does it work?")
        await expect(page.locator("#announcement")).not_to_be_empty()
        await page.route("**/answers", lambda _: None)
        await ask(watched, "And then?")
        await expect(page.locator("#announcement")).to_be_empty()


async def test_a_selected_passage_waits_for_its_question_through_a_reload(site: Site) -> None:
    async with site.reading() as watched:
        page = watched.page
        await watched.select("The pond fills by itself twice a day.")
        await page.get_by_role("button", name="Ask about this").click()
        await reload(page)
        await expect(page.locator("#selection blockquote")).to_have_text(
            "The pond fills by itself twice a day."
        )


@pytest.mark.fault("P4")
async def test_a_question_that_a_reload_interrupted_is_kept_and_asked_again_by_a_click(
    site: Site, backend: FakeBackend
) -> None:
    never = asyncio.Event()
    backend.script = lambda _: [*events_of(make_answer())[:2], never]
    async with site.reading() as watched:
        page = watched.page
        await ask(watched, "How does it work?")
        await expect(page.locator(".sentence")).to_have_count(1)
        await reload(page)
        await expect(page.locator(".exchange .notice")).to_contain_text("Interrupted")
        await expect(page.locator(".sentence")).to_have_count(0)
        assert len(backend.questions) == 1
        backend.script = lambda question: [*events_of(make_answer(question.text))]
        await page.get_by_role("button", name="Ask again").click()
        await expect(page.locator(".proofs li")).to_have_count(3)
        assert await questions_on(page) == ["How does it work?"]
        assert len((await kept(page))["messages"]) == 2
        await ask(watched, "And then?")
        await expect(page.locator(".proofs")).to_have_count(2)
    first, again, other = backend.questions
    assert first.text == again.text
    # What was answered meanwhile is found again under the key, and not answered anew.
    assert first.request_key == again.request_key != ""
    assert other.request_key != first.request_key


async def test_found_passages_are_kept_too(site: Site) -> None:
    async with site.reading() as watched:
        page = watched.page
        await page.fill("#question", "gates")
        await page.get_by_role("button", name="Find passages").click()
        await expect(page.locator(".passages .found")).to_have_count(3)
        await reload(page)
        await expect(page.locator(".asked h3")).to_have_text("Passages on gates")
        await page.locator(".passages .found").nth(1).click()
        await expect(page.locator(".page mark")).to_have_text(QUOTES[1])


async def test_a_conversation_is_begun_gone_back_to_and_deleted(site: Site) -> None:
    async with site.reading() as watched:
        page = watched.page
        page.on("dialog", lambda dialog: dialog.accept())
        await expect(page.locator("#session-bar")).to_be_hidden()
        await ask_once(watched, "First?")
        await page.get_by_role("button", name="New conversation").click()
        await expect(page.locator(".exchange")).to_have_count(0)
        await ask_once(watched, "Second?")
        await page.get_by_role("button", name="2 conversations").click()
        await page.locator("#sessions").get_by_role("button", name="First?", exact=True).click()
        assert await questions_on(page) == ["First?"]
        await page.get_by_role("button", name="2 conversations").click()
        await page.get_by_role("button", name="Delete: First?").click()
        await expect(page.locator(".welcome")).to_be_visible()
        await expect(page.locator("#sessions li")).to_have_count(1)
        await page.get_by_role("button", name="Delete: Second?").click()
        await expect(page.locator("#session-bar")).to_be_hidden()
        await reload(page)
        await expect(page.locator(".welcome")).to_be_visible()


async def test_a_conversation_is_saved_as_markdown_with_its_citations(
    site: Site, tmp_path: Path
) -> None:
    async with site.reading() as watched:
        page = watched.page
        await ask_once(watched, "How does it work?")
        await page.get_by_role("button", name="1 conversation").click()
        async with page.expect_download() as downloading:
            await page.get_by_role("button", name="Save as Markdown").click()
        saved = await downloading.value
        await saved.save_as(tmp_path / "saved.md")
        text = (tmp_path / "saved.md").read_text("utf-8")
        assert saved.suggested_filename.startswith(f"{BOOK.slug}-20")
        assert "## How does it work?" in text
        assert f"1. “{QUOTES[0]}” How a tide mill works, edition 3. <{site.url}/#/" in text
        second = next(line for line in text.splitlines() if line.startswith("2. "))
        await page.goto(second.rpartition("<")[2].rstrip(">"))
        await expect(page.locator(".page mark")).to_have_text(QUOTES[1])


async def test_two_tabs_keep_a_conversation_each(site: Site) -> None:
    async with site.reading() as watched:
        page = watched.page
        await ask_once(watched, "In the first tab?")
        second = await page.context.new_page()
        await second.goto(site.url + FIRST)
        await second.wait_for_selector(".page h1")
        await expect(second.locator(".welcome")).to_be_visible()
        await ask_once(Watched(second, site.url), "In the second tab?")
        await reload(page)
        await reload(second)
        assert await questions_on(page) == ["In the first tab?"]
        assert await questions_on(second) == ["In the second tab?"]


@pytest.mark.parametrize("script", [FORBIDDEN, FULL], ids=["forbidden", "full"])
async def test_a_browser_that_keeps_nothing_shows_the_page_and_says_what_is_lost(
    site: Site, script: str
) -> None:
    async with site.reading() as watched:
        page = watched.page
        await page.add_init_script(script)
        await reload(page)
        await ask_once(watched, "How does it work?")
        await expect(page.locator(".unkept")).to_contain_text("lost when the page is left")
        await ask_once(watched, "And then?")
        await expect(page.locator(".unkept")).to_have_count(1)
        await page.locator(".chip").first.click()
        await expect(page.locator("mark").first).to_be_in_viewport()


@pytest.mark.parametrize(
    "foreign",
    [
        "no JSON",
        "[[]]",
        '{"session_id":"x","book":"tide-mills","created_at":"never","messages":7}',
        json.dumps({"session_id": "x", "book": "tide-mills", "created_at": "", "messages": [None]}),
    ],
)
async def test_stored_values_of_another_site_or_version_never_break_the_page(
    site: Site, foreign: str
) -> None:
    async with site.reading() as watched:
        page = watched.page
        for key in ("chatbot_session", "chatbot_session_others", "quoth_left"):
            await page.evaluate("pair => sessionStorage.setItem(...pair)", [key, foreign])
        await page.evaluate("history.replaceState('foreign', '')")
        await reload(page)
        await expect(page.locator(".welcome")).to_be_visible()
        await ask_once(watched, "How does it work?")
        await reload(page)
        assert await questions_on(page) == ["How does it work?"]


@pytest.mark.control("V8")
async def test_a_kept_answer_that_can_not_be_drawn_is_shown_as_its_words(site: Site) -> None:
    message = {"timestamp": "2026-11-21T12:00:00Z", "mode": "rag"}
    session = {
        "session_id": "x",
        "book": BOOK.slug,
        "created_at": "2026-11-21T12:00:00Z",
        "messages": [
            {**message, "role": "user", "content": EVIL, "selection": {"text": 7}},
            {**message, "role": "assistant", "content": EVIL, "answer": {"citations": "none"}},
        ],
    }
    async with site.reading() as watched:
        page = watched.page
        await page.evaluate(
            "kept => sessionStorage.setItem('chatbot_session', kept)", json.dumps(session)
        )
        await reload(page)
        await expect(page.locator(".exchange h3")).to_have_text(EVIL)
        await expect(page.locator(".exchange > p")).to_have_text(EVIL)


async def test_the_place_in_the_text_survives_reload_back_and_another_book(
    site: Site, backend: FakeBackend
) -> None:
    backend.books = [BOOK, OTHER]
    async with site.reading(f"/#/{BOOK.slug}/keeping.md") as watched:
        page = watched.page
        await scroll_to(page, 700)
        await reload(page)
        await expect_scrolled_to(page, 700)
        await page.locator(".contents a").first.click()
        await expect(page.locator(".page h1")).to_have_text("How a tide mill works")
        await expect_scrolled_to(page, 0)
        await page.go_back()
        await expect_scrolled_to(page, 700)
        await page.goto(f"{site.url}/#/")
        await page.locator(".card").last.click()
        await expect(page.locator("#bar-title")).to_have_text("Another book")
        await expect_scrolled_to(page, 0)
        await page.goto(f"{site.url}/#/")
        await page.locator(".card").first.click()
        await expect(page.locator(".page h1")).to_contain_text("Keeping the mill")
        await expect_scrolled_to(page, 700)


async def test_a_citation_clicked_twice_is_gone_to_twice(site: Site) -> None:
    async with site.reading(size=(1280, 500)) as watched:
        page = watched.page
        await ask_once(watched, "How does it work?")
        await page.locator(".chip").nth(2).click()
        await expect(page.locator("mark").first).to_be_in_viewport()
        await scroll_to(page, 0)
        await expect(page.locator("mark").first).not_to_be_in_viewport()
        await page.locator(".chip").nth(2).click()
        await expect(page.locator("mark").first).to_be_in_viewport()


@pytest.mark.parametrize("size", [(1280, 900), PHONE], ids=["desktop", "phone"])
async def test_the_conversation_is_where_it_was_read(site: Site, size: tuple[int, int]) -> None:
    async with site.reading(size=size) as watched:
        page = watched.page
        await open_panel(page, size)
        for number in range(3):
            await ask_once(watched, f"Question {number}?")
        await page.evaluate("document.querySelector('#conversation').scrollTop = 120")
        await wait_until(page, "sessionStorage.quoth_left?.includes('\"scroll\":120')")
        await reload(page)
        await open_panel(page, size)
        await wait_until(page, "document.querySelector('#conversation').scrollTop === 120")


async def open_panel(page: Page, size: tuple[int, int]) -> None:
    if size == PHONE:
        await page.get_by_role("button", name="Ask the book").click()


async def scroll_to(page: Page, y: int) -> None:
    await page.evaluate("y => scrollTo({ top: y, behavior: 'instant' })", y)
    await wait_until(page, "y => history.state?.y === y", y)


async def expect_scrolled_to(page: Page, y: int) -> None:
    await wait_until(page, "y => Math.abs(scrollY - y) < 2", y)
