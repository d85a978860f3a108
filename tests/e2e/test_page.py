"""The reader page in a real browser, over an invented book."""

import asyncio
import json
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from playwright.async_api import Browser, Dialog, FilePayload, expect

from libs.errors import Unavailable
from services.gateway.model.answers import PassagesFound, SelectedText
from services.gateway.model.passages import Span
from services.gateway.server import listen, start_server
from tests.support.browser import PHONE, needs_browser, open_page
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import (
    BOOK,
    DOCUMENTS,
    EVIL,
    QUOTES,
    FakeBackend,
    events_of,
    locate,
    make_answer,
    make_job,
    make_refusal,
    passage,
)
from tests.support.key_fakes import FakeKeys
from tests.support.page_site import FIRST, Site, answer_once, ask

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]


async def test_every_character_of_the_text_is_on_the_page(site: Site) -> None:
    async with site.reading() as watched:
        for path, document in DOCUMENTS.items():
            await watched.page.goto(f"{site.url}/#/tide-mills/{quote(path)}")
            await expect(watched.page.locator(".page h1")).to_have_text(document.title)
            shown = await watched.page.evaluate("document.querySelector('.page').textContent")
            assert shown == document.text


@pytest.mark.parametrize(("path", "shown"), [("/", ".about figure"), (FIRST, ".page h1")])
async def test_the_first_view_takes_at_most_eight_requests_and_150_kb(
    site: Site, path: str, shown: str
) -> None:
    async with site.open(path) as watched:
        await watched.page.wait_for_selector(shown)
        await watched.page.wait_for_load_state("networkidle")
        loaded = await watched.page.evaluate(
            """["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
            .map((entry) => [entry.name, entry.encodedBodySize, entry.transferSize])"""
        )
    # A new address of the page makes the browser look for its icon again, in its own cache.
    asked = [(name, size) for name, size, transferred in loaded if transferred]
    assert {name for name, _ in asked} == {name for name, *_ in loaded}
    assert len(asked) <= 8, "\n".join(name for name, _ in asked)
    assert 30_000 < sum(size for _, size in asked) <= 150_000, asked


async def test_sentences_arrive_one_by_one_and_citations_lead_to_their_words(
    site: Site, backend: FakeBackend
) -> None:
    first, second = asyncio.Event(), asyncio.Event()
    found, *sentences, answer = events_of(make_answer())
    backend.script = lambda _: [found, sentences[0], first, *sentences[1:], second, answer]
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".sentence")).to_have_count(1)
        await expect(page.locator(".waiting")).to_contain_text("3 passages found")
        first.set()
        await expect(page.locator(".sentence")).to_have_count(3)
        second.set()
        await expect(page.locator(".proofs li")).to_have_count(3)
        await expect(page.locator(".standing")).to_have_text(
            "High confidence · in the book’s own words · no language model · edition 3"
        )
        for number, words in enumerate(QUOTES):
            await page.locator(".chip").nth(number).click()
            await expect(page.locator("mark").first).to_be_in_viewport()
            shown = "".join(await watched.highlighted())
            assert shown == words.replace(" | ", "")
            await expect(page.locator(".proofs q").nth(number)).to_have_text(words)


async def test_a_table_with_empty_cells_keeps_its_columns(site: Site) -> None:
    async with site.reading() as watched:
        rows = watched.page.locator("table").nth(1).locator("tr")
        cells = [await rows.nth(row).locator("th, td").all_inner_texts() for row in range(3)]
    assert cells == [
        ["", "Spring", "Neap"],
        ["High water", "6.2 m", ""],
        ["Low water", "", "1.9 m"],
    ]


async def test_a_note_that_brings_its_own_title_gets_no_name_above_it(site: Site) -> None:
    async with site.reading() as watched:
        names = await watched.page.locator(".admonition").evaluate_all(
            """(notes) => notes.map((note) => getComputedStyle(note, "::before").content)"""
        )
    assert names == ['"warning"', "none", "none", '"see also"']


@pytest.mark.parametrize(
    ("words", "marked"),
    [
        ("Oak gates last forty years when they stay wet.", None),
        ("three gates 🌊 and one keeper", None),
        ("share=0.6):\n    # flow in m3/s", None),
        (
            "gates 🌊 and one keeper.\n\nThe sea gate opens",
            "gates 🌊 and one keeper.The sea gate opens",
        ),
        ("7 kW\nLantern Point | 3.1", "7 kWLantern Point3.1"),
        (EVIL, None),
    ],
)
async def test_exactly_the_range_of_the_address_is_highlighted(
    site: Site, words: str, marked: str | None
) -> None:
    document, start, end = locate(words)
    address = f"/#/tide-mills/{quote(document.path)}?range={start}-{end}"
    async with site.reading(address) as watched:
        await expect(watched.page.locator("mark").first).to_be_in_viewport()
        # Code is coloured, and so cut into more pieces, a moment after it is drawn.
        assert "".join(await watched.highlighted()) == (marked or words)
        shown = await watched.page.evaluate("document.querySelector('.page').textContent")
        assert shown == document.text


