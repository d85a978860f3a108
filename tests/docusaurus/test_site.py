"""The Docusaurus plugin in a site built from npm: `make check-docusaurus` installs what it takes."""

import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from services.gateway.model.answers import SelectedText
from services.gateway.ports import AnswerEvent
from services.gateway.server import listen, start_server
from tests.support.browser import PHONE, needs_browser, open_page
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import QUOTES, FakeBackend, events_of, make_answer
from tests.support.key_fakes import FakeKeys
from tests.support.widget_site import ask_widget

HERE = Path(__file__).parent
TOOL = HERE / "node_modules/.bin/docusaurus"
BUILD_S = 480
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(1200),
    needs_browser,
    pytest.mark.skipif(
        shutil.which("node") is None or not TOOL.exists(),
        reason="Docusaurus is not installed: make check-docusaurus",
    ),
]
WHERE = ["mills.md", "part/gates.md", "part/gates.md"]
"""The documents of the quotations."""
LIT = "() => [...(CSS.highlights.get('quoth') ?? [])].map(String).join()"


@dataclass(frozen=True)
class Manual:
    """The built site, and what answers in it."""

    url: str
    backend: FakeBackend


def answered(*documents: str) -> list[AnswerEvent]:
    """Return the events of an answer whose quotations stand in these documents."""
    answer = make_answer()
    pairs = zip(answer.citations, documents or WHERE, strict=True)
    cited = [msgspec.structs.replace(one, document=path) for one, path in pairs]
    return [*events_of(msgspec.structs.replace(answer, citations=cited))]


def build(target: Path, gateway: str, key: str) -> None:
    given = {"QUOTH_GATEWAY": gateway, "QUOTH_KEY": key, "DOCUSAURUS_DISABLE_TELEMETRY": "1"}
    built = subprocess.run(
        [str(TOOL), "build", "site", "--out-dir", str(target), "--no-minify"],
        cwd=HERE,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=BUILD_S,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr


def serve_site(folder: Path) -> Starlette:
    """Serve a built site below the base address that its configuration names."""

    async def no_icon(_: Request) -> Response:
        return Response(status_code=204)

    return Starlette(
        routes=[
            Mount("/manual", StaticFiles(directory=folder, html=True)),
            Route("/favicon.ico", no_icon),
        ]
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def manual(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Manual]:
    backend, keys = FakeBackend(), FakeKeys()
    app = make_app(backend, keys, require_keys=True)
    gateway = await start_server(app, listen(0))
    folder = tmp_path_factory.mktemp("built") / "site"
    folder.mkdir()
    served = await start_server(serve_site(folder), listen(0))
    origin = f"http://127.0.0.1:{served.port}"
    key = keys.grant("manual", scopes=("ask",), origins=(origin,))
    build(folder, f"http://127.0.0.1:{gateway.port}", key)
    yield Manual(f"{origin}/manual/", backend)
    await served.stop()
    await gateway.stop()


@pytest.fixture(autouse=True)
def answers(manual: Manual) -> None:
    manual.backend.questions.clear()
    manual.backend.script = lambda _: [*answered()]


async def lit(page: Page, words: str) -> None:
    """Wait until these words are lit in view, but for the bars of tables."""
    await page.wait_for_function(
        "words => [...(CSS.highlights.get('quoth') ?? [])].some((range) => "
        "range.toString().replace(/\\s/g, '') === words)",
        arg="".join(words.replace("|", "").split()),
    )
    box = "[...CSS.highlights.get('quoth')][0].getBoundingClientRect()"
    top, height = await page.evaluate(f"[{box}.top, innerHeight]")
    assert 0 <= top < height


async def test_citations_are_gone_to_inside_of_the_site_and_lit(
    manual: Manual, browser: Browser
) -> None:
    async with open_page(browser, manual.url) as watched:
        page = watched.page
        panel = await ask_widget(watched)
        await expect(panel.locator(".proofs li")).to_have_count(len(QUOTES))
        await page.evaluate("window.same = true")
        for number, path in [(1, "part/gates"), (0, ""), (2, "part/gates")]:
            await panel.locator(".chip").nth(number).click()
            await page.wait_for_url(f"{manual.url}{path}")
            await lit(page, QUOTES[number])
            assert await page.evaluate("window.same"), "the page was loaded anew"
        await expect(panel.locator(".exchange")).to_have_count(1)
        await page.go_back()
        await page.wait_for_url(manual.url)
        await page.wait_for_function(f"({LIT})() === ''")
        assert watched.complaints == []


async def test_a_selection_is_asked_about_with_the_document_of_its_route(
    manual: Manual, browser: Browser
) -> None:
    words = "Every mill of the coast has three gates and one keeper."
    async with open_page(browser, f"{manual.url}part/gates") as watched:
        page = watched.page
        await expect(page.locator("quoth-chat")).to_have_attribute("document", "part/gates.md")
        await page.evaluate("getSelection().selectAllChildren(document.querySelector('article p'))")
        await page.get_by_role("button", name="Ask about this").click()
        panel = await ask_widget(watched, "Who keeps them?")
        await expect(panel.locator(".proofs li")).to_have_count(len(QUOTES))
    [asked] = manual.backend.questions
    assert asked.selection == SelectedText("part/gates.md", None, words)


async def test_a_document_that_the_site_does_not_show_is_opened_in_quoth(
    manual: Manual, browser: Browser
) -> None:
    manual.backend.script = lambda _: [*answered("a.md", "b.md", "c.md")]
    async with open_page(browser, manual.url) as watched:
        panel = await ask_widget(watched)
        async with watched.page.context.expect_page() as opened:
            await panel.locator(".chip").first.click()
        assert "#/tide-mills/a.md?" in (await opened.value).url


async def test_a_phone_sees_the_place_and_the_colours_are_those_of_the_site(
    manual: Manual, browser: Browser
) -> None:
    async with open_page(browser, manual.url, size=PHONE, has_touch=True) as watched:
        page = watched.page
        panel = await ask_widget(watched)
        ground = "node => getComputedStyle(node).backgroundColor"
        light = await panel.evaluate(ground)
        await page.evaluate("document.documentElement.dataset.theme = 'dark'")
        assert await panel.evaluate(ground) != light
        await panel.locator(".chip").nth(1).click()
        await expect(panel).to_be_hidden()
        await lit(page, QUOTES[1])
