"""Hostile words everywhere that a book, a model or a reader can put words: they stay words."""

import msgspec
import pytest
from playwright.async_api import Dialog, Locator, expect

from services.gateway.model.answers import (
    Answer,
    PassagesFound,
    Sentence,
    SentenceReleased,
)
from services.gateway.model.passages import Passage
from services.gateway.ports import AnswerEvent
from tests.support.browser import Watched, needs_browser
from tests.support.gateway_fakes import (
    QUOTES,
    FakeBackend,
    cite,
    make_answer,
    make_refusal,
    passage,
)
from tests.support.hostile import HOSTILE, LINKS
from tests.support.page_site import Site, ask
from tests.support.widget_site import WidgetSite, ask_widget

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
    pytest.mark.control("V7", "V8"),
]
ELEMENTS = (
    "img, script, iframe, object, embed, base, link, style, form:not(.composer), video, audio, "
    "meta, template, svg:not([aria-hidden]), noscript"
)
HREFS = "box => [...box.querySelectorAll('a')].map((link) => link.href)"


def hostile_passage(words: str) -> Passage:
    return msgspec.structs.replace(
        passage(QUOTES[0]), section_path=[words, words], anchor=words, url=words, footnotes=[words]
    )


def hostile_answer() -> Answer:
    """An answer that has each of the words as a sentence, a quotation, a title, a name, an address."""
    sentences = [
        Sentence(words, [number], kind="paraphrased" if number % 2 else "quoted")
        for number, words in enumerate(HOSTILE, 1)
    ]
    cited = [
        msgspec.structs.replace(
            cite(number, QUOTES[0]),
            quote=words,
            document=words,
            section_path=[words],
            url=words,
            snippet=words,
            table_header=words if number % 5 == 0 else None,
        )
        for number, words in enumerate(HOSTILE, 1)
    ]
    return msgspec.structs.replace(
        make_answer(),
        question=HOSTILE[0],
        searched_question=HOSTILE[2],
        sentences=sentences,
        citations=cited,
        suggested_questions=list(HOSTILE),
        missing_entities=list(HOSTILE),
        omitted=list(HOSTILE[:3]),
        degraded=[HOSTILE[0]],
    )


def events() -> list[AnswerEvent]:
    answer = hostile_answer()
    found = PassagesFound([hostile_passage(words) for words in HOSTILE], answer.answer_id)
    released = [
        SentenceReleased(sentence, [cited])
        for sentence, cited in zip(answer.sentences, answer.citations, strict=True)
    ]
    return [found, *released, answer]


def watch_dialogs(watched: Watched) -> list[str]:
    opened: list[str] = []

    async def note(dialog: Dialog) -> None:
        opened.append(dialog.message)
        await dialog.dismiss()

    watched.page.on("dialog", note)
    return opened


async def expect_words_alone(box: Locator, homes: tuple[str, ...]) -> None:
    """Unfold everything; it must hold no element but ours, and no link that leads elsewhere."""
    await box.evaluate("box => box.querySelectorAll('details').forEach((fold) => fold.open = true)")
    assert await box.locator(ELEMENTS).count() == 0
    attributes = "box => [...box.querySelectorAll('*')].flatMap((part) => part.getAttributeNames())"
    names: list[str] = await box.evaluate(attributes)
    assert [name for name in names if name.startswith("on") or name in ("src", "srcdoc")] == []
    hrefs: list[str] = await box.evaluate(HREFS)
    assert hrefs
    assert [href for href in hrefs if not href.startswith(homes)] == []
    card = box.page.locator("#quotation-card")
    for number in (1, 3, 5, len(HOSTILE)):
        await box.locator(".chip").nth(number - 1).hover()
        await expect(card.locator(".where")).to_have_count(1)
        assert await card.locator(ELEMENTS).count() == 0


async def look(watched: Watched, box: Locator, homes: tuple[str, ...]) -> None:
    await expect(box.locator(".proofs li")).to_have_count(len(HOSTILE))
    for number, words in enumerate(HOSTILE):
        shown = await box.locator(".proofs q").nth(number).text_content()
        assert shown is not None
        assert "".join(shown.split()) == "".join(words.split())
    await expect_words_alone(box, homes)
    await watched.page.wait_for_load_state("networkidle")


async def test_the_page_shows_hostile_words_and_runs_loads_and_links_nothing(
    site: Site, backend: FakeBackend
) -> None:
    async with site.reading() as watched:
        dialogs = watch_dialogs(watched)
        backend.script = lambda _: [*events()]
        await ask(watched, HOSTILE[0])
        box = watched.page.locator("#conversation")
        await look(watched, box, (f"{site.url}/#/",))
        await watched.page.reload()
        await watched.page.wait_for_selector(".page h1")
        await look(watched, box, (f"{site.url}/#/",))
        backend.script = lambda _: [refusal()]
        await ask(watched, HOSTILE[1])
        await expect(box.locator(".refusal li")).to_have_count(3 * len(HOSTILE))
        await expect_words_alone(box, (f"{site.url}/#/",))
        assert dialogs == []


async def test_the_widget_shows_hostile_words_and_runs_loads_and_links_nothing(
    widget_site: WidgetSite, backend: FakeBackend
) -> None:
    widget_site.attributes |= {"label": HOSTILE[0], "document": LINKS[0], "theme": HOSTILE[1]}
    async with widget_site.reading() as watched:
        dialogs = watch_dialogs(watched)
        backend.script = lambda _: [*events()]
        panel = await ask_widget(watched, HOSTILE[0])
        await look(watched, panel, (f"{widget_site.gateway}/#/",))
        backend.script = lambda _: [refusal()]
        await ask_widget(watched, HOSTILE[1])
        await expect(panel.locator(".refusal li")).to_have_count(3 * len(HOSTILE))
        await expect_words_alone(panel, (f"{widget_site.gateway}/#/",))
        assert dialogs == []


def refusal() -> Answer:
    answer = make_refusal()
    assert answer.refusal is not None
    words = list(HOSTILE)
    told = msgspec.structs.replace(
        answer.refusal,
        message=HOSTILE[0],
        related_sections=words,
        suggested_questions=words,
        nearest=[
            msgspec.structs.replace(
                answer.refusal.nearest[0], n=number, quote=word, table_header=word
            )
            for number, word in enumerate(words, 1)
        ],
    )
    return msgspec.structs.replace(answer, refusal=told)