async def test_a_citation_of_another_chapter_opens_it_and_back_returns(
    site: Site, backend: FakeBackend
) -> None:
    far = "A frozen wheel is thawed with warm sand, never with fire."
    backend.script = lambda question: [*events_of(make_answer(question.text, (far,)))]
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await page.locator(".chip").click()
        await expect(page.locator("mark")).to_have_text(far)
        await expect(page.locator("mark")).to_be_in_viewport()
        await page.go_back()
        await expect(page.locator(".page h1")).to_have_text("How a tide mill works")
        await expect(page.locator("mark")).to_have_count(0)
        await expect(page.locator(".proofs li")).to_have_count(1)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("The pond fills by itself twice a day.", None),
        ("🌊 and one keeper", "The wheel gate lets"),
        ("Saltmarsh", "19 kW"),
        ("flow * fall", None),
    ],
)
async def test_selected_text_is_asked_about_with_its_offsets(
    site: Site, backend: FakeBackend, first: str, last: str | None
) -> None:
    document, start, end = locate(first)
    if last:
        end = locate(last)[2]
    async with site.reading() as watched:
        page = watched.page
        await watched.select(first, last)
        await page.get_by_role("button", name="Ask about this").click()
        await expect(page.locator("#selection blockquote")).to_be_visible()
        await ask(watched, "What does it mean?")
        await expect(page.locator(".proofs li")).to_have_count(3)
        await expect(page.locator("#selection blockquote")).to_have_count(0)
    words = document.text[start:end]
    assert backend.questions[0].selection == SelectedText(document.path, (start, end), words)
    assert backend.questions[0].text == "What does it mean?"


async def test_a_selected_passage_needs_no_question_and_can_be_removed(
    site: Site, backend: FakeBackend
) -> None:
    async with site.reading() as watched:
        page = watched.page
        await watched.select("The pond fills by itself")
        await page.get_by_role("button", name="Ask about this").click()
        await page.get_by_role("button", name="Remove the selected passage").click()
        await expect(page.locator("#selection blockquote")).to_have_count(0)
        await watched.select("The pond fills by itself")
        await page.get_by_role("button", name="Ask about this").click()
        await page.get_by_role("button", name="Ask", exact=True).click()
        await expect(page.locator(".proofs li")).to_have_count(3)
    assert (backend.questions[0].text, len(backend.questions)) == ("", 1)


async def test_a_follow_up_brings_what_was_said(site: Site, backend: FakeBackend) -> None:
    async with site.reading() as watched:
        await ask(watched, "How does it work?")
        await expect(watched.page.locator(".proofs")).to_have_count(1)
        await ask(watched, "And in winter?")
        await expect(watched.page.locator(".proofs")).to_have_count(2)
    said = [(message.role, message.content) for message in backend.histories[1]]
    assert said == [("user", "How does it work?"), ("assistant", " ".join(QUOTES))]


async def test_a_refusal_leads_to_what_is_nearest(site: Site, backend: FakeBackend) -> None:
    backend.script = lambda question: [make_refusal(question.text)]
    async with site.reading() as watched:
        page = watched.page
        await ask(watched, "Who won the cup?")
        await expect(page.locator(".refusal")).to_contain_text(
            "The book does not contain information about this topic."
        )
        await page.get_by_role("button", name="The three gates").click()
        await expect(page.locator(".passages .found")).to_have_count(3)
        await page.locator(".passages .found").nth(1).click()
        await expect(page.locator(".page mark")).to_have_text([QUOTES[1]])
    assert backend.searches[0].text == "The three gates"


async def test_a_denial_is_shown_where_it_stands_apart_from_what_is_near(
    site: Site, backend: FakeBackend
) -> None:
    def deny(asked: Any) -> list[Any]:
        answer = make_refusal(asked.text)
        assert answer.refusal is not None
        message = f"The book denies this: “{QUOTES[1]}”"
        refusal = msgspec.structs.replace(answer.refusal, message=message)
        return [msgspec.structs.replace(answer, refusal=refusal)]

    backend.script = deny
    async with site.reading() as watched:
        await ask(watched, "Who won the cup?")
        shown = watched.page.locator(".refusal .hint:has(+ .proofs), .refusal .proofs q")
        first, second = (
            "Where the book says so:",
            "Nearest to the question, which may not answer it:",
        )
        await expect(shown).to_have_text([first, QUOTES[1], second, QUOTES[0]])


async def test_a_refusal_quotes_what_is_nearest_and_leads_there(
    site: Site, backend: FakeBackend
) -> None:
    backend.script = lambda question: [make_refusal(question.text)]
    async with site.reading() as watched:
        page = watched.page
        await ask(watched, "Who won the cup?")
        refusal = page.locator(".refusal")
        await expect(refusal).to_contain_text("Nearest to the question, which may not answer it:")
        await expect(refusal.locator(".proofs q")).to_have_text(list(QUOTES[:2]))
        await refusal.locator(".proof").nth(1).click()
        await expect(page.locator(".page mark")).not_to_have_count(0)
        assert "".join(await watched.highlighted()) == QUOTES[1]
        assert watched.complaints == []


