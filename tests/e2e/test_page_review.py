"""The page of those who look after the record: what was asked is found, opened, graded and counted."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest
from playwright.async_api import Browser, Dialog, expect

from services.gateway.adapters.moving_window import MovingWindow
from services.gateway.bootstrap import bootstrap
from services.gateway.model.review import GradeRequest, ReviewList, ReviewQuery
from services.gateway.server import listen, start_server
from services.gateway.settings import Exposure, Settings
from tests.e2e.test_page_everyone import AXE, SMALL, check
from tests.support.browser import DESKTOP, PHONE, Watched, needs_browser
from tests.support.gateway_fakes import EVIL, REVIEWED, SLUG, FakeBackend
from tests.support.key_fakes import FakeKeys
from tests.support.page_site import Site

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]

OPENED = f"/review#/answers/{REVIEWED.answer_id}"


@asynccontextmanager
async def reviewing(site: Site, path: str = "/review", **options: object) -> AsyncIterator[Watched]:
    """Open the page, which must complain of nothing and stay at home."""
    async with site.open(path, **options) as watched:
        yield watched
        assert watched.complaints == []
        assert watched.foreign_requests() == []
        assert await watched.page.evaluate("window.hacked") is None


def queries(backend: FakeBackend) -> list[ReviewQuery]:
    return [asked[1] for asked in backend.asked if isinstance(asked[1], ReviewQuery)]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_questions_are_chosen_and_read_on(
    site: Site, backend: FakeBackend, size: tuple[int, int]
) -> None:
    async with reviewing(site, size=size) as watched:
        page = watched.page
        await expect(page.locator(".question")).to_have_count(1)
        await expect(page.locator(".question")).to_contain_text("reader: it did not help")
        await page.get_by_label("Book").select_option(SLUG)
        await page.get_by_label("Outcome").select_option("answered")
        await page.get_by_label("Confidence").select_option("low")
        await page.get_by_label("Feedback").select_option("down")
        await page.get_by_label("Grade").select_option("none")
        await page.get_by_label("From").fill("2026-11-01")
        await page.get_by_label("Words").fill("pond")
        await page.get_by_role("button", name="Show").press("Enter")
        await page.wait_for_url("**text=pond")
        await page.get_by_role("button", name="More").click()
        await expect(page.locator(".question")).to_have_count(2)
        assert await page.evaluate("document.activeElement.className") == "question"
        first, more = queries(backend)[-2:]
        assert (first.book, first.outcome, first.confidence) == (SLUG, "answered", "low")
        assert (first.rating, first.graded, first.text) == ("down", False, "pond")
        assert first.since is not None
        assert msgspec.structs.replace(more, cursor="") == first
        assert more.cursor == "next"
        await page.reload()
        await expect(page.get_by_label("Words")).to_have_value("pond")


async def test_an_answer_is_opened_with_its_proof_and_graded_by_keyboard(
    site: Site, backend: FakeBackend
) -> None:
    async with reviewing(site) as watched:
        page = watched.page
        await page.locator(".question").focus()
        await page.keyboard.press("Enter")
        await expect(page.locator(".reviewed h2")).to_be_focused()
        await expect(page.locator(".reviewed-quotes li")).to_have_count(3)
        place = page.locator(".reviewed-quotes a").first
        assert (await place.get_attribute("href") or "").startswith(f"/#/{SLUG}/")
        await page.locator(".receipt > summary").press("Enter")
        await expect(page.locator(".receipt")).to_contain_text("Each quotation was compared")
        await page.get_by_role("radio", name="Right").focus()
        await page.keyboard.press("ArrowDown")
        await expect(page.get_by_role("radio", name="Wrong")).to_be_checked()
        await page.get_by_label("Why").fill("It is the sluice.")
        await page.get_by_label("Document").fill("keeping.md")
        await page.get_by_label("The book’s words").fill("The tide fills it.")
        await page.get_by_role("button", name="Keep the grade").press("Enter")
        await expect(page.locator(".grade-outcome")).to_contain_text("Graded: wrong")
        said = GradeRequest("wrong", "It is the sluice.", "keeping.md", "The tide fills it.")
        assert backend.asked[-1] == ("grade", REVIEWED.answer_id, [], "", said)
        await page.get_by_role("link", name="Back to the questions").click()
        await expect(page.locator(".question")).to_have_count(1)


async def test_coverage_is_counted_by_section_with_its_alarm(
    site: Site, backend: FakeBackend
) -> None:
    async with reviewing(site) as watched:
        page = watched.page
        await page.get_by_role("link", name="Coverage").click()
        await expect(page.locator("#found")).to_contain_text("Choose a book")
        await expect(page.get_by_label("Outcome")).to_be_hidden()
        await page.get_by_label("Book").select_option(SLUG)
        await page.get_by_role("button", name="Show").click()
        await expect(page.locator(".coverage tbody tr")).to_have_text(["Keeping53211"])
        await expect(page.locator("#found .notice")).to_contain_text("more than 15 %")


async def test_nothing_that_anybody_asked_becomes_markup(
    site: Site, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def list_evil(*_: object) -> ReviewList:
        return ReviewList([msgspec.structs.replace(REVIEWED, question=EVIL, text=EVIL)], "")

    monkeypatch.setattr(backend, "list_answers", list_evil)
    async with reviewing(site) as watched:
        await expect(watched.page.locator(".question strong")).to_have_text(EVIL)
        assert await watched.page.locator("#found :is(img, script)").count() == 0


async def test_a_key_is_asked_for_and_one_without_the_scope_is_told_so(
    backend: FakeBackend, browser: Browser
) -> None:
    keys = FakeKeys()
    reader = keys.grant("reader")
    admin = keys.grant("admin", scopes=("read", "admin"))
    app = bootstrap(
        Settings(),
        exposure=Exposure(require_keys=True),
        library=backend,
        intake=backend,
        searcher=backend,
        answerer=backend,
        probes={},
        keys=keys,
        limits=MovingWindow(),
    )
    running = await start_server(app, listen(0))
    for key, shown in ((reader, "scope admin"), (admin, "What fills the pond?")):

        async def enter(dialog: Dialog, key: str = key) -> None:
            await dialog.accept(key)

        fresh = await browser.new_context()
        page = await fresh.new_page()
        page.on("dialog", enter)
        await page.goto(f"http://127.0.0.1:{running.port}/review")
        await expect(page.locator("#found")).to_contain_text(shown)
        await fresh.close()
    await running.stop()


@pytest.mark.skipif(
    not AXE.exists() and not os.environ.get("CI"), reason="axe-core is not installed in tests/page"
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, SMALL], ids=["desktop", "320 px"])
async def test_no_view_of_the_review_has_a_violation(
    site: Site, scheme: str, size: tuple[int, int]
) -> None:
    async with reviewing(site, size=size, color_scheme=scheme) as watched:
        page = watched.page
        await expect(page.locator(".question")).to_have_count(1)
        await check(page, "questions")
        await page.locator(".question").click()
        await expect(page.locator(".grade-form")).to_have_count(1)
        await page.evaluate(
            "for (const fold of document.querySelectorAll('details')) fold.open = true"
        )
        await check(page, "answer")
        await page.goto(f"{site.url}/review#/coverage?book={SLUG}")
        await expect(page.locator(".coverage")).to_have_count(1)
        await check(page, "coverage")
