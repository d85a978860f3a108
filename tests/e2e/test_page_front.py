"""The front door of a book, and answers at addresses of their own."""

import asyncio

import msgspec
import pytest
from playwright.async_api import expect

from libs.errors import QuothError, Unavailable
from services.gateway.keys import LOCAL
from services.gateway.model.answers import Answer
from services.gateway.model.books import Book
from tests.support.browser import PHONE, needs_browser
from tests.support.gateway_fakes import (
    BOOK,
    DOCUMENTS,
    EVIL,
    QUOTES,
    SLUG,
    FakeBackend,
    events_of,
    make_answer,
    make_refusal,
)
from tests.support.page_site import Site, ask

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]
ABOUT = "What is this book about?"


def keep(backend: FakeBackend, answer: Answer) -> str:
    """Have the answer found by its id; returns its address."""
    backend.kept[LOCAL.client, answer.answer_id] = answer
    return f"/#/{SLUG}?answer={answer.answer_id}"


async def test_nothing_unseen_makes_a_short_page_scroll(site: Site) -> None:
    async with site.open("/#/nothing-is-here") as watched:
        await expect(watched.page.locator(".layout")).to_be_visible()
        beyond = "document.documentElement.scrollHeight - innerHeight"
        assert await watched.page.evaluate(beyond) == 0


async def test_the_front_door_says_what_the_book_is_and_what_it_is_about(
    site: Site, backend: FakeBackend
) -> None:
    backend.script = lambda asked: [*events_of(make_answer(asked.text, (QUOTES[0],)))]
    async with site.open("/") as watched:
        page = watched.page
        await expect(page.locator(".front h1")).to_have_text(BOOK.title)
        await expect(page.locator(".facts")).to_contain_text("English · 2 documents · edition 3")
        await expect(page.locator(".front blockquote")).to_have_text(QUOTES[0])
        titles = page.locator(".tree a")
        await expect(titles).to_have_text([document.title for document in DOCUMENTS.values()])
        await page.get_by_role("link", name="How a tide mill works").first.click()
        assert "".join(await watched.highlighted()) == QUOTES[0]
        assert watched.complaints == []
    assert [question.text for question in backend.questions] == [ABOUT]
    # Asked once a day, whoever opens the book.
    assert backend.questions[0].request_key.startswith(f"about-{SLUG}-3-")


async def test_a_long_title_at_the_front_door_stays_within_a_phone(
    site: Site, backend: FakeBackend
) -> None:
    def about(asked: str) -> Answer:
        made = make_answer(asked, (QUOTES[0],))
        long = [msgspec.structs.replace(made.citations[0], section_path=["Mill" * 30])]
        return msgspec.structs.replace(made, citations=long)

    backend.script = lambda asked: [*events_of(about(asked.text))]
    async with site.open("/", size=PHONE) as watched:
        place = watched.page.locator(".front figcaption a")
        await expect(place).to_have_text("Mill" * 30)
        assert await place.evaluate("link => link.getBoundingClientRect().right <= innerWidth")


async def test_the_front_door_names_authors_and_year_where_the_book_does(
    site: Site, backend: FakeBackend
) -> None:
    async with site.open("/") as watched:
        await expect(watched.page.locator(".facts")).to_be_visible()
        await expect(watched.page.locator(".byline")).to_have_count(0)
    many = ["Ada Wong", EVIL, *"CDEFGH"]
    for authors, year, told in (
        (many, 2024, f"Ada Wong, {EVIL}, C, D, E, F and 2 more · 2024"),
        (["Ada Wong"], 0, "Ada Wong"),
        ([], 1999, "1999"),
    ):
        backend.books = [msgspec.structs.replace(BOOK, authors=authors, year=year)]
        async with site.open("/") as watched:
            await expect(watched.page.locator(".byline")).to_have_text(told)
            assert watched.complaints == []
            assert await watched.page.evaluate("window.hacked") is None


@pytest.mark.parametrize("kind", ["refused", "unavailable", "another language"])
async def test_a_book_that_does_not_say_what_it_is_about_has_a_front_door_without(
    site: Site, backend: FakeBackend, kind: str
) -> None:
    failures: dict[str, Answer | QuothError] = {
        "refused": make_refusal(ABOUT),
        "unavailable": Unavailable("The generation service does not answer."),
    }
    if kind in failures:
        backend.script = lambda _: [failures[kind]]
    else:
        backend.books = [msgspec.structs.replace(BOOK, language="de")]
    async with site.open("/") as watched:
        page = watched.page
        await page.get_by_role("link", name="Begin to read").click()
        await expect(page.locator(".page h1")).to_have_text("How a tide mill works")
        await page.go_back()
        await expect(page.locator(".front h1")).to_have_text(BOOK.title)
        await expect(page.locator(".about figure")).to_have_count(0)
    assert len(backend.questions) == (kind != "another language")