async def test_a_broken_stream_takes_its_sentences_back(site: Site, backend: FakeBackend) -> None:
    begun = events_of(make_answer())[:3]
    broken = Unavailable("The generation service does not answer. Try again in a moment.")
    backend.script = lambda _: [*begun, broken]
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".exchange .notice")).to_contain_text(broken.message)
        await expect(page.locator(".sentence")).to_have_count(0)
        backend.script = lambda question: [*events_of(make_answer(question.text))]
        await page.get_by_role("button", name="Try again").click()
        await expect(page.locator(".proofs li")).to_have_count(3)
        await expect(page.locator(".exchange")).to_have_count(1)


@pytest.mark.fault("P4")
async def test_a_stream_cut_before_its_end_is_no_answer(site: Site) -> None:
    async with site.reading() as watched:
        cut = 'event: sentence\ndata: {"sentence":{"text":"No.","citations":[]},"citations":[]}\n\n'
        await answer_once(watched, cut)
        await ask(watched)
        await expect(watched.page.locator(".exchange .notice")).to_contain_text("interrupted")
        await expect(watched.page.locator(".sentence")).to_have_count(0)


async def test_stop_cancels_the_question(site: Site, backend: FakeBackend) -> None:
    never = asyncio.Event()
    backend.script = lambda _: [*events_of(make_answer())[:2], never]
    async with site.reading() as watched:
        await ask(watched)
        await expect(watched.page.locator(".sentence")).to_have_count(1)
        await watched.page.get_by_role("button", name="Stop").click()
        await expect(watched.page.locator(".exchange .notice")).to_contain_text("Stopped")
        await expect(watched.page.locator(".sentence")).to_have_count(0)
        await asyncio.wait_for(backend.cancelled.wait(), 5)


async def test_how_an_answer_was_found_can_be_seen(site: Site) -> None:
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await page.get_by_text("How this answer was found").click()
        await expect(page.locator(".receipt .found")).to_have_count(3)
        told = page.locator(".receipt > p")
        await expect(told).to_have_text(
            [
                "3 passages of 3 sections of the book were looked through.",
                "Each quotation was compared with the book: 3 word for word.",
                "No language model was asked: these are the book’s own sentences that answer best.",
            ]
        )
        await expect(page.locator(".receipt table")).to_be_hidden()
        await page.get_by_text("For developers").click()
        await expect(page.locator(".receipt .scores").first).to_contain_text("score 0.83")
        await expect(page.locator(".receipt table")).to_contain_text("retrieval.search")
        await expect(page.locator(".receipt")).to_contain_text("tide mill: How does it work?")
        await expect(page.locator(".checks li")).to_have_text(["[1] [2] [3] word for word"])


async def test_checks_and_limits_are_shown_where_an_answer_has_them(site: Site) -> None:
    whole = json.loads(msgspec.json.encode(make_answer()))
    failed = {"kind": "numbers", "passed": False, "reason": "its number is not the quote's"}
    whole["sentences"][0]["checks"] = [{"kind": "quote", "passed": True, "reason": "exact"}]
    whole["citations"][2]["verdict"] = "normalised"
    whole["withheld"] = [
        {"checks": [failed], "replaced": False},
        {"checks": [failed], "replaced": True},
    ]
    whole["omitted"] = ["chunk-8", "chunk-9"]
    whole["model_use"] = {"model": "small", "input_tokens": 900, "output_tokens": 80, "cost_usd": 0}
    whole["verifier_use"] = {**whole["model_use"], "model": "judge", "input_tokens": 300}
    async with site.reading() as watched:
        page = watched.page
        await answer_once(watched, f"event: done\ndata: {json.dumps(whole)}\n\n")
        await ask(watched)
        await page.get_by_text("How this answer was found").click()
        await page.get_by_text("For developers").click()
        rows = page.locator(".checks > li")
        await expect(rows).to_have_count(4)  # two of the sentences passed the same checks
        await expect(rows.nth(0)).to_contain_text("✓ quote: exact")
        await expect(rows.nth(1)).to_have_text(
            "[2] word for word, [3] word for word, but for typography"
        )
        told = f"✗ numbers: {failed['reason']}"
        await expect(page.locator(".withheld").first).to_contain_text(told)
        await expect(page.locator(".withheld").last).to_contain_text("replaced by the book’s own")
        for words in (
            "2 passages found, and left out",
            "Written by small: 900 tokens read",
            "Judged by judge: 300 tokens read",
        ):
            await expect(page.locator(".receipt")).to_contain_text(words)


