"""Answers as a reader sees them: quotations at hand, code and steps as in the book, clean copies."""

import json
from typing import Any

import msgspec
import pytest
from playwright.async_api import expect

from services.gateway.model.answers import PassagesFound
from services.gateway.model.passages import Passage, Span
from tests.support.browser import needs_browser
from tests.support.gateway_fakes import (
    BOOK,
    QUOTES,
    FakeBackend,
    events_of,
    locate,
    make_answer,
    passage,
)
from tests.support.page_site import Site, answer_once, ask

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]

CODE = (
    "def power_kw(flow, fall, share=0.6):\n"
    "    # flow in m3/s, fall in m\n"
    "    return 9.81 * flow * fall * share"
)


def whole_answer(**changes: Any) -> str:
    whole = json.loads(msgspec.json.encode(make_answer())) | changes
    return f"event: done\ndata: {json.dumps(whole)}\n\n"


def between(first: str, last: str, spans: list[tuple[str, str]]) -> Passage:
    """Return the passage from `first` to the end of `last`, its spans given as kind and words."""
    document, start, _ = locate(first)
    end = locate(last)[2]
    return msgspec.structs.replace(
        passage(first),
        end=end,
        text=document.text[start:end],
        spans=[Span(*locate(words)[1:], kind, 0.5) for kind, words in spans],  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("way", ["hover", "focus"])
async def test_the_number_of_a_statement_shows_its_quotation_with_its_place(
    site: Site, way: str
) -> None:
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(3)
        chip, card = page.locator(".chip").nth(1), page.locator("#quotation-card")
        if way == "hover":
            await chip.hover()
        else:
            await page.locator(".chip").first.focus()
            await page.keyboard.press("Tab")
        await expect(card).to_be_visible()
        await expect(card.locator("q")).to_have_text(QUOTES[1])
        await expect(card.locator(".where")).to_have_text("How a tide mill works › The three gates")
        await expect(chip).to_have_attribute("aria-describedby", "quotation-card")
        await page.keyboard.press("Escape")
        await expect(card).to_be_hidden()


async def test_support_of_a_lead_is_folded_away_until_it_is_opened(site: Site) -> None:
    sentences = json.loads(msgspec.json.encode(make_answer()))["sentences"]
    for sentence in sentences[1:]:
        sentence["role"] = "support"
    async with site.reading() as watched:
        await answer_once(watched, whole_answer(sentences=sentences))
        await ask(watched)
        support = watched.page.locator("details .answer.support")
        await expect(watched.page.locator(".answer:not(.support)")).to_contain_text(QUOTES[0])
        await expect(support).to_be_hidden()
        await watched.page.locator("details.support summary").click()
        await expect(support).to_be_visible()
        await expect(support).to_contain_text(QUOTES[1])


async def test_a_statement_with_several_quotations_has_one_number(site: Site) -> None:
    whole = json.loads(msgspec.json.encode(make_answer()))
    sentence = whole["sentences"][0] | {"text": "Reworded.", "citations": [1, 3]}
    sentence["kind"] = "paraphrased"
    async with site.reading() as watched:
        page = watched.page
        await answer_once(watched, whole_answer(sentences=[sentence], grounding="supported"))
        await ask(watched)
        await expect(page.locator(".chip")).to_have_text(["1, 3"])
        await page.locator(".chip").hover()
        await expect(page.locator("#quotation-card q")).to_have_count(2)


async def test_code_is_shown_whole_and_what_is_quoted_of_it_stands_out(
    site: Site, backend: FakeBackend
) -> None:
    first, second = CODE.splitlines()[1].strip(), CODE.splitlines()[2].strip()
    found = between(CODE, CODE, [("code", CODE)])
    answer = make_answer(quotes=(first, second))
    backend.script = lambda _: [PassagesFound([found]), *events_of(answer)[1:]]
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(2)
        await expect(page.locator(".answer code")).to_have_count(1)
        assert await page.locator(".answer code").text_content() == CODE
        assert await page.locator(".answer code .quoted").all_text_contents() == [first, second]
        await expect(page.locator(".chip")).to_have_text(["1–2"])
        await page.locator(".chip").click()
        await expect(page.locator(".page mark")).to_have_text(CODE[CODE.index(first) :])


async def test_a_quotation_of_a_paragraph_and_steps_is_drawn_as_both_with_the_book_s_numbers(
    site: Site, backend: FakeBackend
) -> None:
    told = "Every mill of the coast has three gates 🌊 and one keeper."
    steps = (
        "The sea gate opens with the flood and shuts with the ebb.",
        "The wheel gate lets the pond fall on the wheel.",
    )
    inner = "It must never be opened before the sea is low."
    document, start, _ = locate(told)
    quote = document.text[start : locate(inner)[2]]
    found = between(
        told, inner, [("paragraph", told), *(("list_item", item) for item in (*steps, inner))]
    )
    backend.script = lambda _: [
        PassagesFound([found]),
        *events_of(make_answer(quotes=(quote,)))[1:],
    ]
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(1)
        await expect(page.locator(".answer p .sentence")).to_have_text(told)
        items = page.locator(".answer li")
        await expect(items.nth(1)).to_have_attribute("data-label", "2.")
        labels = await items.evaluate_all("all => all.map(item => item.dataset.label ?? '')")
        assert labels == ["1.", "2.", ""]
        await expect(page.locator(".chip")).to_have_count(1)


def answer_by_row(backend: FakeBackend, row: str, titles: tuple[str, ...]) -> None:
    """Answer with a row of the book's table, whose header has these titles."""
    plain = make_answer(quotes=(row,))
    headed = msgspec.structs.replace(plain.citations[0], table_header=" | ".join(titles))
    cited = msgspec.structs.replace(plain, citations=[headed])
    found = between(row, row, [("table", row)])
    backend.script = lambda _: [PassagesFound([found]), *events_of(cited)[1:]]


async def test_a_row_is_in_a_table_with_its_title_and_headers_and_its_quotation_is_not_empty(
    site: Site, backend: FakeBackend
) -> None:
    answer_by_row(backend, QUOTES[2], ("Mill", "Fall of water", "Power"))
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".answer caption")).to_have_text("What a wheel gives")
        heads = page.locator(".answer th[scope=col]")
        await expect(heads).to_have_text(["Mill", "Fall of water", "Power"])
        await expect(page.locator(".answer th[scope=row] .cell")).to_have_text("Saltmarsh")
        await page.get_by_text("1 quotation", exact=True).click()
        box = await page.locator(".proofs q .row").bounding_box()
        frame = await page.locator(".proofs q").bounding_box()
        assert box is not None
        assert frame is not None
        assert box["height"] > 10
        assert frame["y"] <= box["y"]
        assert box["y"] + box["height"] <= frame["y"] + frame["height"] + 1


