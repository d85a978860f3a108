"""Pictures of a book in a real browser: as figures, in cells, with a key, and when they do harm."""

from typing import Any
from urllib.parse import quote

import pytest
from playwright.async_api import expect

from tests.support.browser import Watched, needs_browser, wait_until
from tests.support.drawn_documents import parse_and_show
from tests.support.gateway_fakes import EVIL, FakeBackend
from tests.support.page_site import Site
from tests.support.pictures import BOMB, DRAWING, HOSTILE_DRAWING, png

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.timeout(900),
    needs_browser,
]

SOURCE = """# Mills

One ![The wheel](img/wheel.png "from below") two.

- one
- ![](img/tide.svg) item

| a | b |
|---|---|
| ![gate](img/wheel.png) | c |

Words of the end. ![gone](img/gone.png) ![bomb](img/bomb.png)

![](img/wheel.png)
"""
FILES = {"img/wheel.png": png(60, 40), "img/tide.svg": DRAWING, "img/bomb.png": BOMB}


async def read(
    site: Site, backend: FakeBackend, source: str = SOURCE, files: dict[str, bytes] = FILES
) -> str:
    backend.documents["p.md"] = parse_and_show("p.md", source, files=files, kept=backend.images)
    return "/#/tide-mills/p.md"


async def images_of(watched: Watched) -> list[Any]:
    """Return of each picture its description, its size as it is drawn, and what it stands in."""
    await wait_until(
        watched.page, "[...document.querySelectorAll('.page img')].every((one) => one.complete)"
    )
    return list(
        await watched.page.locator(".page img").evaluate_all(
            """(all) => all.map((one) => [one.alt, one.naturalWidth, one.naturalHeight,
                one.parentElement.tagName, one.parentElement.parentElement.tagName])"""
        )
    )


async def test_pictures_are_drawn_where_they_stand_and_the_text_stays_what_it_is(
    site: Site, backend: FakeBackend
) -> None:
    address = await read(site, backend)
    async with site.reading(address) as watched:
        assert await images_of(watched) == [
            ["The wheel – from below", 60, 40, "FIGURE", "ARTICLE"],
            ["", 40, 30, "FIGURE", "LI"],
            ["gate", 60, 40, "SPAN", "TD"],
            ["", 60, 40, "FIGURE", "ARTICLE"],
        ]
        text = await watched.page.evaluate("document.querySelector('.page').textContent")
        assert text == backend.documents["p.md"].text
        await expect(watched.page.locator("figure figcaption")).to_have_text(
            ["The wheel – from below"]
        )
        # What is not there is its description, as a caption.
        assert await watched.page.locator("p.caption").all_text_contents() == ["gone", "bomb"]


@pytest.mark.parametrize("words", ["wheel – from", "gate | c"])
async def test_the_words_of_a_picture_are_cited_like_any_others(
    site: Site, backend: FakeBackend, words: str
) -> None:
    address = await read(site, backend)
    start = backend.documents["p.md"].text.index(words)
    async with site.reading(f"{address}?range={start}-{start + len(words)}") as watched:
        await expect(watched.page.locator("mark").first).to_be_attached()
        assert "".join(await watched.highlighted()) == words.replace(" | ", "")


@pytest.mark.parametrize("width", [320, 768, 1280])
async def test_a_large_picture_fits_the_page(site: Site, backend: FakeBackend, width: int) -> None:
    files = {"img/wide.png": png(3000, 200)}
    address = await read(site, backend, "# Wide\n\n![A wide one](img/wide.png)\n", files)
    async with site.reading(address, size=(width, 800)) as watched:
        await images_of(watched)
        wide = await watched.page.evaluate(
            "[document.documentElement.scrollWidth, document.querySelector('.page img').offsetWidth]"
        )
        assert wide[0] <= width
        assert 0 < wide[1] <= width


@pytest.mark.control("V7", "V8")
async def test_a_hostile_drawing_loads_nothing_and_runs_nothing(
    site: Site, backend: FakeBackend
) -> None:
    source = f"# H\n\n![{EVIL}](img/e.svg)\n\n<img src='https://evil.example/x.png' alt='far'>\n"
    address = await read(site, backend, source, {"img/e.svg": HOSTILE_DRAWING})
    async with site.reading(address) as watched:
        [[_, width, height, *_rest]] = await images_of(watched)
        assert (width, height) == (40, 30)
        await expect(watched.page.locator("p.caption")).to_have_text("far")
        [image_id] = backend.images
    # Opened alone it is no more than a drawing either.
    async with site.open(f"/v1/books/tide-mills/images/{quote(image_id)}") as watched:
        await watched.page.wait_for_selector("rect", state="attached")
        assert await watched.page.evaluate("window.hacked") is None
        assert await watched.page.evaluate("document.querySelectorAll('script, a').length") == 0
        assert watched.foreign_requests() == []


async def test_with_a_key_pictures_are_fetched_with_it(site: Site, backend: FakeBackend) -> None:
    address = await read(site, backend)
    async with site.open("/") as watched:
        await watched.page.evaluate("sessionStorage.setItem('quoth_key', 'quoth_x')")
        sent: list[str] = []

        async def serve(route: Any) -> None:
            sent.append(route.request.headers.get("authorization", ""))
            media_type, data = next(iter(backend.images.values()))
            await route.fulfill(content_type=media_type, body=data)

        async def without_key(route: Any) -> None:
            headers = {**route.request.headers}
            headers.pop("authorization", None)
            await route.continue_(headers=headers)

        await watched.page.route("**/v1/**", without_key)
        await watched.page.route("**/images/**", serve)
        await watched.page.goto(f"{site.url}{address}")
        await expect(watched.page.locator(".page h1")).to_have_text("Mills")
        await wait_until(watched.page, "document.querySelector('.page img').naturalWidth > 0")
        assert set(sent) == {"Bearer quoth_x"}
        source = await watched.page.locator(".page img").first.get_attribute("src")
        assert source is not None
        assert source.startswith("blob:")