async def test_a_reworded_sentence_says_so_and_has_its_quotation_beside_it(site: Site) -> None:
    whole = json.loads(msgspec.json.encode(make_answer()))
    reworded, *_ = whole["sentences"]
    reworded |= {"text": "It was reworded.", "kind": "paraphrased", "probability": 0.97}
    whole["grounding"] = "supported"
    beside = next(item for item in whole["citations"] if item["n"] in reworded["citations"])
    async with site.reading() as watched:
        page = watched.page
        await answer_once(watched, f"event: done\ndata: {json.dumps(whole)}\n\n")
        await ask(watched)
        said = page.locator(".sentence.reworded")
        await expect(said).to_have_count(1)
        await expect(said).to_have_attribute(
            "title", "Reworded: almost certainly what its quotation says."
        )
        await expect(page.locator(".evidence").first).to_have_text(beside["quote"])
        await expect(page.locator(".standing")).to_contain_text("checked against its quotation")


async def test_a_suggested_question_is_asked_with_one_click(
    site: Site, backend: FakeBackend
) -> None:
    refused = json.loads(msgspec.json.encode(make_refusal()))
    refused["refusal"]["suggested_questions"] = ["What are the three gates?"]
    async with site.reading() as watched:
        page = watched.page
        await answer_once(watched, f"event: done\ndata: {json.dumps(refused)}\n\n")
        await ask(watched, "Who won the cup?")
        await page.get_by_role("button", name="What are the three gates?").click()
        await expect(page.locator(".quotations .proofs li")).to_have_count(3)
    assert [question.text for question in backend.questions] == ["What are the three gates?"]


async def test_a_good_answer_offers_what_the_book_answers_next(
    site: Site, backend: FakeBackend
) -> None:
    backend.suggested_next = ["What are the three gates?"]
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await page.locator(".go-on").get_by_role("button").click()
        await expect(page.locator(".exchange h3").last).to_have_text("What are the three gates?")
        # What went on from an answer goes with the next question.
        await expect(page.locator(".go-on").first).to_be_hidden()
        await expect(page.locator(".go-on").last).to_be_visible()
        assert watched.complaints == []


async def test_a_doubtful_answer_offers_questions_that_the_book_answers_better(
    site: Site, backend: FakeBackend
) -> None:
    doubtful = json.loads(msgspec.json.encode(make_answer()))
    doubtful["confidence"] = {"score": 0.5, "level": "low"}
    doubtful["suggested_questions"] = ["What are the three gates?"]
    async with site.reading() as watched:
        page = watched.page
        await answer_once(watched, f"event: done\ndata: {json.dumps(doubtful)}\n\n")
        await ask(watched)
        await expect(page.locator(".standing")).to_contain_text("Low confidence: read the passages")
        await page.get_by_role("button", name="What are the three gates?").click()
        await expect(page.locator(".exchange")).to_have_count(2)
    assert [question.text for question in backend.questions] == ["What are the three gates?"]


async def test_missing_entities_are_shown_as_text(site: Site) -> None:
    half = json.loads(msgspec.json.encode(make_answer()))
    half["missing_entities"] = ["<b>radar</b>"]
    async with site.reading() as watched:
        page = watched.page
        await answer_once(watched, f"event: done\ndata: {json.dumps(half)}\n\n")
        await ask(watched)
        note = page.get_by_text("I found no mention of “<b>radar</b>” for this.")
        await expect(note).to_be_visible()


async def test_corrected_spellings_are_shown_as_text(site: Site) -> None:
    corrected = json.loads(msgspec.json.encode(make_answer()))
    corrected["corrections"] = [{"asked": "sattelite", "searched": "<b>satellite</b>"}]
    async with site.reading() as watched:
        page = watched.page
        await answer_once(watched, f"event: done\ndata: {json.dumps(corrected)}\n\n")
        await ask(watched)
        await expect(page.get_by_text("Searched for: <b>satellite</b>")).to_be_visible()


@pytest.mark.control("V8")
async def test_markup_in_titles_and_answers_stays_text(site: Site, backend: FakeBackend) -> None:
    backend.script = lambda question: [*events_of(make_answer(question.text, (EVIL,)))]
    async with site.reading() as watched:
        page = watched.page
        await expect(page.locator("#bar-title")).to_have_text(BOOK.title)
        await ask(watched, EVIL)
        await expect(page.locator(".proofs q")).to_have_text(EVIL)
        await expect(page.locator(".asked h3")).to_have_text(EVIL)
        assert await page.locator("img, #conversation script, .page script").count() == 0


async def test_the_contents_lead_to_sections(site: Site) -> None:
    async with site.reading() as watched:
        page = watched.page
        await page.get_by_role("link", name="What a wheel gives").click()
        await expect(page.get_by_role("heading", name="What a wheel gives")).to_be_in_viewport()
        await page.get_by_role("navigation", name="Contents").get_by_text("Keeping").click()
        await expect(page.locator(".page h1")).to_contain_text("Keeping the mill")