async def test_a_row_that_is_wider_than_its_place_shows_its_last_cell_beside_its_title(
    site: Site, backend: FakeBackend
) -> None:
    titles = ("Mill", "Fall_of_water_between_the_tides", "Power_at_the_wheel_in_summer")
    answer_by_row(backend, QUOTES[2], titles)
    async with site.reading() as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".answer .table.stacked")).to_be_visible()
        last = page.locator(".answer td").last
        await expect(last).to_have_attribute("data-title", titles[2])
        cell, box = await last.bounding_box(), await page.locator(".answer .table").bounding_box()
        assert cell is not None
        assert box is not None
        assert cell["x"] + cell["width"] <= box["x"] + box["width"] + 1
        # What is quoted is the row as it stands in the book.
        await page.get_by_text("1 quotation", exact=True).click()
        await expect(page.locator(".proofs q")).to_have_text(QUOTES[2])


async def test_copied_words_have_no_numbers_and_their_citations_below(site: Site) -> None:
    async with site.reading(permissions=["clipboard-read", "clipboard-write"]) as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".proofs li")).to_have_count(3)
        await page.evaluate(
            "getSelection().selectAllChildren(document.querySelector('.answer .sentence'))"
        )
        await page.keyboard.press("Control+c")
        text = await page.evaluate("navigator.clipboard.readText()")
        said, quoted, place, address = text.replace("\n\n", "\n").splitlines()
        assert (said, quoted) == (QUOTES[0], f"“{QUOTES[0]}”")
        assert place == f"{BOOK.title}, How a tide mill works, edition 3"
        assert address.startswith(f"{site.url}/#/{BOOK.slug}/")
        await page.get_by_role("button", name="Copy", exact=True).click()
        await expect(page.locator("#announcement")).to_have_text("The answer was copied.")
        text = await page.evaluate("navigator.clipboard.readText()")
        assert text.startswith("\n\n".join(QUOTES))
        assert text.count(f"{site.url}/#/{BOOK.slug}/") == 3


async def test_an_answer_names_its_model_and_the_question_searched_for(site: Site) -> None:
    use = {"model": "small-7b", "input_tokens": 900, "output_tokens": 80, "cost_usd": 0}
    async with site.reading() as watched:
        page = watched.page
        await answer_once(watched, whole_answer(model_use=use, searched_question="gates in winter"))
        await ask(watched, "And in winter?")
        await expect(page.locator(".standing")).to_contain_text("by small-7b")
        await expect(page.locator(".asked .hint")).to_have_text("Looked for: gates in winter")


async def test_more_from_the_book_is_passages_on_the_same(site: Site, backend: FakeBackend) -> None:
    async with site.reading() as watched:
        page = watched.page
        await ask(watched, "How does it work?")
        await page.get_by_role("button", name="More from the book").click()
        await expect(page.locator(".exchange").last.locator(".found")).to_have_count(3)
    assert backend.searches[0].text == "tide mill: How does it work?"
