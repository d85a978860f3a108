"""An answer of two hundred quotations, and a gateway that is killed in the middle of one."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import msgspec
import pytest
from playwright.async_api import Browser, expect

from services.gateway.model.answers import Answer, Citation
from services.gateway.model.books import Document
from services.gateway.server import listen, start_server
from tests.support.browser import needs_browser, open_page
from tests.support.drawn_documents import parse_and_show
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import FakeBackend, cite, events_of, make_answer
from tests.support.page_site import FIRST, Site, ask

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]
MANY = 200
SOURCE = "# Gates\n\n" + "\n".join(
    f"## Part {part}\n\nGate {part} 🌊 opens *at* $h_{{{part}}}$.\n\n"
    f"| gate | fall |\n|---|---|\n| g{part} | {part} m |\n\n```python\nopen_gate({part})  # 🌊\n```\n\n"
    f"{part}. Turn the key {part}.\n"
    for part in range(1, MANY // 4 + 1)
)
# Follows every number of the answer, and tells what is lit of the text by it.
FOLLOW = """async () => {
  const lit = [];
  for (const chip of document.querySelectorAll(".chip")) {
    document.querySelector(".page mark")?.classList.add("before");
    chip.click();
    for (let look = 0; look < 200; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (document.querySelector(".page mark") && !document.querySelector(".page mark.before")) break;
    }
    lit.push([...document.querySelectorAll(".page mark")].map((one) => one.textContent).join(""));
  }
  return lit;
}"""


def answer_of(document: Document, quotes: list[str]) -> Answer:
    """Make an answer with a sentence for each quotation of the document."""
    answer = make_answer()
    citations: list[Citation] = []
    for number, quote in enumerate(quotes, 1):
        start = document.text.index(quote)
        place = {"document": document.path, "start": start, "end": start + len(quote)}
        own = msgspec.structs.replace(cite(1, "three gates"), n=number, quote=quote, **place)
        citations.append(own)
    [one, *_] = answer.sentences
    sentences = [
        msgspec.structs.replace(one, text=cited.quote, citations=[cited.n]) for cited in citations
    ]
    text = " ".join(quotes)
    return msgspec.structs.replace(answer, text=text, sentences=sentences, citations=citations)


async def test_each_of_two_hundred_citations_lights_exactly_its_quotation(
    site: Site, backend: FakeBackend
) -> None:
    document = parse_and_show("g.md", SOURCE)
    backend.documents["g.md"] = document
    quotes = [
        quote
        for part in range(1, MANY // 4 + 1)
        for quote in (
            f"Gate {part} 🌊 opens at $h_{{{part}}}$.",
            f"g{part} | {part} m",
            f"open_gate({part})  # 🌊",
            f"Turn the key {part}.",
        )
    ]
    answer = answer_of(document, quotes)
    backend.script = lambda _: [*events_of(answer)]
    async with site.reading("/#/tide-mills/g.md") as watched:
        page = watched.page
        await ask(watched)
        await expect(page.locator(".standing")).to_be_attached()
        shown = await page.locator(".chip").count()
        lit = await page.evaluate(FOLLOW)
        assert shown == len(lit) == MANY
        assert lit == [quote.replace(" | ", "") for quote in quotes]


@pytest.mark.fault("P4")
async def test_a_question_whose_gateway_was_killed_is_kept_and_asked_again_by_a_click(
    browser: Browser,
) -> None:
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.idle_gateway", "8", stdin=PIPE, stdout=PIPE
    )
    try:
        assert killed.stdout is not None
        port = int(await killed.stdout.readline())
        async with open_page(browser, f"http://127.0.0.1:{port}{FIRST}") as watched:
            page = watched.page
            await ask(watched, "How does it work?")
            await expect(page.locator(".waiting")).to_contain_text("3 passages found")
            killed.kill()
            await killed.wait()
            await expect(page.locator(".exchange .notice")).to_contain_text("interrupted")
            await expect(page.locator(".exchange")).to_contain_text("How does it work?")
            backend = FakeBackend()
            running = await start_server(make_app(backend), listen(port))
            try:
                await page.get_by_role("button", name="Try again").click()
                await expect(page.locator(".proofs li")).to_have_count(3)
                await expect(page.locator(".exchange")).to_have_count(1)
                assert [question.text for question in backend.questions] == ["How does it work?"]
            finally:
                await running.stop()
    finally:
        if killed.returncode is None:
            killed.kill()