async def test_a_phone_has_the_panel_as_a_sheet_and_no_sideways_scroll(
    site: Site, backend: FakeBackend
) -> None:
    async with site.reading(size=PHONE, has_touch=True) as watched:
        page = watched.page
        assert not await watched.overflows()
        await expect(page.locator("#question")).to_be_hidden()
        await page.get_by_role("button", name="Ask the book").click()
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(3)
        assert not await watched.overflows()
        await page.locator(".chip").nth(1).click()
        await expect(page.locator("mark")).to_be_in_viewport()
        await expect(page.locator("#question")).to_be_hidden()
        await page.get_by_role("button", name="Contents").click()
        await expect(page.get_by_role("link", name="What a wheel gives")).to_be_visible()
        assert not await watched.overflows()


async def test_an_empty_shelf_says_how_to_fill_it(site: Site, backend: FakeBackend) -> None:
    backend.books = []
    async with site.open() as watched:
        await expect(watched.page.get_by_role("heading")).to_have_text("No book yet")
        await expect(watched.page.locator("code")).to_contain_text("quoth ingest")


async def test_several_books_stand_on_a_shelf(site: Site, backend: FakeBackend) -> None:
    backend.books = [BOOK, type(BOOK)("other", "Another book", 1, 1, 1, "en", None)]
    async with site.open() as watched:
        await expect(watched.page.locator(".card")).to_have_count(2)
        await watched.page.locator(".card").first.click()
        await expect(watched.page.locator(".front h1")).to_have_text(BOOK.title)


async def test_books_of_one_title_are_told_apart_by_their_names(
    site: Site, backend: FakeBackend
) -> None:
    backend.books = [BOOK, msgspec.structs.replace(BOOK, slug="mills-pdf")]
    async with site.open("/") as watched:
        facts = watched.page.locator(".card span")
        await expect(facts).to_have_text(
            [
                f"{BOOK.slug} · 2 documents · edition 3",
                "mills-pdf · 2 documents · edition 3",
            ]
        )


async def test_an_unavailable_service_is_named_in_one_sentence_and_can_be_tried_again(
    site: Site, backend: FakeBackend
) -> None:
    backend.failure = Unavailable("The ingest service does not answer. Try again in a moment.")
    async with site.open() as watched:
        await expect(watched.page.get_by_role("alert")).to_contain_text(backend.failure.message)
        backend.failure = None
        await watched.page.get_by_role("button", name="Try again").click()
        await expect(watched.page.locator(".front h1")).to_have_text(BOOK.title)


async def test_going_back_from_a_missing_document_shows_the_one_before(site: Site) -> None:
    async with site.open(FIRST) as watched:
        page = watched.page
        await expect(page.locator(".page h1")).to_have_text("How a tide mill works")
        await page.evaluate("location.hash = '#/tide-mills/gone.md'")
        alert = page.get_by_role("alert")
        await expect(alert).to_contain_text("no document")
        await expect(page.locator("#contents [aria-current]")).to_have_count(0)
        tops = await alert.locator("button, a").evaluate_all(
            "buttons => buttons.map((button) => button.getBoundingClientRect().top)"
        )
        assert len(set(tops)) == 1
        await page.go_back()
        await expect(page.locator(".page h1")).to_have_text("How a tide mill works")
        await expect(page.locator("#contents [aria-current]")).to_have_count(1)


async def test_a_range_that_ends_before_it_begins_marks_nothing(site: Site) -> None:
    document, start, end = locate("mill of the coast has three gates")
    address = f"/#/{BOOK.slug}/{quote(document.path)}?range={end}-{start}"
    async with site.reading(address) as watched:
        text = "document.querySelector('.page').textContent"
        assert await watched.page.evaluate(text) == document.text
        assert await watched.highlighted() == []


async def test_formulas_are_drawn_and_their_characters_stay(site: Site) -> None:
    async with site.reading() as watched:
        drawn = watched.page.locator(".page .tex.drawn")
        await expect(drawn).to_have_count(4)
        sources = await drawn.evaluate_all("all => all.map(one => one.textContent)")
        assert sources == [r"P = \eta \rho g Q h", r"$\eta$", "$Q$", "$h(t)$"]
        await expect(watched.page.locator(".page math mi").first).to_have_text("P")
        shown = await watched.page.evaluate("document.querySelector('.page').textContent")
        assert shown == DOCUMENTS["part one/mills.md"].text


async def test_a_highlighted_range_takes_its_formulas_whole(
    site: Site, backend: FakeBackend
) -> None:
    document, start, end = locate(r"eta$ is the share, $Q$")
    address = f"/#/tide-mills/{quote(document.path)}?range={start}-{end}"
    async with site.reading(address) as watched:
        page = watched.page
        await expect(page.locator("mark").first).to_be_in_viewport()
        assert await watched.highlighted() == [r"$\eta$", " is the share, ", "$Q$"]
        await expect(page.locator("mark math")).to_have_count(2)
        await watched.select("Here ", " the flow")
        await page.get_by_role("button", name="Ask about this").click()
        await expect(page.locator("#selection math")).to_have_count(2)
        await ask(watched, "What does it mean?")
        await expect(page.locator(".proofs li")).to_have_count(3)
    words = r"Here $\eta$ is the share, $Q$ the flow"
    assert backend.questions[0].selection == SelectedText(*locate_selection(words), words)