async def test_a_book_offers_questions_to_begin_with(site: Site, backend: FakeBackend) -> None:
    backend.suggested = ["What fills the pond?", EVIL]
    async with site.open("/") as watched:
        page = watched.page
        for place in (".front", ".welcome"):
            await expect(page.locator(f"{place} .starters button")).to_have_text(backend.suggested)
        await page.locator(".front .starters button").first.click()
        await expect(page.locator(".exchange h3")).to_have_text("What fills the pond?")
        assert watched.complaints == []


async def test_a_returning_reader_goes_on_in_the_book_and_opens_its_front_by_its_title(
    site: Site,
) -> None:
    async with site.reading(f"/#/{SLUG}/keeping.md") as watched:
        page = watched.page
        await page.goto(f"{site.url}/#/")
        await page.locator(".card").click()
        await expect(page.locator(".page h1")).to_contain_text("Keeping the mill")
        await page.locator("#bar-title").click()
        await expect(page.locator(".front h1")).to_have_text(BOOK.title)
        await page.get_by_role("link", name="Go on reading: Keeping").click()
        await expect(page.locator(".page h1")).to_contain_text("Keeping the mill")
        await page.go_back()
        await expect(page.locator(".front h1")).to_have_text(BOOK.title)


async def test_an_answer_has_an_address_that_opens_it_beside_the_place_it_quotes(
    site: Site, backend: FakeBackend
) -> None:
    answer = make_answer()
    address = keep(backend, answer)
    permissions = ["clipboard-read", "clipboard-write"]
    async with site.reading(permissions=permissions) as watched:
        page = watched.page
        await ask(watched)
        await page.get_by_role("button", name="Copy link").click()
        await expect(page.locator("#announcement")).to_have_text("The link was copied.")
        assert await page.evaluate("navigator.clipboard.readText()") == f"{site.url}{address}"
    async with site.reading(address) as watched:
        page = watched.page
        await expect(page.locator(".asked h3")).to_have_text(answer.question)
        await expect(page.locator(".proofs li")).to_have_count(len(QUOTES))
        assert "".join(await watched.highlighted()) == QUOTES[0]
        await expect(page.locator(".answer th[scope=row], .answer td").first).to_be_visible()
        await page.reload()
        await page.wait_for_selector(".page h1")
        await expect(page.locator(".exchange")).to_have_count(1)
        await ask(watched, "And then?")
        await expect(page.locator(".exchange")).to_have_count(2)
    said = [message.content for message in backend.histories[-1]]
    assert said == [answer.question, answer.text]


async def test_the_address_of_a_refusal_opens_it_at_the_front_door(
    site: Site, backend: FakeBackend
) -> None:
    address = keep(backend, make_refusal())
    async with site.open(address, size=PHONE) as watched:
        page = watched.page
        await expect(page.locator(".refusal")).to_be_visible()
        await page.get_by_role("button", name="Back to the text").click()
        await expect(page.locator(".front h1")).to_have_text(BOOK.title)
        assert not await watched.overflows()


async def test_two_browsers_go_on_from_one_answer_without_disturbing_each_other(
    site: Site, backend: FakeBackend
) -> None:
    address = keep(backend, make_answer())
    async with site.reading(address) as one, site.reading(address) as other:
        for watched in (one, other):
            await expect(watched.page.locator(".exchange")).to_have_count(1)
        await asyncio.gather(ask(one, "And in winter?"), ask(other, "And in summer?"))
        for watched, asked in ((one, "And in winter?"), (other, "And in summer?")):
            await expect(watched.page.locator(".proofs")).to_have_count(2)
            await watched.page.reload()
            await watched.page.wait_for_selector(".page h1")
            questions = watched.page.locator(".asked h3")
            await expect(questions).to_have_text(["How does it work?", asked])
    assert [len(history) for history in backend.histories] == [2, 2]


@pytest.mark.control("V3")
@pytest.mark.parametrize("whose", ["nobody's", "another client's", "another book's"])
async def test_an_answer_that_is_not_the_reader_s_is_said_not_to_be_there(
    site: Site, backend: FakeBackend, whose: str
) -> None:
    answer = make_answer()
    address = keep(backend, answer)
    if whose != "another book's":
        backend.kept.clear()
    else:
        address = address.replace(SLUG, "other")
    if whose == "another client's":
        backend.kept["somebody", answer.answer_id] = answer
    async with site.open(address) as watched:
        told = watched.page.get_by_role("alert")
        await expect(told).to_contain_text("not kept here, or it was given to somebody else")
        assert await watched.page.locator(".answer").count() == 0


@pytest.mark.control("V8")
async def test_markup_in_a_title_and_in_what_it_is_about_stays_text(
    site: Site, backend: FakeBackend
) -> None:
    backend.books = [Book(SLUG, EVIL, 3, 2, 8, "en", None)]
    backend.script = lambda asked: [*events_of(make_answer(asked.text, (EVIL,)))]
    async with site.open("/") as watched:
        page = watched.page
        await expect(page.locator(".front h1")).to_have_text(EVIL)
        await expect(page.locator(".front blockquote")).to_have_text(EVIL)
        await expect(page.locator("#bar-title")).to_have_text(EVIL)
        assert await page.locator(".front img, .front script").count() == 0
        assert await page.evaluate("window.hacked") is None
        assert watched.foreign_requests() == []