def locate_selection(words: str) -> tuple[str, tuple[int, int]]:
    document, start, end = locate(words)
    return document.path, (start, end)


async def test_answers_show_code_tables_lists_and_formulas_as_the_book_does(
    site: Site, backend: FakeBackend
) -> None:
    code = "def power_kw(flow, fall, share=0.6):\n    # flow in m3/s, fall in m"
    rows = ("Old Harbour | 2.4 m | 11 kW", "Saltmarsh | 1.8 m | 7 kW")
    items = ("The sea gate opens with the flood and shuts with the ebb.",)
    formula = r"P = \eta \rho g Q h"
    kinds: dict[str, Any] = {code: "code", formula: "math", **dict.fromkeys(rows, "table")}
    kinds |= dict.fromkeys(items, "list_item")
    answer = make_answer(quotes=tuple(kinds))
    found = PassagesFound(
        [
            msgspec.structs.replace(
                made := passage(words), spans=[Span(made.start, made.end, kind, 0.7)]
            )
            for words, kind in kinds.items()
        ]
    )
    backend.script = lambda _: [found, *events_of(answer)[1:]]
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(len(kinds))
        await expect(page.locator(".answer .code code")).to_have_text(code, use_inner_text=True)
        assert await page.locator(".answer tr:nth-child(2) > *").all_inner_texts() == [
            "4",
            *rows[1].split(" | "),
        ]
        await expect(page.locator(".answer li")).to_contain_text(items[0])
        await expect(page.locator(".answer .math math")).to_have_count(1)
        quotes = await page.locator(".proofs q").evaluate_all("all => all.map(q => q.textContent)")
        assert quotes == list(kinds)


async def test_sentences_of_one_item_stand_in_one_and_their_proofs_name_the_place_once(
    site: Site, backend: FakeBackend
) -> None:
    one = ("The sea gate opens with the flood", "and shuts with the ebb.")
    other = "The wheel gate lets the pond fall on the wheel."
    document, start, _ = locate(one[0])
    end = locate(other)[2]
    quotes = (*one, other, QUOTES[2])
    found = msgspec.structs.replace(
        passage(one[0]),
        end=end,
        text=document.text[start:end],
        spans=[Span(start, end, "list_item", 0.7)],
    )
    backend.script = lambda _: [PassagesFound([found]), *events_of(make_answer(quotes=quotes))[1:]]
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(4)
        words = "[...item.querySelectorAll('.sentence')].map(part => part.firstChild.data)"
        items = await page.locator(".answer li").evaluate_all(f"all => all.map(item => {words})")
        assert items == [list(one), [other]]
        named = page.locator(".proofs li:has(.where)")
        assert await named.locator(".proof-number").all_text_contents() == ["1", "4"]
        # The first two go on with each other: one number stands behind both.
        assert await page.locator(".chip").all_inner_texts() == ["1–2", "3", "4"]
        await page.locator(".chip").first.click()
        await expect(page.locator(".page mark")).to_have_text(" ".join(one))


async def test_words_of_several_sections_stand_under_their_titles(
    site: Site, backend: FakeBackend
) -> None:
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".answer .from")).to_have_text(
            ["How a tide mill works", "The three gates", "What a wheel gives"]
        )
        backend.script = lambda asked: [*events_of(make_answer(asked.text, QUOTES[:1]))]
        await ask(watched)
        await expect(page.locator(".proofs")).to_have_count(2)
        await expect(page.locator(".answer").last.locator(".from")).to_have_text(
            ["How a tide mill works"]
        )
        # A title that is quoted itself is not said twice.
        backend.script = lambda asked: [*events_of(make_answer(asked.text, ("The three gates",)))]
        await ask(watched)
        await expect(page.locator(".proofs")).to_have_count(3)
        await expect(page.locator(".answer").last.locator(".from")).to_have_count(0)


async def test_titles_that_are_alike_are_told_apart_by_what_they_stand_under(
    site: Site, backend: FakeBackend
) -> None:
    paths = (["Mills", "Overview"], ["Gates", "Overview"], ["Wheels"])
    answer = make_answer()
    changed = zip(answer.citations, paths, strict=True)
    cited = [msgspec.structs.replace(one, section_path=path) for one, path in changed]
    answer = msgspec.structs.replace(answer, citations=cited)
    backend.script = lambda _: [*events_of(answer)]
    async with site.reading() as watched:
        await ask(watched)
        await expect(watched.page.locator(".answer .from")).to_have_text(
            ["Mills › Overview", "Gates › Overview", "Wheels"]
        )


async def test_how_sure_an_answer_is_stands_before_its_proofs_and_numbers_beside_their_words(
    site: Site,
) -> None:
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(3)
        parts = "document.querySelector('.exchange').children"
        order = await page.evaluate(f"[...{parts}].map(part => part.className.split(' ')[0])")
        assert order == ["asked", "answer", "standing", "tools", "quotations", "receipt"]
        # However wide the panel, the number is never alone at the beginning of a line.
        alone = """() => {
            const box = document.querySelector(".answer");
            const chip = box.querySelector("p .chip");
            const alone = [];
            for (let width = 150; width < 400; width += 7) {
                box.style.width = `${width}px`;
                if (chip.getBoundingClientRect().left < box.getBoundingClientRect().left + 12)
                    alone.push(width);
            }
            return alone;
        }"""
        assert await page.evaluate(alone) == []


async def test_a_quotation_is_copied_with_its_place(site: Site) -> None:
    async with site.reading(permissions=["clipboard-read", "clipboard-write"]) as watched:
        page = watched.page
        await ask(watched)
        await page.get_by_text("3 quotations", exact=True).click()
        await page.get_by_role("button", name="Copy quotation 2 with its place").click()
        await expect(page.locator("#announcement")).to_have_text("The quotation was copied.")
        words, place, address = (await page.evaluate("navigator.clipboard.readText()")).splitlines()
        assert words == f"“{QUOTES[1]}”"
        assert place.endswith("How a tide mill works › The three gates, edition 3")
        await page.goto(address)
        await expect(page.locator("mark")).to_have_text(QUOTES[1])


async def test_a_book_is_added_from_the_shelf(site: Site, backend: FakeBackend) -> None:
    backend.books = []
    slug = "my-mill-book-v2"
    backend.states = [
        make_job(book=slug, state="running", chunks_done=3, left_s=4.2),
        make_job(book=slug, state="published", edition=1, warnings=["A footnote leads nowhere."]),
    ]
    async with site.open() as watched:
        page = watched.page
        book: FilePayload = {
            "name": "My Mill Book.v2.md",
            "mimeType": "",
            "buffer": b"# Mill\n\nIt turns.\n",
        }
        await page.get_by_label("The book", exact=True).set_input_files(book)
        await expect(page.get_by_label("Name in its address")).to_have_value(slug)
        await page.get_by_label("Title").fill("Mills")
        backend.books = [BOOK]
        await page.get_by_role("button", name="Add it").click()
        await expect(page.locator(".published")).to_have_text(
            "Edition 1 is there: 2 documents, 8 passages. Read it"
        )
        await expect(page.locator(".outcome summary")).to_have_text("1 warning")
        await expect(page.locator(".card")).to_have_count(1)
        assert watched.complaints == []
    source, content = backend.sources[0]
    assert (source.book, source.title, source.file_name) == (slug, "Mills", "My Mill Book.v2.md")
    assert content == b"# Mill\n\nIt turns.\n"


async def test_why_a_book_was_not_added_is_said(site: Site, backend: FakeBackend) -> None:
    async with site.open("/#/") as watched:
        page = watched.page
        await page.get_by_text("Add a book").click()
        await page.get_by_label("The book", exact=True).set_input_files(
            {"name": "a.md", "mimeType": "", "buffer": b"x"}
        )
        backend.states = [make_job(book="a", state="failed", error="The source is a poem.")]
        await page.get_by_role("button", name="Add it").click()
        await expect(page.get_by_role("alert")).to_contain_text("The source is a poem.")
        await expect(page.get_by_role("button", name="Add it")).to_be_enabled()


async def test_a_reader_adding_a_book_that_is_being_added_is_told_what_is_waited_for(
    site: Site, backend: FakeBackend
) -> None:
    async with site.open("/#/") as watched:
        page = watched.page
        await page.get_by_text("Add a book").click()
        await page.get_by_label("The book", exact=True).set_input_files(
            {"name": "a.md", "mimeType": "", "buffer": b"x"}
        )
        backend.states = [make_job(book="a", waits_for="book")]
        await page.get_by_role("button", name="Add it").click()
        outcome = page.locator(".outcome")
        await expect(outcome).to_have_text("Waiting for another job of this book")
        backend.states = [make_job(book="a", state="published", edition=2)]
        await expect(outcome).to_contain_text("Edition 2 is there")


async def test_the_editions_can_be_seen_and_read(site: Site) -> None:
    async with site.reading() as watched:
        page = watched.page
        await page.get_by_role("button", name="Edition 3").click()
        await page.get_by_role("link", name="Edition 3,").click()
        await expect(page.locator("#editions")).to_be_hidden()
        await expect(page.locator(".page h1")).to_have_text("How a tide mill works")


async def test_a_reader_of_an_earlier_edition_goes_on_in_it(site: Site) -> None:
    async with site.reading(f"/#/{BOOK.slug}?edition=2") as watched:
        page = watched.page
        notice = page.locator(".reading > .notice")
        await expect(notice).to_contain_text("edition 2; questions are answered from edition 3")
        await page.locator(".neighbours .next").click()
        await expect(page.locator(".page h1")).to_contain_text("Keeping the mill")
        await expect(notice).to_contain_text("This is edition 2")
        await page.locator(".contents a").first.click()
        await expect(page.locator(".page h1")).to_have_text("How a tide mill works")
        await expect(notice).to_contain_text("This is edition 2")
        await page.get_by_role("link", name="Read edition 3").click()
        await expect(notice).to_have_count(0)
        await page.locator(".neighbours .next").click()
        await expect(page.locator(".page h1")).to_contain_text("Keeping the mill")
        assert "edition" not in page.url


async def test_a_passage_shows_the_sentences_that_carry_the_match(
    site: Site, backend: FakeBackend
) -> None:
    document, start, _ = locate("Every mill of the coast")
    told = "The wheel gate lets the pond fall on the wheel."
    _, first, last = locate(told)
    found = msgspec.structs.replace(
        passage("Every mill of the coast"),
        end=last,
        text=document.text[start:last],
        spans=[
            Span(start, first - 2, "paragraph", 0.2),
            Span(first, last, "list_item", 0.9, highlighted=True),
        ],
    )
    backend.script = lambda _: [PassagesFound([found]), *events_of(make_answer())[1:]]
    async with site.reading() as watched:
        await ask(watched)
        await watched.page.locator(".receipt > summary").click()
        await expect(watched.page.locator(".receipt .excerpt")).to_have_text(told)


async def test_a_passage_without_such_sentences_begins_below_its_title(
    site: Site, backend: FakeBackend
) -> None:
    document, start, end = locate("Every mill of the coast")
    title = "Tide mills"
    found = msgspec.structs.replace(
        passage("Every mill of the coast"),
        start=start - len(title) - 2,
        text=f"{title}\n\n{document.text[start:end]}",
        spans=[
            Span(start - len(title) - 2, start - 2, "heading", 0.2),
            Span(start, end, "paragraph", 0.2),
        ],
    )
    backend.script = lambda _: [PassagesFound([found]), *events_of(make_answer())[1:]]
    async with site.reading() as watched:
        await ask(watched)
        await watched.page.locator(".receipt > summary").click()
        await expect(watched.page.locator(".receipt .excerpt")).to_have_text(
            "Every mill of the coast"
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_everything_works_with_the_keyboard_alone(site: Site, scheme: str) -> None:
    async with site.reading(color_scheme=scheme) as watched:
        page = watched.page
        await page.keyboard.press("Tab")
        await expect(page.locator("#skip")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.locator("#reading")).to_be_focused()
        await page.reload()
        await page.wait_for_selector(".page h1")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await expect(page.locator("#skip-to-question")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.locator("#question")).to_be_focused()
        await page.keyboard.type("How does it work?")
        await page.keyboard.press("Enter")
        await expect(page.locator(".proofs li")).to_have_count(3)
        await expect(page.locator("#announcement")).to_have_text("Answered with 3 quotations.")
        await page.locator(".chip").first.focus()
        await page.keyboard.press("Enter")
        await expect(page.locator("mark").first).to_be_focused()


async def test_headings_are_nested_and_what_has_a_label_has_a_role(site: Site) -> None:
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await page.locator(".receipt > summary").click()
        levels = await page.evaluate(
            "[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(heading => +heading.tagName[1])"
        )
        assert levels[0] == 1
        assert all(below <= above + 1 for above, below in pairwise(levels))
        bare = page.locator("div[aria-label]:not([role]), span[aria-label]:not([role])")
        await expect(bare).to_have_count(0)


async def test_an_address_of_nothing_but_the_shelf_shows_it_even_for_one_book(site: Site) -> None:
    async with site.reading() as watched:
        await watched.page.get_by_role("link", name="Quoth").click()
        await expect(watched.page.locator(".card")).to_have_count(1)


async def test_the_page_asks_once_for_a_key_that_is_needed(
    backend: FakeBackend, browser: Browser
) -> None:
    keys = FakeKeys()
    key = keys.grant()
    app = make_app(backend, keys, require_keys=True)
    running = await start_server(app, listen(0))
    asked: list[str] = []

    async def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        await dialog.accept("quoth_wrong" if len(asked) == 1 else f" {key} ")

    async with open_page(browser, f"http://127.0.0.1:{running.port}/healthz") as watched:
        watched.page.on("dialog", answer)
        await watched.page.goto(f"http://127.0.0.1:{running.port}{FIRST}")
        await watched.page.wait_for_selector(".page h1")
        await ask(watched)
        await expect(watched.page.locator(".answer").first).to_contain_text("stores the flood")
        assert key not in await watched.page.content()
        assert not [url for url in watched.requests if key in url]
    await running.stop()
    assert len(asked) == 2
    assert backend.questions[0].client == "reader"
